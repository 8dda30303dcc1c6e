"""The answer for a run whose model is known by what its name suggests: it depends on whether that is true.

It is judged as if it were so, once for each model that the name suggests. No verdict comes of it: neither that it fits nor that it does
not, and no reading speaks for what the folder may hold otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.models import known_model
from budgetlint.catalog.suggested import same_shape, suggested
from budgetlint.memory.estimate import ANOTHER, NOT_MODELLED, Estimate, Fork, ForkReading, Opened, Range, Supposed, Verdict
from budgetlint.memory.notes import Assumption
from budgetlint.resolve.fork_table import extremes
from budgetlint.resolve.state import Assembly, Collected
from budgetlint.rules_api.context import RunContext

_UNKNOWN = Range(0, 0, None)


def lacks_only_its_model(context: RunContext) -> bool:
    """Would it be judged if the model were known?"""
    found = context.estimate
    return found is not None and found.verdict is Verdict.UNKNOWN and "model" in found.missing and {*found.missing} <= {"model", "device"}


def with_supposed(work: Assembly, context: RunContext, names: Sequence[str], found: Sequence[RunContext]) -> RunContext:
    """The run with the answer that it would have: ``found`` judged as each of ``names``."""
    answers = [one.estimate for one in found if one.estimate is not None]
    setting = context.setting("model")
    if setting is None or not answers or len(answers) != len(names):
        return context
    supposes = Supposed(str(setting.value), tuple(names), _lines(work, context, names))
    opened = Opened("model", setting.origin.location, str(setting.value))
    return replace(context, supposed=_told(answers, opened, supposes))


def _lines(work: Assembly, context: RunContext, names: Sequence[str]) -> tuple[str, ...]:
    """The line of a budget that says what the model is, for each: in one that names the run's files already, the model alone. None where
    it would be about runs of other models, too."""
    run = context.budget_run
    if run is not None and (run.configs or run.launches):
        along = [other for other in work.runs if other.budget_run is run and other.name != context.run.name]
        return () if _are_others(along, names) else tuple(f"model {name}" for name in names)
    files = tuple(dict.fromkeys(_files(context)))
    for file in files:
        along = [other for other in work.runs if other.name != context.run.name and _has(other, file)]
        if not _are_others(along, names):
            return tuple(f"config {_quoted(file)}; model {name}" for name in names)
    return () if files else tuple(f"model {name}" for name in names)


def _files(context: RunContext) -> Iterator[str]:
    """Those by which a budget may name the run, the usual one first: the script that starts it, or the trainer's file; the one that has its
    model."""
    program, setting = context.program, context.run.settings["model"]
    if program is not None and program.launch is not None:
        yield program.launch.file
    readings = context.run.readings
    yield from (one.document.path for one in readings[:1])
    named = setting.origin.source.path if setting.origin.source is not None else ""
    if named in (context.run.name, *(one.document.path for one in readings)):  # a run may be called by the file that its program opens
        yield named


def _has(run: Collected, file: str) -> bool:
    return any(one.document.path == file for one in run.readings)


def _are_others(runs: Iterable[Collected], names: Sequence[str]) -> bool:
    """Has one of them another model, or one of which that is not known?"""
    said = {str(one.settings.value("model")) for run in runs for one in run.readings if one.settings.value("model")}
    shapes = [shape for name in names if (shape := known_model(name)) is not None]
    return any(one is None or not any(same_shape(one, shape) for shape in shapes) for name in said for one in _meant(name))


def _meant(name: str) -> list[Architecture | None]:
    """What a name is, or suggests; None for one that says nothing."""
    return [known_model(one) for one in (suggested(name) or (name,))]


_BARE = expression(r"[A-Za-z0-9_./+-]+")


def _quoted(path: str) -> str:
    """As a budget takes it: in quotes where anything but letters, digits and the signs of paths stands in it."""
    return path if _BARE.fullmatch(path) else '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _told(answers: Sequence[Estimate], opened: Opened, supposes: Supposed) -> Estimate:
    first = answers[0]
    lacking = tuple(dict.fromkeys(name for one in answers for name in one.missing if not one.forks))
    known = "" if any(one.reason == NOT_MODELLED for one in answers) else "model"
    needs = [one.need for one in answers]
    said = Assumption(f"{supposes.text} is {' or '.join(supposes.models)}, by its name", "model")
    return replace(
        first,
        verdict=Verdict.UNKNOWN,
        missing=(*filter(None, (known,)), *lacking) if lacking else (),
        forks=() if lacking else tuple(_forks(answers, opened, supposes.models)),
        opened=(opened, *first.opened),
        need=first.need if len(needs) == 1 else extremes(first.need.bytes, needs),
        assumptions=(said, *first.assumptions),
        supposes=supposes,
    )


def _forks(answers: Sequence[Estimate], opened: Opened, names: Sequence[str]) -> Iterator[Fork]:
    """On the model; and of one that depends on more, on both."""
    if len(answers) > 1 or not answers[0].forks:
        told = [ForkReading((name,), "its name suggests it", one.need, one.verdict) for name, one in zip(names, answers, strict=True)]
        yield Fork((opened,), (*told, ForkReading((ANOTHER,), "", _UNKNOWN, Verdict.UNKNOWN)))
    for name, one in zip(names, answers, strict=True):
        yield from (_along(fork, opened, name) for fork in one.forks)


def _along(fork: Fork, opened: Opened, name: str) -> Fork:
    told = [replace(reading, values=(name, *reading.values)) for reading in fork.readings]
    other = ForkReading((ANOTHER, *("any" for _ in fork.settings)), "", _UNKNOWN, Verdict.UNKNOWN)
    return Fork((opened, *fork.settings), (*told, other))
