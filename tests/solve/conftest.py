"""Runs of one budget, and what `solve` says about them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.files.disk import TextFiles
from budgetlint.language import read_budget
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge
from budgetlint.results.solution import Solution
from budgetlint.rules_api.context import RunContext
from budgetlint.solve.proof import Desk
from budgetlint.solve.solver import EVERYTHING, solve

STACK = "stack transformers@5.24 torch@2.13 peft@0.21"


def desk_of(budget: str = "", files: dict[str, str] | None = None) -> Desk:
    extra = read_budget(SourceFile("-", budget)) if budget else None
    return Desk(open_project(TextFiles(files or {}), ["."]), extra)


def run_of(desk: Desk) -> RunContext:
    return judge(desk.project, extra=desk.extra).runs[0]


def solved(budget: str = "", files: dict[str, str] | None = None, wanted: frozenset[str] = EVERYTHING) -> Solution:
    desk = desk_of(budget, files)
    return solve(desk, run_of(desk), wanted)


@pytest.fixture
def solve_budget() -> Callable[..., Solution]:
    return solved
