"""The picture of a step: read back as XML, its heights are the bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from budgetlint.cli import main
from budgetlint.commands.console import Console
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.term import ALLOCATED_BUCKETS, Bucket
from budgetlint.memory.timeline import timeline
from budgetlint.report.svg import PANELS, compared, render
from budgetlint.report.svg.bars import ROWS
from budgetlint.report.svg.measure import width
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Run, Settings

PLAIN = "{http://www.w3.org/2000/svg}"
LIMITED = "device 24GiB; reserve 2GiB; model qwen2.5-1.5b; lora r=16; batch 2; seq 1024"
OVER = "device rtx-4090; model llama-3.1-8b; precision bf16; optimizer adamw; batch 1; seq 4096"
SHARDED = "device 8x a100-80gb; model llama-3.1-8b; shard zero3; recompute full; batch 2 accum=4; seq 4096"
OPEN = "device 24GiB; model qwen3-8b; lora r=16"
NO_DEVICE = "model qwen2.5-0.5b; batch 4; seq 2048"
SMALL_ON_LARGE = "device h200; model gpt2; precision bf16-pure; batch 1; seq 32"
HUGE = "device 8x t4; model llama-3.1-405b; shard fsdp; batch 1; seq 8192"
ROLLOUT = "device 8x h100-80gb; model qwen2.5-7b; rollout vllm share=30% on=same; batch 1; seq 1024"
FLEET = """\
target a { device 24GiB; reserve 2GiB }
target b { device 8x h100-80gb }
model qwen2.5-3b
run short { on a b; lora r=16; batch 1; seq 1024 }
run long { on b; recompute full; batch 1; seq 8192 }
"""
CASES = {
    "limited": LIMITED, "over": OVER, "sharded": SHARDED, "open": OPEN, "no device": NO_DEVICE, "small on large": SMALL_ON_LARGE,
    "huge": HUGE, "rollout": ROLLOUT, "fleet": FLEET,
}  # fmt: skip


def runs_of(text: str) -> tuple[RunContext, ...]:
    judged = judge_texts({}, budget=text)
    assert judged.runs
    return tuple(judged.runs)


def estimate_of(text: str) -> Estimate:
    (context,) = runs_of(text)
    assert context.estimate is not None
    return context.estimate


def drawn(text: str) -> Element:
    return ElementTree.fromstring(render(runs_of(text)))


@pytest.fixture(params=CASES.values(), ids=CASES)
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def found(root: Element, name: str, *attributes: str) -> list[Element]:
    return [one for one in root.iter(PLAIN + name) if all(attribute in one.attrib for attribute in attributes)]


def bytes_at(root: Element, axis: str) -> tuple[float, float]:
    """Where no bytes are on an axis, and bytes per pixel, read off its lines."""
    ticks = found(root, "line", "data-tick")
    (low, zero), *_, (high, place) = sorted((int(tick.attrib["data-tick"]), float(tick.attrib[axis])) for tick in ticks)
    assert low == 0
    return zero, high / (place - zero)


# -- the figures -------------------------------------------------------------------------------------------------------------


def outlines(path: str) -> Iterator[list[tuple[float, float, float]]]:
    """Of each part of a band: x, its upper edge, its lower edge."""
    for part in re.findall(r"M([^Z]*)Z", path):
        points = [tuple(map(float, point.split())) for point in part.split("L")]
        half = len(points) // 2
        yield [(over[0], over[1], under[1]) for over, under in zip(points[:half], reversed(points[half:]), strict=True)]


@pytest.mark.parametrize("name", [name for name in CASES if name != "fleet"])
def test_the_bands_are_as_high_as_the_bytes(name: str) -> None:
    estimate, root = estimate_of(CASES[name]), drawn(CASES[name])
    ground, each = bytes_at(root, "y1")
    slack = abs(each) * 0.2  # eight coordinates of two decimals
    heights: dict[Bucket, dict[float, float]] = {}
    for band in found(root, "path", "data-bucket"):
        knots = [knot for outline in outlines(band.attrib["d"]) for knot in outline]
        heights[Bucket(band.attrib["data-bucket"])] = {x: (under - over) * -each for x, over, under in knots}
    places = sorted({x for band in heights.values() for x in band})
    assert max(sum(band.get(x, 0) for band in heights.values()) for x in places) == pytest.approx(estimate.need.bytes, abs=slack)
    for moment in timeline(estimate):
        wanted = {bucket: moment.buckets.get(bucket, 0) for bucket in ALLOCATED_BUCKETS}
        assert any(all(abs(heights.get(b, {}).get(x, 0) - size) <= slack for b, size in wanted.items()) for x in places), moment.name
    (need,) = found(root, "circle", "data-need")
    assert (float(need.attrib["cy"]) - ground) * each == pytest.approx(estimate.need.bytes, abs=slack)


@pytest.mark.parametrize("name", ["limited", "over", "sharded", "open", "huge", "rollout"])
def test_the_limit_is_a_line_at_its_bytes(name: str) -> None:
    estimate, root = estimate_of(CASES[name]), drawn(CASES[name])
    ground, each = bytes_at(root, "y1")
    (line,) = found(root, "line", "data-limit")
    assert line.attrib["y1"] == line.attrib["y2"]
    assert int(line.attrib["data-limit"]) == estimate.limit
    assert (float(line.attrib["y1"]) - ground) * each == pytest.approx(estimate.limit, abs=abs(each) * 0.02)


def test_what_lies_over_the_limit_is_hatched() -> None:
    estimate, (over,) = estimate_of(OVER), found(drawn(OVER), "path", "data-over")
    assert int(over.attrib["data-over"]) == (estimate.over or 0) > 0
    assert over.attrib["fill"] == "url(#over-0)"
    assert not found(drawn(LIMITED), "path", "data-over")


def test_without_a_device_there_is_no_limit() -> None:
    root = drawn(NO_DEVICE)
    assert not found(root, "line", "data-limit")
    assert any("no device is stated" in words for words in said(root))


def test_a_limit_far_above_the_need_is_told() -> None:
    root = drawn(SMALL_ON_LARGE)
    assert not found(root, "line", "data-limit")
    assert any(words.startswith("↑") and words.endswith("limit") for words in said(root))


def test_without_a_batch_the_picture_shows_what_is_left_for_activations() -> None:
    estimate, root = estimate_of(OPEN), drawn(OPEN)
    ground, each = bytes_at(root, "y1")
    (box,) = found(root, "rect", "data-allowance")
    assert float(box.attrib["height"]) * -each == pytest.approx(estimate.activation_allowance, abs=abs(each) * 0.02)
    assert (float(box.attrib["y"]) - ground) * each == pytest.approx(estimate.limit, abs=abs(each) * 0.02)
    assert any("left for activations" in words for words in said(root))
    assert "no upper end" in said(root)


def test_the_key_has_the_bill() -> None:
    estimate = estimate_of(SHARDED)
    key = {one.attrib["data-bucket"]: int(one.attrib["data-bytes"]) for one in found(drawn(SHARDED), "text", "data-bucket")}
    assert key == {bucket.value: size for bucket in Bucket if (size := sum(t.bytes for t in estimate.bill if t.bucket is bucket))}
    assert sum(key.values()) == estimate.need.bytes


def test_the_bars_are_as_long_as_the_bytes() -> None:
    runs = runs_of(FLEET)
    root = ElementTree.fromstring(compared(runs))
    _, each = bytes_at(root, "x1")
    segments = found(root, "rect", "data-bytes")
    for segment in segments:
        assert float(segment.attrib["width"]) * each == pytest.approx(int(segment.attrib["data-bytes"]), abs=each * 0.02)
    assert sum(int(segment.attrib["data-bytes"]) for segment in segments) == sum(run.estimate.need.bytes for run in runs if run.estimate)
    limits = sorted(int(line.attrib["data-limit"]) for line in found(root, "line", "data-limit"))
    assert limits == sorted(run.estimate.limit or 0 for run in runs if run.estimate)


# -- the words ---------------------------------------------------------------------------------------------------------------


def said(root: Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(PLAIN + "text")]


def boxes(root: Element) -> Iterator[tuple[float, float, float, float, str]]:
    """Left, top, right, bottom of every text."""
    for group in found(root, "g"):
        down = float(group.attrib["transform"].removeprefix("translate(0 ").removesuffix(")"))
        for text in group.iter(PLAIN + "text"):
            words, size, x, y = "".join(text.itertext()), *(float(text.attrib[key]) for key in ("font-size", "x", "y"))
            wide = width(words, size, bold="font-weight" in text.attrib)
            left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[text.attrib.get("text-anchor", "start")]
            yield left, y + down - size * 0.74, left + wide, y + down + size * 0.2, words


def test_no_text_lies_on_another_or_outside(text: str) -> None:
    root = drawn(text)
    placed = list(boxes(root))
    assert placed
    for left, top, right, bottom, words in placed:
        assert left >= 0 and right <= 800 and top >= 0 and bottom <= float(root.attrib["height"]), words
    for one, other in combinations(placed, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one[4], other[4])


ODD = 'a<b>&amp;"c" \x00\u202e]]> 日本語 😀 ' + "long " * 60


def test_a_name_is_text_and_is_cut_to_its_room() -> None:
    (context,) = runs_of(LIMITED)
    odd = replace(context, run=replace(context.run, name=ODD))
    picture = render([odd, context])
    root = ElementTree.fromstring(picture)
    assert picture.isascii()
    assert sum(words.startswith('a<b>&amp;"c"') and words.endswith("…") for words in said(root)) == 2
    assert ODD.replace("\x00", "\ufffd").replace("\u202e", "\ufffd") in "".join(found(root, "desc")[0].itertext())
    assert all(right <= 800 for _, _, right, _, _ in boxes(root))


def test_it_says_in_words_what_it_shows(text: str) -> None:
    root = drawn(text)
    assert root.attrib["role"] == "img"
    named = {one.attrib["id"]: one.text or "" for name in ("title", "desc") for one in found(root, name, "id")}
    assert root.attrib["aria-labelledby"].split() == ["title", "desc"] == list(named)
    for run in runs_of(text):
        assert run.label in named["desc"]
    assert "GiB" in named["desc"]


# -- the file ----------------------------------------------------------------------------------------------------------------


def test_it_needs_nothing_from_outside_and_runs_nothing(text: str) -> None:
    picture = render(runs_of(text))
    assert {one.tag.removeprefix(PLAIN) for one in ElementTree.fromstring(picture).iter()} <= {
        "svg", "title", "desc", "style", "g", "rect", "line", "path", "circle", "text", "tspan", "defs", "pattern", "clipPath",
    }  # fmt: skip
    assert not re.search(r"href|@import|@font-face|url\((?!#)|\bon\w+=", picture)
    assert picture == render(runs_of(text))


def test_of_many_runs_the_worst_are_drawn_and_the_rest_counted() -> None:
    lengths = list(range(1024, 1024 * 31, 1024))
    runs = runs_of(f"device 24GiB; model qwen2.5-1.5b; lora r=16; batch 1; matrix seq={lengths}")
    root = ElementTree.fromstring(render(runs))
    assert len(runs) == 30
    assert len(found(root, "circle", "data-need")) == PANELS
    needs = sorted((run.estimate.need.bytes for run in runs if run.estimate), reverse=True)
    assert [int(one.attrib["data-need"]) for one in found(root, "circle", "data-need")] == needs[:PANELS]
    assert f"{30 - PANELS} more runs" in " ".join(said(root))
    assert f"{30 - ROWS} more runs not drawn" in said(root)


@pytest.mark.parametrize("runs", [[], [RunContext(Run("sft", Settings()))]])
def test_nothing_known_is_a_picture_too(runs: list[RunContext]) -> None:
    assert any("nothing to draw" in words for words in said(ElementTree.fromstring(render(runs))))


def called(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(["estimate", "-", *arguments], Console(out, err, io.StringIO(LIMITED), {}, Path.cwd())), out.getvalue(), err.getvalue()


def test_the_command_writes_it() -> None:
    code, out, err = called("--format", "svg")
    assert (code, err) == (0, "")
    assert ElementTree.fromstring(out).tag == f"{PLAIN}svg"


@pytest.mark.parametrize("other", ["--settings", "--textbook"])
def test_it_is_of_the_bill_only(other: str) -> None:
    code, out, err = called("--format", "svg", other)
    assert (code, out) == (2, "")
    assert "--format svg draws the bill" in err
