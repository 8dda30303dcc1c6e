"""The work of one check, while its runs are collected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from budgetlint.context import BudgetContext, RunContext
from budgetlint.documents import Document
from budgetlint.files import Files
from budgetlint.language.budget import Budget
from budgetlint.launch import Launch
from budgetlint.project import Project
from budgetlint.run import Settings

if TYPE_CHECKING:
    from budgetlint.launched import Launched


@dataclass
class Assembly:
    """Collects runs. ``overrides`` are the command line's ``--set``, stronger than everything."""

    project: Project
    extra: Budget | None = None
    overrides: Settings = field(default_factory=Settings)
    contexts: list[RunContext] = field(default_factory=list)
    comments: list[BudgetContext] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)
    launched: dict[str, list[tuple[Launch, Launched]]] = field(default_factory=dict)
    bases: dict[str, Document | None] = field(default_factory=dict)
    """Files that configs are composed of, by path: None for one that holds no mapping."""

    @property
    def files(self) -> Files:
        return self.project.files
