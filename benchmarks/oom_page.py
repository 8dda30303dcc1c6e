"""docs/oom-cases.md, written from the cases; nothing on it is typed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from oom_cases import Case, frozen, summary

SETS = {
    "field": "Field cases: the reports of `field-cases.md` whose message, or whose reporter, quotes an allocation.",
    "seen": "Seen: messages that the tables of frames and tensors were written with.",
    "held-out": "Held out: messages gathered after the code was frozen. It was then changed for the three that it did not answer.",
    "held-out-2": "Held out again: messages gathered after those changes, with the code frozen again.",
}


def write_page(found: Sequence[Case], path: Path) -> None:
    path.write_text("\n".join(_page(found)).rstrip() + "\n", encoding="utf-8")


def _page(found: Sequence[Case]) -> Iterator[str]:
    yield "# Public out-of-memory messages"
    yield ""
    yield f"Every figure here comes from `python benchmarks/oom_cases.py --page`: {len(found)} messages from public threads, each with a"
    yield "run rebuilt from the facts of its thread (`benchmarks/data/oom_cases.jsonl`), and whether `budgetlint estimate --oom` names the"
    yield "tensor. Only messages are here whose tensor can be told without it: the reporter says it, the innermost frames make it, or a"
    yield "product of the run's figures comes out exactly. Threads where none of that holds are left out, so this says how often the answer"
    yield "is right where it can be checked, not how often there is one. Explained means: the tensor named first is of the expected kind,"
    yield "and of the expected matrix where the thread is that exact. `Sure` is what budgetlint says of itself."
    yield ""
    for name, words in SETS.items():
        yield from _set([case for case in found if case.row["set"] == name], words)


def _set(mine: Sequence[Case], words: str) -> Iterator[str]:
    yield f"## {words.partition(':')[0]}"
    yield ""
    yield f"{words.partition(': ')[2].capitalize()}"
    yield ""
    yield f"{summary(mine)}."
    if any("frozen" in case.row for case in mine):
        yield f"{frozen(mine).capitalize()}."
    yield ""
    yield "| thread | quoted | budgetlint says | sure | right | because |"
    yield "| --- | --- | --- | --- | --- | --- |"
    yield from map(_row, mine)
    yield ""


def _row(case: Case) -> str:
    message = case.explained.found.message
    quoted = message.requested.text if message and message.requested else ""
    right = "yes" if case.right else "one of several" if case.among else "**no**"
    before = case.row.get("frozen", "right")
    return (
        f"| [{case.row['id']}]({case.row['url']}) | {quoted} | {case.said} | {case.explained.certainty} | "
        f"{right}{f' (frozen: {before})' if before != 'right' else ''} | {case.row['why']} |"
    )
