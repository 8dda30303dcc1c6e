"""Where a run runs: each target with each matrix cell, everything merged. The door for whatever makes plans."""

from __future__ import annotations

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.record import open_record, replace
from budgetlint.base.source import Location
from budgetlint.language.budget import Budget, BudgetRun, MatrixCell, Target
from budgetlint.settings.run import Setting, Settings


@open_record
class Placement:
    """One run on one target in one cell. ``settings``: cell over run over target over top level, and the machine's own."""

    target: Target
    cell: MatrixCell | None
    settings: Settings


def placements(budget: Budget, run: BudgetRun) -> tuple[Placement, ...]:
    """Every target of the run times every cell of its matrix, in the order written."""
    cells: tuple[MatrixCell | None, ...] = run.cells or (None,)
    return tuple(Placement(target, cell, settings_on(run, target, cell)) for target in targets_of(budget, run) for cell in cells)


def targets_of(budget: Budget, run: BudgetRun) -> tuple[Target, ...]:
    """The machines of a run, what its own block says laid over each.

    Those that ``on`` names; without ``on`` the top level's; and where neither it nor the run names a device, every target.
    """
    names = run.on
    says_device = budget.default_target.device or (run.target and run.target.device)
    if not names and not says_device:
        names = tuple(budget.targets)
    named = [budget.targets[name] for name in names if name in budget.targets]
    bases = [overlay(target, budget.default_target) for target in named] or [budget.default_target]
    return tuple(overlay(run.target, base) if run.target else base for base in bases)


def overlay(stronger: Target, weaker: Target) -> Target:
    """What ``stronger`` says, and for the rest ``weaker``; training settings are not inherited from another target."""
    return replace(
        stronger,
        name=stronger.name or weaker.name,
        device=stronger.device or weaker.device,
        nodes=stronger.nodes if stronger.nodes is not None else weaker.nodes,
        nodes_origin=stronger.nodes_origin if stronger.nodes is not None else weaker.nodes_origin,
        reserve=stronger.reserve or weaker.reserve,
        host_bytes=stronger.host_bytes if stronger.host_bytes is not None else weaker.host_bytes,
        host_pinned=stronger.host_pinned if stronger.host_bytes is not None else weaker.host_pinned,
        host_origin=stronger.host_origin if stronger.host_bytes is not None else weaker.host_origin,
        settings=weaker.settings.under(stronger.settings),
    )


def hosted(target: Target) -> Target:
    """``device cpu`` offers the memory that ``host`` states, unless ``usable=`` says less."""
    spec, host = target.device, target.host_bytes
    if spec is None or spec.device is None or spec.device.kind != "cpu" or spec.usable_low or not host:
        return target
    return replace(target, device=replace(spec, nominal=host, usable_low=host, usable_high=host))


def settings_on(run: BudgetRun, target: Target, cell: MatrixCell | None = None) -> Settings:
    merged = run.defaults.under(target.settings).under(run.own)
    if cell is not None:
        merged = merged.under(cell.settings)
    return merged.under(Settings(machine_settings(target)))


def machine_settings(target: Target) -> list[Setting]:
    """How many devices, where it is stated; ``8x`` without ``nodes`` is one machine. A count that is not said stays unknown."""
    settings: list[Setting] = []
    if target.nodes is not None and target.nodes_origin is not None:
        settings.append(Setting("nodes", target.nodes, target.nodes_origin, str(target.nodes)))
    spec = target.device
    if spec is not None and spec.count is not None:
        settings.append(Setting("devices_per_node", spec.count, spec.origin, f"{spec.count}x"))
        settings.append(Setting("devices", spec.count * (target.nodes or 1), spec.origin, f"{spec.count}x"))
    return settings


# -- what was not understood -------------------------------------------------------------------------------------------------

_JUDGE = frozenset({"assert", "deny", "warn", "allow", "tolerance", "measured"})
"""Statements that judge: the bill is the same without them."""


def broken(budget: Budget, run: BudgetRun | None, target: Target) -> tuple[Finding, ...]:
    """The errors of a budget that may have shaped this run on this target: all but those inside of the blocks of others."""
    errors = [one for one in budget.problems if one.severity is Severity.ERROR and one.key.partition(".")[0] not in _JUDGE]
    if not errors:
        return ()
    others = [one.block for one in budget.runs if run is None or one.name != run.name]
    others += [one.block for one in budget.targets.values() if one.name != target.name]
    return tuple(one for one in errors if not any(_inside(one.location, block) for block in others if block is not None))


def _inside(at: Location, block: Location) -> bool:
    begin, end = (block.line, block.column), (block.end_line, block.end_column)
    return at.file == block.file and begin <= (at.line, at.column) < end
