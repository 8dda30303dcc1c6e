"""Colours that are read in light and dark, and told apart without red-green vision."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket
from budgetlint.report.svg import render
from budgetlint.report.svg.theme import DARK, FILL, LIGHT, STROKES, contrast, on, style
from budgetlint.resolve.runs import judge_texts

READ = 4.5
"""WCAG 2.2, success criterion 1.4.3: text."""

SEEN = 3.0
"""1.4.11: lines that carry a meaning."""

TEXTS = sorted(set(LIGHT) - STROKES - {"page"})


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", TEXTS)
def test_every_text_is_read_on_its_ground(theme: dict[str, str], name: str) -> None:
    assert contrast(theme[name], theme["page"]) >= READ
    assert {one.value for one in Verdict} <= set(theme)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_limit_is_seen_and_words_on_the_allowance_are_read(theme: dict[str, str]) -> None:
    assert contrast(theme["limit"], theme["page"]) >= SEEN
    page, green = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (theme["page"], FILL[Bucket.ACTIVATIONS]))
    mixed = "#" + "".join(f"{round(under * 0.84 + over * 0.16):02x}" for under, over in zip(page, green, strict=True))
    assert contrast(theme["ink"], mixed) >= READ


@pytest.mark.parametrize("bucket", list(Bucket))
def test_a_name_is_read_on_its_band(bucket: Bucket) -> None:
    assert contrast(on(FILL[bucket]), FILL[bucket]) >= READ


def test_both_themes_have_every_class_that_is_used() -> None:
    picture = render(judge_texts({}, budget="device 24GiB; model llama-3.1-8b; batch 1; seq 2048").runs)
    used = {name for names in re.findall(r'class="([^"]*)"', picture) for name in names.split()}
    assert set(LIGHT) == set(DARK)
    assert used
    assert all(f".{name}{{" in style() for name in used)
    for name in used & set(TEXTS):
        tags = re.findall(rf'<[^>]*class="{name}"[^>]*>', picture)
        assert all(f'"{LIGHT[name]}"' in tag for tag in tags), "a viewer without style sheets sees the light colour"


# Machado, Oliveira and Fernandes 2009 (doi 10.1109/TVCG.2009.113), severity 1
PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
FULL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def lab(colour: str, seen: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of what an eye sees."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = (min(max(sum(k * v for k, v in zip(row, linear, strict=True)), 0), 1) for row in seen)
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("seen", [FULL, PROTANOPIA, DEUTERANOPIA], ids=["full", "protanopia", "deuteranopia"])
def test_any_two_buckets_are_told_apart(seen: tuple[tuple[float, ...], ...]) -> None:
    for one, other in combinations(Bucket, 2):
        between = sum((a - b) ** 2 for a, b in zip(lab(FILL[one], seen), lab(FILL[other], seen), strict=True)) ** 0.5
        assert between >= 12, (one, other, between)
