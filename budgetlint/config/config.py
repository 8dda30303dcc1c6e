"""``[tool.budgetlint]`` of a ``pyproject.toml`` (`budgetlint.config.load`), with the command line laid over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.record import field, open_record, replace
from budgetlint.base.source import SourceFile

if TYPE_CHECKING:
    from budgetlint.config.levels import Level
    from budgetlint.config.policy import Policy
    from budgetlint.language.budget import Budget
    from budgetlint.rules_api.rule import Rule

TABLE = "tool.budgetlint"


@open_record
class Config:
    """What is selected and how it is judged. ``problems`` are findings about the settings themselves.

    An empty ``select`` means every stable rule. ``budget`` is the text of a budget for every run below the file; ``exclude``
    are globs of paths that are not walked.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity = Severity.ERROR
    require_verdict: bool = False
    preview: bool = False
    levels: tuple[Level, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    budget: str | None = None
    exclude: tuple[str, ...] = ()
    baseline: str | None = None
    policy: Policy | None = None
    source: SourceFile | None = field(default=None, repr=False)
    problems: tuple[Finding, ...] = ()

    def selects(self, rule: Rule) -> bool:
        """A preview rule runs when it is named itself, or with ``preview``."""
        from budgetlint.rules_api.pattern import is_exact, matches

        if self.requires(rule):
            return True
        if any(matches(pattern, rule) for pattern in self.ignore):
            return False
        if rule.status == "preview" and not self.preview:
            return any(is_exact(pattern, rule) for pattern in self.select)
        return not self.select or any(matches(pattern, rule) for pattern in self.select)

    def requires(self, rule: Rule) -> bool:
        """Does a policy say that it counts, whatever the repository says?"""
        return self.policy is not None and self.policy.requires(rule)

    @property
    def binds(self) -> Callable[[Budget], Budget] | None:
        """What a policy makes of each budget of the repository; None without one."""
        if self.policy is None:
            return None
        from budgetlint.config.policy import bound_by

        return partial(bound_by, policy=self.policy)

    def ignores_in(self, rule: Rule, file: str) -> bool:
        """``per-file-ignores``."""
        from budgetlint.files.glob import names_file
        from budgetlint.rules_api.pattern import matches

        return not self.requires(rule) and any(
            any(matches(pattern, rule) for pattern in patterns)
            for glob, patterns in self.per_file_ignores.items()
            if names_file(glob, file)
        )

    def with_command_line(self, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Config:
        """``--select`` replaces the selection and lifts the ignores that it names; ``--ignore`` adds."""
        chosen, more = tuple(select), tuple(ignore)
        if not chosen:
            return replace(self, ignore=(*self.ignore, *more))
        return replace(self, select=chosen, ignore=(*(name for name in self.ignore if name not in chosen), *more))
