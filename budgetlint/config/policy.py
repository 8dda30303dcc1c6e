"""A policy: what of a repository counts, written by those who own the gate. It lies outside of what is judged.

``--policy strict`` is built in: nothing of the repository weakens anything. A file says more (`budgetlint.config.policy_schema`).
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import TYPE_CHECKING

from budgetlint.base.finding import Severity
from budgetlint.base.record import field, open_record

if TYPE_CHECKING:
    from budgetlint.language.budget import Budget
    from budgetlint.rules_api.rule import Rule

STRICT = "strict"


@open_record
class WaiverTerms:
    """Who may waive what, for how long. ``by`` None: whoever; ``rules`` None: every rule; ``days`` None: without an end too."""

    allowed: bool = True
    by: tuple[str, ...] | None = None
    rules: tuple[str, ...] | None = None
    days: int | None = None
    reason: bool = False

    def refuses(self, by: str, until: datetime.date | None, reason: str, rules: Iterable[Rule], today: datetime.date) -> str:
        """Why a waiver does not count; empty where it does."""
        from budgetlint.rules_api.pattern import matches

        if not self.allowed:
            return "no waiver of the repository counts"
        if self.by is not None and by not in self.by:
            return f"{f'{by!r} may not waive' if by else 'it says not by whom (by=)'}: {', '.join(self.by) or 'nobody'} may"
        if self.days is not None and (until is None or (until - today).days >= self.days):
            last = today + datetime.timedelta(days=self.days - 1)
            return f"it holds longer than {self.days:,} days: until={last} at most"
        if self.reason and not reason:
            return "it says not why"
        wide = self.rules is not None and any(not any(matches(pattern, rule) for pattern in self.rules) for rule in rules)
        return f"only {', '.join(self.rules or ())} may be waived" if wide else ""


@open_record
class Policy:
    """``name`` as it was asked for. ``settings`` are the keys of ``[tool.budgetlint]`` that may weaken, None for all; ``levels`` whether a
    budget may make a rule milder, ``measured`` whether recorded measurements and tolerances count. ``budget`` binds every run: its machine,
    asserts and levels hold over those of the repository. ``require`` are rules that run and count, whatever the repository says."""

    name: str
    settings: tuple[str, ...] | None = None
    levels: bool = True
    measured: bool = True
    waivers: WaiverTerms = field(default_factory=WaiverTerms)
    budget: str | None = None
    bound: Budget | None = field(default=None, repr=False)
    require: tuple[str, ...] = ()
    fail_on: Severity | None = None
    require_verdict: bool = False

    def requires(self, rule: Rule) -> bool:
        from budgetlint.rules_api.pattern import matches

        return any(matches(pattern, rule) for pattern in self.require)


def strict() -> Policy:
    return Policy(STRICT, settings=(), levels=False, measured=False, waivers=WaiverTerms(allowed=False))


def bound_by(budget: Budget, policy: Policy) -> Budget:
    """A budget of the repository with what the policy binds: the policy's machine over each of its own, its asserts and levels beside."""
    from budgetlint.base.record import replace
    from budgetlint.language.placement import overlay

    owner = policy.bound
    runs = budget.runs
    if not policy.measured:
        runs = tuple(replace(run, measured=(), tolerance_ppm=None) for run in runs)
    if owner is not None:
        machine = owner.default_target
        asserts = tuple(one for run in owner.runs[:1] for one in run.asserts)
        runs = tuple(
            replace(run, asserts=(*run.asserts, *asserts), target=overlay(machine, run.target) if run.target else None) for run in runs
        )
        targets = {name: replace(overlay(machine, target), name=name) for name, target in budget.targets.items()}
        budget = replace(
            budget,
            targets=targets,
            default_target=replace(overlay(machine, budget.default_target), name=budget.default_target.name),
            levels=(*budget.levels, *owner.levels),
        )
    return replace(budget, runs=runs)
