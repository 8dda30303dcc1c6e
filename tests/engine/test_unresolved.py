"""A setting that somebody states and nobody can know is no default: it is read in every way, or leaves no verdict."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.files.disk import TextFiles
from budgetlint.language import read_budget
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.resolve.handed import handed_runs
from budgetlint.resolve.handed_judged import judge_handed
from budgetlint.resolve.project import Project
from budgetlint.resolve.unresolved import HARMLESS, PLANNED
from budgetlint.settings.vocabulary import SETTINGS

RUN = {"model": "Qwen/Qwen2.5-1.5B", "micro_batch": 4, "seq_len": 2048, "precision": "bf16", "optimizer": "adamw"}


def answer(card: str = "device 2x h100-80gb", **more: object) -> Estimate:
    listed = [{"name": name, "value": value} for name, value in {**RUN, **more}.items()]
    runs = handed_runs(SourceFile("r.json", json.dumps({"version": 1, "runs": [{"settings": listed}]})))
    judged = judge_handed(Project(TextFiles({})), runs, extra=read_budget(SourceFile("card.budget", card)))
    (context,) = judged.runs
    assert context.estimate is not None
    return context.estimate


KNOWN = answer()


@pytest.mark.parametrize("name", SETTINGS)
def test_no_unresolved_setting_leaves_the_answer_as_it_was(name: str) -> None:
    found = answer(**{name: None})
    if name in HARMLESS:
        assert (found.need, found.verdict) == (KNOWN.need, KNOWN.verdict)
    else:
        assert found.verdict is Verdict.UNKNOWN or name in found.missing or found.need != KNOWN.need


def test_what_can_be_anything_leaves_no_verdict() -> None:
    found = answer(recompute_every=None)
    assert (found.verdict, found.missing, found.reason) == (Verdict.UNKNOWN, ("recompute_every",), "incomplete")
    assert str(found.opened[0].place).startswith("r.json:1:")


def test_of_few_values_each_is_read() -> None:
    found = answer(optimizer=None)
    assert (found.verdict, found.need.low < KNOWN.need.low) == (Verdict.FITS, True)
    depends = answer("device 2x l4", optimizer=None, recompute="full", micro_batch=1)
    assert (depends.verdict, depends.reason, [fork.settings[0].name for fork in depends.forks]) == (
        Verdict.UNKNOWN,
        "depends",
        ["optimizer"],
    )


def test_the_planner_knows_the_rest() -> None:
    assert [name for name in (*HARMLESS, *PLANNED) if name not in SETTINGS] == []
