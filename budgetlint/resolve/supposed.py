"""The answer for a run whose model is known by what its name suggests: it depends on whether that is true.

It is judged as if it were so, once for each model that the name suggests. No verdict comes of it: neither that it fits nor that it does
not, and no reading speaks for what the folder may hold otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.memory.estimate import ANOTHER, NOT_MODELLED, Estimate, Fork, ForkReading, Opened, Range, Supposed, Verdict
from budgetlint.memory.notes import Assumption
from budgetlint.resolve.fork_table import extremes
from budgetlint.resolve.state import Assembly
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
    lines = () if _is_shared(work, context) else tuple(settling(context, name) for name in names)
    supposes = Supposed(str(setting.value), tuple(names), lines)
    opened = Opened("model", setting.origin.location, str(setting.value))
    return replace(context, supposed=_told(answers, opened, supposes))


def settling(context: RunContext, name: str) -> str:
    """The line of a budget that says what the model is: in one that names the run's files already, the model alone."""
    run, said = context.budget_run, f"model {name}"
    if run is not None and (run.configs or run.launches):
        return said
    file = _file(context)
    return f"config {_quoted(file)}; {said}" if file else said


def _file(context: RunContext) -> str:
    """The one by which a budget names the run."""
    program = context.program
    started = program.launch.file if program is not None and program.launch is not None else ""
    return started or (context.run.readings[0].document.path if context.run.readings else "")


def _is_shared(work: Assembly, context: RunContext) -> bool:
    """Would a line that says the model say it of another run, too, that has another?"""
    file, run, mine = _file(context), context.budget_run, context.run.settings.value("model")
    for other in work.runs:
        along = any(one.document.path == file for one in other.readings) or (
            run is not None and bool(run.configs) and other.budget_run is run
        )
        models = {one.settings.value("model") for one in other.readings} - {None}
        if along and other.name != context.run.name and models and mine not in models:
            return True
    return False


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
