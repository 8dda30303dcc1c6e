"""Public out-of-memory messages with the facts of their runs: does `estimate --oom` name the tensor?

``python benchmarks/oom_cases.py`` prints a table; ``... --set field`` only the reports of `data/field_cases.jsonl` that quote an
allocation, ``--set seen`` the messages that the tables of frames were written with, ``--set held-out`` those gathered after the code was
frozen, ``--set held-out-2`` those gathered after it was changed for them and frozen again; ``... ID`` prints one in full. ``--page``
writes docs/oom-cases.md. The exit code is 1 where fewer than eight of ten of the field cases are explained.

`data/oom_cases.jsonl` holds for each message its address, the run as a budget or configs of our own, the message as it stands there, the
frames that the report shows, and what the tensor was (``expect``: kinds, and a pattern of the name where the words or the arithmetic are
that exact), with the reason (``why``): the report's own words, its innermost frames, or a product that comes out exactly. ``frozen`` is
what the code said of a held-out message before anything was changed for it: right, among (one of several told) or wrong.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from budgetlint.oom.explain import Explanation, explain
from budgetlint.oom.log import find
from budgetlint.oom.tensor import Tensor
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "benchmarks" / "data" / "oom_cases.jsonl"
WANTED = 0.8


@dataclass(frozen=True, slots=True)
class Case:
    """One message. ``right``: the tensor that is named first is the expected one; ``among``: it is one of several told."""

    row: Mapping[str, Any]
    explained: Explanation
    context: RunContext
    right: bool
    among: bool

    @property
    def said(self) -> str:
        best = self.explained.best
        return f"{best.tensor.what}: {best.arithmetic}" if best else "nothing"


def cases(only: str = "", of: str = "") -> list[Case]:
    return [_case(row) for row in _rows() if only in ("", row["id"]) and of in ("", row["set"])]


def _rows() -> Iterator[Mapping[str, Any]]:
    with DATA.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _case(row: Mapping[str, Any]) -> Case:
    files = dict(row.get("files", {}))
    judged = judge_texts(files, budget=row["budget"]) if files else judge_texts({"case.budget": row["budget"]})
    found = find([*row.get("frames", ()), row["message"]])
    assert found is not None, row["id"]
    context = judged.runs[0]
    explained = explain(found, context)
    told = [one.tensor for one in (explained.best, *explained.rivals) if one is not None]
    hits = [_hit(row["expect"], tensor, (tensor.what, *explained.same)) for tensor in told]
    return Case(row, explained, context, bool(hits and hits[0]), any(hits))


def _hit(expect: Mapping[str, Any], tensor: Tensor, names: Sequence[str]) -> bool:
    """``element_bytes``: where the thread says the dtype; ``tensor``: a pattern of the matrices that it may be."""
    width = expect.get("element_bytes", tensor.size)
    return tensor.kind in expect["kind"] and tensor.size == width and any(re.search(expect.get("tensor", ""), name) for name in names)


def summary(found: Sequence[Case]) -> str:
    right, among = sum(case.right for case in found), sum(case.among for case in found)
    alone = sum(case.right and case.explained.certainty in ("sure", "likely", "guess") for case in found)
    share = 100 * right / len(found) if found else 0.0
    several = f"{right - alone} as the first of several; {among - right} more where it is a later one of several"
    return f"{right} of {len(found)} explained to the tensor ({share:.1f}%): {alone} with no other kind beside, {several}"


def frozen(found: Sequence[Case]) -> str:
    """What the code said of held-out messages before anything was changed for them."""
    said = [case.row["frozen"] for case in found if "frozen" in case.row]
    right, among = said.count("right"), said.count("among")
    return f"before anything was changed for them: {right} of {len(said)} ({100 * right / len(said):.1f}%), {among} more one of several"


def _line(case: Case) -> str:
    mark = "right" if case.right else "among" if case.among else "WRONG"
    quoted = case.explained.found.message.requested if case.explained.found.message else None
    return f"{mark:<6} {case.row['id']:<24} {quoted.text if quoted else '-':>11}  {case.explained.certainty:<7} {case.said}"


def main(arguments: list[str]) -> int:
    sets: tuple[str, ...] = ("field", "seen", "held-out", "held-out-2")
    if arguments == ["--page"]:
        from oom_page import write_page

        write_page(cases(), ROOT / "docs" / "oom-cases.md")
    elif arguments[:1] == ["--set"]:
        sets = (arguments[1],)
    elif arguments:
        return _whole(arguments[0])
    passed = True
    for name in sets:
        found = cases(of=name)
        print(
            f"-- {name}",
            *(_line(case) for case in found),
            summary(found),
            *([frozen(found)] if any("frozen" in case.row for case in found) else ()),
            "",
            sep="\n",
        )
        passed = passed and (name != "field" or sum(case.right for case in found) >= WANTED * len(found))
    return 0 if passed else 1


def _whole(name: str) -> int:
    from budgetlint.report.oom import render

    for case in cases(only=name):
        print(case.row["url"], render(case.explained, case.context), f"expected: {case.row['expect']}; {case.row['why']}", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
