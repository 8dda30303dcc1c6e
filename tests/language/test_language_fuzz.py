"""Whatever the text is: no exception, bounded time, findings inside the text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.base.source import Location, SourceFile, UnreadableFile
from budgetlint.language import format_text, parse, read_budget
from budgetlint.language.statements import STATEMENTS, setting_paths

BUDGETS = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "budgets").glob("*.budget"))]


def faults(text: str) -> list[str]:
    """What a hostile text breaks: problems without a cure or outside the text, or formatting that is not stable."""
    source = SourceFile("x.budget", text)
    found = read_budget(source, lambda path: UnreadableFile(path, "is not there", "check"))
    told = [
        (problem.message, bool(problem.help) and 1 <= problem.location.line <= source.line_count and _has_extent(problem.location))
        for problem in found.problems
    ]
    once = format_text(text)
    stable = format_text(once) == once and (once == text or not parse(source)[1])
    return [message or "no message" for message, fine in told if not (message and fine)] + ([] if stable else ["formatting is not stable"])


def _has_extent(location: Location) -> bool:
    return location.column >= 1 and (location.end_line, location.end_column) >= (location.line, location.column)


SYNTAX = ["{", "}", "[", "]", ";", "\n", "\r\n", "\r", "=", "==", "<=", ",", "#", '"', "'", "\\", "$x", "$", "of", "+", "- ", "-", "r="]
VALUES = ["32GiB", "32gb", "8x", "h100", "a100", "4090", "5%", "0", "-1", "1e5", "1e999", "2.5", "9" * 5000, "2027-01-31", "2027-13-45"]
WORDS = ["custom", "adamw", "hidden=3", "on", "off", "zero", "3", "x/y", "./x.json", "all", "*", "reason='x'"]
ODD = ["é", "\u00a0", "\ufeff", "\0", "😀", "\ud800"]
pieces = st.sampled_from([*STATEMENTS, *setting_paths(), *SYNTAX, *VALUES, *WORDS, *ODD])


@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(pieces, st.sampled_from(["", " ", " ", " "])), max_size=25))
def test_random_pieces(parts: list[tuple[str, str]]) -> None:
    assert not faults("".join(piece + gap for piece, gap in parts))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_random_text(text: str) -> None:
    assert not faults(text)


def test_mutated_examples() -> None:
    rng = random.Random(7)
    for _ in range(150):
        text = rng.choice(BUDGETS)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(["", "{", "}", "[", '"', ";", "=", "\n", "x", "%"]) + text[at + rng.randint(0, 3) :]
        assert not faults(text)


LARGE = {
    "statements": "device t4;" * 26_000,
    "unknown statements": "devise t4;" * 26_000,
    "open brackets": "[" * 250_000,
    "open braces": "x {" * 80_000,
    "glued braces": "x{" * 120_000,
    "closing braces": "}" * 250_000,
    "one word": "a" * 250_000,
    "one bad word": "a" * 250_000 + "!",
    "digits": "1" * 250_000 + "x!",
    "a unit of digits": "device " + "1" * 250_000 + "GiB",
    "a number of digits": "batch " + "1" * 250_000,
    "quotes": '"' * 250_000,
    "a quote each line": '"\n' * 120_000,
    "a long list": "config [" + "a," * 120_000 + "]",
    "brackets over lines": "[\n" * 120_000,
    "blanks": "a" + " " * 250_000 + "b",
    "a long model": "model " + "q" * 250_000,
    "a long hub id": "model a/" + "q" * 250_000,
    "a long device": "device " + "h" * 250_000,
    "runs": "run a { seq 1 };" * 15_000,
    "asserts": "assert peak <= 3GiB;" * 12_000,
    "lets": "".join(f"let a{n} = $a{n + 1};" for n in range(12_000)) + "seq $a0",
    "options": "lora " + "r=1 " * 60_000,
}


@pytest.mark.parametrize("part", [10, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", LARGE)
def test_a_hostile_file_is_read_with_work_of_its_size(calls, name: str, part: int) -> None:
    """A tenth of it, and all, where the parts are too many to be read. A long list comes to 51 calls a character, the most of these."""
    text = LARGE[name][: len(LARGE[name]) // part]
    with calls:
        read_budget(SourceFile("x.budget", text))
    assert calls.count < 100 * len(text)
