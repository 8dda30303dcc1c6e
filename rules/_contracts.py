"""Which contract a run is held to, and its refusals as findings: what `framework_refuses` and `framework_warns` share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from budgetlint.base.record import replace
from budgetlint.rule import (
    PYTHON,
    Confidence,
    Entry,
    Finding,
    Mapping,
    Reading,
    RunContext,
    Setting,
    Severity,
    argument_entries,
    may_hide_arguments,
    written_by,
    written_in,
)

from ._contract_names import ENGINES, SECTIONS, composed_of_own, named

if TYPE_CHECKING:
    from budgetlint.contracts.held import HeldRun, Refusal
    from budgetlint.contracts.table import Contract

NOT_WARNED = [("verl", {"algorithm.adv_estimator"})]
"""Warnings that follow from a choice and not from a mistake: verl says of each run without a critic that it has none."""


def held(run: RunContext) -> Iterator[tuple[HeldRun, tuple[str, ...]]]:
    """The run beside each contract that it is held to, with the names that it writes; none where no contract was read."""
    trainer = run.run.trainer
    if trainer is None:
        return
    dotted = named(run)
    if dotted:
        yield from _arguments(run, dotted)
    if trainer.format in PYTHON:
        yield from _sections(run)
    for reading in run.run.readings:
        if reading.format in ENGINES and (trainer.program is not None or _is_known(trainer)):
            yield from _engine(run, reading)


def _engine(run: RunContext, reading: Reading) -> Iterator[tuple[HeldRun, tuple[str, ...]]]:
    """An engine's file. Trainers fill in what it leaves out and what it calls ``auto``: nothing has a default."""
    from budgetlint.contracts.held import HeldRun
    from budgetlint.contracts.table import find

    contract = find(ENGINES[reading.format])
    if contract is not None:
        written = dict.fromkeys(_written(argument_entries(reading), contract))
        yield HeldRun(contract, partial(written_in, reading), run.run.stack, False), tuple(written)


def _is_known(trainer: Reading) -> bool:
    """Is the program that reads the trainer's file known?"""
    return trainer.consumer is not None and not trainer.consumer.is_nobody and trainer.consumer.followed


def _arguments(run: RunContext, dotted: str) -> Iterator[tuple[HeldRun, tuple[str, ...]]]:
    from budgetlint.contracts.held import HeldRun
    from budgetlint.contracts.table import find

    contract, trainer = find(dotted), run.run.trainer
    if contract is None or trainer is None:
        return
    blocks = [argument_entries(one) for one in run.run.readings if one.role is trainer.role]
    written = dict.fromkeys(name for entries in blocks for name in _written(entries, contract))
    if trainer.format in PYTHON:
        closed = trainer.program is not None and not may_hide_arguments(trainer)
    else:
        closed = _is_known(trainer) and composed_of_own(run)
    devices = run.setting("devices")
    facts: dict[str, Any] = {"world_size": devices.value} if devices is not None and devices.known else {}
    yield HeldRun(contract, lambda name: written_by(run, name), run.run.stack, closed, facts), tuple(written)


def _written(entries: tuple[Entry, ...], contract: Contract, above: str = "") -> Iterator[str]:
    """Names that are written: keys, or the paths of a config that is a tree."""
    for entry in entries:
        name = f"{above}.{entry.key.text}" if above else entry.key.text
        if contract.dotted and isinstance(entry.value, Mapping) and name not in contract.specs:
            yield from _written(entry.value.entries, contract, name)
        else:
            yield name


def _sections(run: RunContext) -> Iterator[tuple[HeldRun, tuple[str, ...]]]:
    """Other objects that a script makes, wherever they are handed to: adapters."""
    from budgetlint.contracts.held import HeldRun
    from budgetlint.contracts.table import find
    from budgetlint.readers.python_script.classes import is_partial  # most files are no scripts

    trainer = run.run.trainer
    if trainer is None or trainer.document.mapping is None:
        return
    for path, name, block in _made(trainer.document.mapping):
        contract = find(SECTIONS[name])
        if contract is not None:
            closed = trainer.program is not None and not is_partial(block)
            yield HeldRun(contract, partial(_given, trainer, path), run.run.stack, closed), tuple(one.key.text for one in block.entries)


def _made(block: Mapping, path: str = "") -> Iterator[tuple[str, str, Mapping]]:
    """Calls of known classes with their dotted paths: ``SFTTrainer.peft_config``, ``LoraConfig``."""
    for entry in block.entries:
        if isinstance(entry.value, Mapping):
            below = f"{path}.{entry.key.text}" if path else entry.key.text
            name = entry.value.tag.removesuffix("?").rpartition(".")[2]
            if name in SECTIONS:
                yield below, name, entry.value
            yield from _made(entry.value, below)


def _given(reading: Reading, section: str, name: str) -> Setting | None:
    found = written_in(reading, f"{section}.{name}")
    return replace(found, name=name) if found is not None else None


def findings(run: RunContext, warns: bool) -> Iterator[Finding]:
    """One finding for each row that holds; what follows from a value that is refused already is not told."""
    for one, written in held(run):
        yield from _of_contract(run, one, written, warns)


