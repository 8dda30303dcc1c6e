"""Which measured lines are about a run, and whether they still hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from budgetlint.base.record import record
from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import find_device
from budgetlint.language.budget import Measured
from budgetlint.language.statements import setting_paths
from budgetlint.measured.digest import same, settings_hash
from budgetlint.settings.run import Run, Setting

FACTS = frozenset({"run", "target", "metric", "phase", "device", "torch", "driver", "date", "config"})
"""Facts of a line that are no settings."""


class State(Enum):
    """``UNDATED``: the line names no hash, so nobody can tell; it is taken at its word."""

    FRESH = "fresh"
    UNDATED = "undated"
    CHANGED = "the settings changed"
    OTHER_TORCH = "another torch"


@record
class Line:
    """A measured line that is about this run. ``device`` is the card it was seen on, None where that is not said or not known."""

    measured: Measured
    state: State
    device: Device | None
    why: str = ""

    @property
    def holds(self) -> bool:
        return self.state in (State.FRESH, State.UNDATED)


def lines_of(run: Run, target: str | None, written: Iterable[Measured]) -> tuple[Line, ...]:
    """The lines about a run on a target. One that is stale where a line of the same kind still holds is left out: it was replaced."""
    mine = [line for line in written if _is_about(line, run, target)]
    found = [_line(run, measured) for measured in mine] if mine else []
    fresh = {_place(line) for line in found if line.state is State.FRESH}
    return tuple(line for line in found if line.holds or _place(line) not in fresh)


def _place(line: Line) -> tuple[str, str]:
    return line.measured.facts.get("device", ""), line.measured.facts.get("phase", "")


def _is_about(line: Measured, run: Run, target: str | None) -> bool:
    facts = line.facts
    if facts.get("run", run.name) != run.name or facts.get("target", target) != target:
        return False
    return all(_agrees(run, name, text) for name, text in facts.items() if name not in FACTS)


def _agrees(run: Run, path: str, text: str) -> bool:
    """Is the run's setting what the line says (``seq=4096``)?"""
    setting = run.settings.get(setting_paths()[path][0])
    return setting is not None and text in _spellings(setting)


def _spellings(setting: Setting) -> Iterator[str]:
    yield str(setting.value)
    yield setting.text
    if isinstance(setting.value, bool):
        yield "on" if setting.value else "off"


def _line(run: Run, measured: Measured) -> Line:
    device = find_device(measured.facts.get("device", ""))
    state, why = _state(run, measured)
    return Line(measured, state, device if isinstance(device, Device) else None, why)


def _state(run: Run, measured: Measured) -> tuple[State, str]:
    recorded = measured.facts.get("config", "")
    if not recorded:
        return State.UNDATED, ""
    now = settings_hash(run.settings, run.stack.model_code)
    if not same(recorded, now):
        return State.CHANGED, f"it is of the settings {recorded}, the run has {now}"
    torch, release = measured.facts.get("torch", ""), run.stack.releases.get("torch")
    if torch and release is not None and release.exact and release.low is not None and _minor(torch) != _minor(str(release.low)):
        return State.OTHER_TORCH, f"it was seen with torch {torch}, the run uses {release.low}"
    return State.FRESH, ""


def _minor(version: str) -> tuple[str, ...]:
    """What decides which kernels and allocator rules run: ``2.13`` of ``2.13.0``."""
    return tuple(version.split(".")[:2])
