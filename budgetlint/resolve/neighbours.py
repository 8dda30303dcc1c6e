"""A config that no command here names, beside others that are started: how those are launched may be how it is, or not.

LLaMA-Factory's, axolotl's and transformers' configs say nothing of processes. Where every command that starts a config of the same format
in the same folder brings a launcher or an engine that shards or multiplies, one device is no longer what is meant by silence: it is one
reading beside that of the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import dirname

from budgetlint.base.record import replace
from budgetlint.resolve.state import Assembly, Collected
from budgetlint.settings.run import Reading, Role, Setting, Settings

_AROUND = (Role.LAUNCHER, Role.ENGINE)
_SHARED = {"devices": 1, "shard": "none"}
"""What a launcher decides, and what it is without one."""


def as_neighbours(work: Assembly, collected: Collected, settings: Settings) -> Iterator[Setting]:
    """``devices`` and ``shard`` of a run that nothing starts, each as that of its neighbours or as one device alone."""
    trainer = next(iter(collected.readings), None)
    if trainer is None or trainer.role is not Role.TRAINER or trainer.document.is_command or trainer.program is not None:
        return
    if any(reading.role in _AROUND or reading.document.is_command for reading in collected.readings):
        return
    if work.neighbours is None:
        work.neighbours = _by_place(work.runs)
    launched = work.neighbours.get((trainer.format, dirname(trainer.document.path)), [])
    if not launched or not all(launched):
        return
    for name, alone in _SHARED.items():
        told = [one for around in launched for reading in around if (one := reading.settings.get(name)) is not None and one.known]
        if name not in settings and len({one.value for one in told}) == 1 and told[0].value != alone:
            shown = f"{told[0].text or told[0].value}, as its neighbours are started, or {alone}"
            yield replace(told[0], value=None, text=shown, state="symbolic", readings=(told[0].value, alone))


def _by_place(runs: Iterable[Collected]) -> dict[tuple[str, str], list[tuple[Reading, ...]]]:
    """By format and folder of a config, launcher and engine of each run that a command starts with it."""
    found: dict[tuple[str, str], list[tuple[Reading, ...]]] = {}
    for run in runs:
        if any(one.document.is_command for one in run.readings):
            around = tuple(one for one in run.readings if one.role in _AROUND)
            for one in run.readings:
                if one.role is Role.TRAINER and not one.document.is_command:
                    found.setdefault((one.format, dirname(one.document.path)), []).append(around)
    return found