def _of_contract(run: RunContext, one: HeldRun, written: tuple[str, ...], warns: bool) -> Iterator[Finding]:
    refused: set[str] = set()
    for refusal in one.refusals(written):
        names = {name for name, _, setting in refusal.named if setting is not None}
        if (
            refusal.row.warns is not warns
            or names & refused
            or (warns and (len(names) < 2 or (refusal.contract.package, names) in NOT_WARNED or _older(run, refusal)))
            or not _certain(run, refusal)
        ):
            continue
        if refusal.row.ends in ("choice", "bound", "type"):
            refused |= names
        yield _finding(run, refusal)


def _certain(run: RunContext, refusal: Refusal) -> bool:
    """Where the release is known and does not surely refuse, nothing is told; where it is not, what the newest refuses is."""
    if not refusal.others:
        return True
    return refusal.contract.package not in run.run.stack.releases and refusal.contract.releases[-1] in refusal.releases


def _finding(run: RunContext, refusal: Refusal) -> Finding:
    from budgetlint.contracts.words import shown

    settings = [setting for _, _, setting in refusal.named if setting is not None]
    partly = bool(refusal.others) or _older(run, refusal)
    return run.finding(
        settings[0],
        f"{settings[0].name} {shown(_plain(settings[0]))}: {_what(refusal, settings)}{_ends(refusal, partly)}",
        help=_help(refusal, settings),
        because=settings[1:],
        severity=None if not partly else Severity.INFO if refusal.row.warns else Severity.WARNING,
        confidence=Confidence.MEDIUM if partly else None,
        key=settings[0].name,
    )


def _older(run: RunContext, refusal: Refusal) -> bool:
    """Only releases before the newest know what is written, and nothing tells which it is: perhaps one before all that were read."""
    return refusal.contract.package not in run.run.stack.releases and refusal.contract.releases[-1] not in refusal.releases


def _plain(setting: Setting) -> Any:
    return setting.value if isinstance(setting.value, (bool, int, float, str, type(None))) else setting.shown


def _what(refusal: Refusal, settings: list[Setting]) -> str:
    """``TrainingArguments refuses it where eval_strategy is no (by default)``."""
    from budgetlint.contracts.words import choices, clauses, fields_in, kind_of, listed

    name, verb = refusal.contract.name, "warns of it" if refusal.row.warns else "refuses it"
    if refusal.row.ends == "type":
        return f"{name} takes no {kind_of(next(value for _, value, _ in refusal.named))} here"
    taken = choices(refusal.row.tree, settings[0].name)
    if taken and len(settings) == 1 and not refusal.row.warns:
        return f"{name} takes only {listed(taken)}"
    if _whatever(refusal):
        return f"{name} refuses it, whatever it is"
    said = clauses(refusal.row.tree)
    if not said:
        return f"{name} {verb} together with {_values(refusal, settings)}" if len(refusal.named) > 1 else f"{name} {verb}"
    names = [field for field, _, _ in refusal.named]
    own = [clause for clause in said if set(fields_in(clause, names)) == {settings[0].name}]
    rest = [clause for clause in said if clause not in own]
    if not rest:
        return f"{name} {verb} where {' and '.join(own)}"
    if len(rest) == 1 and rest[0].startswith("("):
        rest = [rest[0][1:-1]]
    by_default = {f"{field} is {value}" for field, value in _defaults(refusal) if value != "null"}
    rest = [f"{clause} (by default)" if clause in by_default else clause for clause in rest]
    told = listed([one for one in sorted(by_default) if f"{one} (by default)" not in rest], "and")
    return f"{name} {verb} where {' and '.join(rest)}{f' (by default {told})' if told else ''}"


def _whatever(refusal: Refusal) -> bool:
    """Is it refused that the field is written at all?"""
    return not refusal.row.warns and refusal.row.when == f"{refusal.named[0][0]} is not None"


def _defaults(refusal: Refusal) -> list[tuple[str, str]]:
    from budgetlint.contracts.expression import UNKNOWN
    from budgetlint.contracts.words import shown

    return [(field, shown(value)) for field, value, setting in refusal.named if setting is None and value is not UNKNOWN]


def _values(refusal: Refusal, settings: list[Setting]) -> str:
    from budgetlint.contracts.words import listed, shown

    others = [f"{one.name} {shown(_plain(one))}" for one in settings[1:]]
    return listed([*others, *(f"{field} {value} (by default)" for field, value in _defaults(refusal))], "and")


def _ends(refusal: Refusal, partly: bool) -> str:
    with_release = f" with {refusal.contract.package} {refusal.releases[0]}" if partly else ""
    with_release += f" (not with {refusal.others[-1]})" if refusal.others else ""
    ends = {"trainer": ", and the run stops when it makes the trainer"}.get(refusal.row.stage, ", and the run stops at start")
    return f"{'' if refusal.row.warns else ends}{with_release} ({refusal.source})"


def _help(refusal: Refusal, settings: list[Setting]) -> str:
    from difflib import get_close_matches

    from budgetlint.contracts.words import choices, listed

    if _whatever(refusal):
        return f"delete {settings[0].name}"
    taken = choices(refusal.row.tree, settings[0].name)
    if taken:
        near = get_close_matches(str(settings[0].shown), taken, 1)
        return f"write {settings[0].name}: {near[0]}" if near else f"{settings[0].name} is one of {listed(taken)}"
    return f"change {listed(one.name for one in settings)}"
