"""The same run with other settings, on the same machine or on another, estimated anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from budgetlint.base.limits import SOLVE_ESTIMATES
from budgetlint.base.record import field, record, replace, state
from budgetlint.catalog.architecture import Architecture
from budgetlint.language.budget import Target
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.estimator import estimate
from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import plan_run
from budgetlint.resolve.judged_runs import capacity_on
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings

SOLVED = Origin(OriginKind.COMMAND_LINE, note="budgetlint solve")
NOWHERE = Target(None, None)

FOLLOWS = {"optimizer": ("optimizer_impl", "optimizer_state"), "devices": ("data_parallel", "nodes", "devices_per_node")}
"""What was said about a setting's old value, and holds no longer."""


@state
class Effort:
    """How many estimates were asked for so far; texts that are read again count by their length."""

    estimates: int = 0

    def counted(self, contexts: Iterable[RunContext]) -> Iterator[RunContext]:
        for context in contexts:
            self.estimates += 1
            yield context

    @property
    def spent(self) -> bool:
        return self.estimates >= SOLVE_ESTIMATES.most


@record
class Bench:
    """One run with the shape of its model: everything that an estimate needs."""

    context: RunContext
    architecture: Architecture | None
    effort: Effort = field(default_factory=Effort)

    @property
    def settings(self) -> Settings:
        return self.context.run.settings

    @property
    def target(self) -> Target:
        return self.context.target or NOWHERE

    def with_settings(self, changes: Mapping[str, Any], then: Callable[[Plan], Plan] | None = None) -> Estimate:
        """The estimate under changed settings; ``then`` changes each plan further, for what no setting says."""
        return self._estimate(changed(self.settings, changes), self.target, then)

    def on(self, target: Target) -> Estimate:
        return self._estimate(self.settings, target, None)

    def _estimate(self, settings: Settings, target: Target, then: Callable[[Plan], Plan] | None) -> Estimate:
        self.effort.estimates += 1
        device = target.device.device if target.device else None
        planned = plan_run(settings, self.context.run.stack, self.architecture, device)
        if then is not None:
            planned = replace(planned, plans=tuple(then(plan) for plan in planned.plans))
        return estimate(planned, capacity_on(target, planned))


def changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """These settings with other values; each keeps the place that it had, so that it is read as the same kind of statement."""
    kept = dict(settings)
    for name in changes:
        for follower in FOLLOWS.get(name, ()):
            kept.pop(follower, None)
    for name, value in changes.items():
        old = settings.get(name)
        origin = SOLVED if old is None or old.is_default else old.origin
        kept[name] = Setting(name, value, origin, str(value))
    return Settings(kept.values())
