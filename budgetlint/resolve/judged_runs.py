"""One collected run, judged: on each target of its budget its settings, its plan and its estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from budgetlint.base.limits import FILE_READINGS
from budgetlint.base.record import field, record, replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.frameworks import format_of
from budgetlint.language.budget import BudgetRun, Target
from budgetlint.language.placement import Placement, broken, hosted, overlay, placements
from budgetlint.memory.estimate import BROKEN, UNREAD, Estimate, Opened, Verdict
from budgetlint.memory.estimator import estimate
from budgetlint.memory.peak import Sums
from budgetlint.memory.planner import Planned, plan_run
from budgetlint.memory.standing import Capacity, Standing, standing
from budgetlint.readers import reader_by
from budgetlint.readers.base import complete
from budgetlint.readers.deepspeed.auto import fill_auto, fill_engine_dtype
from budgetlint.readers.derived import AT_LEAST
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.resolve.adapterless import without_adapter
from budgetlint.resolve.architecture import ModelShape
from budgetlint.resolve.axes import Answer, AxisChoice, as_read, may_be_open, pinned
from budgetlint.resolve.data_named import with_row_bound
from budgetlint.resolve.engine_rate import with_engine
from budgetlint.resolve.forks import SURE, decided
from budgetlint.resolve.measured import with_measurements
from budgetlint.resolve.model_shape import shape_of, supposing
from budgetlint.resolve.neighbours import as_neighbours
from budgetlint.resolve.own_builds import with_own_builds
from budgetlint.resolve.path_end import with_path_end
from budgetlint.resolve.precedence import join, with_derived, with_stored_weights, without_idle_defaults
from budgetlint.resolve.reservations import with_reader
from budgetlint.resolve.run_parts import script_of, started_by
from budgetlint.resolve.settled import settled
from budgetlint.resolve.startable import startable
from budgetlint.resolve.state import Assembly, Collected
from budgetlint.resolve.undeclared import with_unsaid
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Origin, Reading, Role, Run, Setting, Settings, Stack

NOWHERE = Placement(Target(None, None), None, Settings())


def run_contexts(work: Assembly, collected: Collected) -> Iterator[RunContext]:
    """One context for each target and matrix cell; where the budget names no device, on the machine that the job asks for."""
    budget, run, readings = collected.budget, collected.budget_run, collected.readings
    stack = _stack(work, readings, run)
    if collected.stack is not None:
        from budgetlint.language.judgement import over_stack  # few runs come from outside

        stack = over_stack(collected.stack, stack)
    for place in placements(budget, run) if budget and run else (NOWHERE,):
        if collected.requested is not None and place.target.device is None:
            place = replace(place, target=overlay(place.target, collected.requested))
        merged = Run(collected.name, _merged(work, collected, place, stack), readings, stack)
        shape = shape_of(work, merged, place.settings)
        found = _whole(work, merged, collected, place, shape)
        yield _supposed(work, found, collected, place, shape) if shape.may_be else found


def _whole(work: Assembly, run: Run, collected: Collected, place: Placement, shape: ModelShape) -> RunContext:
    context, planned = _judged(work, run, collected, place, shape)
    measured = with_measurements(work, collected, context)
    narrowed = measured.estimate is not context.estimate
    found = measured if narrowed else _decided(measured, planned, _Rereading(work, collected, context, place, context.architecture))
    stack = startable(found)
    if stack is not None:
        merged = Run(run.name, _merged(work, collected, place, stack), run.readings, stack)
        return _whole(work, merged, collected, place, shape)
    return _held(found) if collected.beside.watched else found


def _supposed(work: Assembly, context: RunContext, collected: Collected, place: Placement, shape: ModelShape) -> RunContext:
    """The run beside what it would be as each model that its name suggests."""
    from budgetlint.resolve.supposed import lacks_only_its_model, with_supposed  # most runs name their model

    if not lacks_only_its_model(context):
        return context
    found = [_whole(work, context.run, collected, place, one) for one in supposing(shape)]
    return with_supposed(work, context, [one.name for one in shape.may_be], found)


def _held(context: RunContext) -> RunContext:
    from budgetlint.resolve.declared_runs import held  # few runs watch anything

    return held(context)


def _merged(work: Assembly, collected: Collected, place: Placement, stack: Stack) -> Settings:
    settings = _settings(work, collected, place.settings, stack)
    if place.cell is not None:
        settings = settings.under(place.cell.settings)
    settings = settings.under(work.overrides)
    if not may_be_open(settings, collected.readings):
        return settings
    from budgetlint.resolve.unresolved import with_readings  # few runs leave anything open

    return with_readings(settings)


def _settings(work: Assembly, collected: Collected, claims: Settings, stack: Stack) -> Settings:
    """What the files say, then what the frameworks fill in (the trainer first, its engine then asks it), then what the budget
    adds."""
    readings = collected.readings
    settings = settled(with_stored_weights(with_path_end(join(readings)), claims), claims)
    settings = settings.filled(as_neighbours(work, collected, settings))
    if collected.unsaid:
        settings = with_unsaid(settings, claims, collected.unsaid)
    if is_own_script(settings):  # what a budget says is better than what some script could do
        settings = settings.filled(claim for claim in claims.values() if claim.name != "nodes")
        settings = settings.filled(without_adapter(work, readings))
    sink = next((one.consumer.sink for one in readings if one.consumer is not None and one.consumer.sink is not None), None)
    if sink is not None:
        from budgetlint.readers.hf.of_class import class_defaults  # few scripts say so plainly

        settings = settings.filled(class_defaults(sink, settings, stack))
    readings = tuple(reading for reading in readings if reading.role is not Role.STATED)
    settings = with_engine(settings, readings, stack)
    program = started_by(readings)
    for reading in sorted(readings, key=lambda reading: reading.role is not Role.TRAINER):
        if reading.role is not Role.TRAINER and _under_deepspeed(settings):
            settings = fill_engine_dtype(settings)
        settings = with_own_builds(complete(reader_by(reading), settings, stack, program), stack)
    if readings and _under_deepspeed(settings):
        settings = fill_engine_dtype(settings)
    counted = with_derived(settings.filled([claims["nodes"]] if "nodes" in claims else []))
    return without_idle_defaults(with_derived(settled(counted, claims).filled(claims.values())))


def _under_deepspeed(settings: Settings) -> bool:
    return str(settings.value("shard", "")).startswith("zero")


def _stack(work: Assembly, readings: tuple[Reading, ...], budget_run: BudgetRun | None) -> Stack:
    stated = budget_run.stack if budget_run else Stack()
    if stated.releases:
        return stated
    of_frameworks = [reading for reading in readings if reading.role is not Role.STATED]
    found = work.stack_of(of_frameworks[0], script_of(readings)) if of_frameworks else Stack()
    return replace(found, model_code=stated.model_code)


def _judged(work: Assembly, run: Run, collected: Collected, place: Placement, shape: ModelShape) -> tuple[RunContext, Planned]:
    target = hosted(place.target)
    errors = broken(collected.budget, collected.budget_run, place.target) if collected.budget else ()
    run = _on(run, target)
    architecture = None if errors else shape.known
    run = replace(run, settings=fill_auto(with_row_bound(work, run, architecture), architecture.hidden if architecture else None))
    planned, answer = _answer(work, run, target, architecture)
    answer = with_reader(answer, run, shape.says if architecture is not None else "")
    if may_be_open(run.settings, run.readings):
        from budgetlint.resolve.unresolved import without_verdict

        answer = without_verdict(answer, run.settings)
    if errors:
        answer = replace(answer, missing=(BROKEN,), opened=(Opened(BROKEN, errors[0].location, errors[0].message),))
    context = RunContext(
        run=run,
        target=target,
        cell=place.cell.text if place.cell else "",
        budget=collected.budget,
        budget_run=collected.budget_run,
        plan=planned.plans[0] if planned.plans else None,
        estimate=answer,
        named=collected.beside.named,
        watched=collected.beside.watched,
        beside=collected.beside.files,
        architecture=architecture,
        model_steps=shape.steps,
    )
    return context, planned


def _on(run: Run, target: Target) -> Run:
    """The run on its device."""
    if "pipeline_parallel" in run.settings:
        from budgetlint.resolve.spread_over import spread_over  # few runs split a model

        run = replace(run, settings=spread_over(run.settings, target))
    if target.device is None:
        return run
    if target.device.count is not None and run.settings.get("devices") is not None:
        run = replace(run, settings=_with_more(run.settings, target.device.count * (target.nodes or 1), target.device.origin))
    return replace(run, settings=run.settings.filled([Setting("device", target.device.text, target.device.origin, target.device.text)]))


def _with_more(settings: Settings, offered: int, where: Origin) -> Settings:
    """The devices of a budget, where a file only says how many there are at least."""
    stated = settings["devices"]
    if not stated.origin.note.startswith(AT_LEAST) or not stated.known or offered <= stated.value:
        return settings
    return settings.under(Settings([Setting("devices", offered, where, str(offered))]))


def _answer(work: Assembly, run: Run, target: Target, architecture: Architecture | None) -> tuple[Planned, Estimate]:
    spec = target.device
    device = spec.device if spec else None

    def work_out() -> tuple[Planned, Estimate]:
        planned = plan_run(run.settings, run.stack, architecture, device)
        answer = estimate(planned, capacity_on(target, planned), work.answers.sums)
        return planned, _without_host(answer) if device is not None and device.kind == "cpu" else answer

    return work.answers.of(run.settings, run.stack.model_code, (architecture, run.stack.releases, target), work_out)


def _reading(
    work: Assembly, settings: Settings, stack: Stack, target: Target, architecture: Architecture | None
) -> tuple[Planned, Standing]:
    """How a run stands that was read in one way; its target has a capacity."""

    def work_out() -> tuple[Planned, Standing]:
        planned = plan_run(settings, stack, architecture, target.device.device if target.device else None)
        capacity = capacity_on(target, planned)
        assert capacity is not None
        return planned, standing(planned, capacity, work.answers.sums)

    return work.answers.reading(settings, stack.model_code, (architecture, stack.releases, target), work_out)


def _without_host(answer: Estimate) -> Estimate:
    """``device cpu`` without ``host`` lacks that, not a device."""
    return replace(answer, missing=tuple("host" if name == "device" else name for name in answer.missing))


def capacity_on(target: Target, planned: Planned) -> Capacity | None:
    """What a target offers the plans of a run; None where it names no device."""
    spec = target.device
    if spec is None or not spec.usable_low:
        return None
    reserve = target.reserve.of(spec.usable_low) if target.reserve else None
    ranks = planned.plans[0].sharding.world if planned.plans else 1
    return Capacity(spec.usable_low, spec.usable_high, reserve, spec.device, ranks)


# -- what the verdict depends on ------------------------------------------------------------------------------------------------


@record
class _Rereading:
    """One run on one target, to be read again with versions or settings fixed."""

    work: Assembly
    collected: Collected
    context: RunContext
    place: Placement
    architecture: Architecture | None
    joined: dict[int, Settings] = field(default_factory=dict)
    """The settings under each of `Assembly.pinned`, before anything is chosen."""

    def _settings(self, stack: Stack, choices: Mapping[str, AxisChoice]) -> Settings:
        if id(stack) not in self.joined:
            self.joined[id(stack)] = self._joined(stack)
        hidden = self.architecture.hidden if self.architecture else None
        return as_read(fill_auto(as_read(self.joined[id(stack)], choices), hidden), choices)

    def _joined(self, stack: Stack) -> Settings:
        run = self.context.run
        merged = replace(run, settings=_merged(self.work, self.collected, self.place, stack))
        merged = _on(merged, self.context.target or NOWHERE.target)
        return with_row_bound(self.work, merged, self.architecture)

    @property
    def file(self) -> str:
        """Which file the readings are counted for: the budget's, else the trainer's own."""
        run = self.context.run
        return self.context.budget.path if self.context.budget else run.readings[0].document.path if run.readings else ""

    @property
    def is_spent(self) -> bool:
        return self.work.readings[self.file] >= FILE_READINGS.most

    def answer(self, choices: Mapping[str, AxisChoice]) -> Answer:
        self.work.readings[self.file] += 1
        stack = self._pinned(choices)
        settings = self._settings(stack, choices)
        return Answer(settings, *_reading(self.work, settings, stack, self.context.target or NOWHERE.target, self.architecture))

    @property
    def sums(self) -> Sums:
        return self.work.answers.sums

    @property
    def ends_at_positions(self) -> bool:
        return any(format_of(name).ends_at_positions for name in self.context.formats)

    def unanswered(self) -> set[tuple[str, str]]:
        stack = replace(self.context.run.stack, unanswered=set())
        spec = self.context.target.device if self.context.target else None
        settings = fill_auto(self._joined(stack), self.architecture.hidden if self.architecture else None)
        plan_run(settings, stack, self.architecture, spec.device if spec else None)
        return stack.unanswered or set()

    def _pinned(self, choices: Mapping[str, AxisChoice]) -> Stack:
        """Runs of one stack share its readings, and the estimates of those."""
        stack = self.context.run.stack
        key = (id(stack.releases), *((name, choice.words) for name, choice in sorted(choices.items()) if choice.release))
        if key not in self.work.pinned:
            self.work.pinned[key] = (stack, pinned(stack, choices))
        return self.work.pinned[key][1]


def _decided(context: RunContext, planned: Planned, again: _Rereading) -> RunContext:
    if context.estimate is None or context.target is None:
        return context
    if again.is_spent and context.estimate.verdict not in SURE and not context.estimate.missing:
        return replace(context, estimate=replace(context.estimate, verdict=Verdict.UNKNOWN, missing=(UNREAD,)))
    found = context.estimate
    first = Answer(context.run.settings, planned, Standing(found.need, found.verdict))
    return replace(context, estimate=decided(found, first, context.run.stack, capacity_on(context.target, planned), again))
