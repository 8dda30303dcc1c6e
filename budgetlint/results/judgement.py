"""What `budgetlint.judge` answers: plain values only, for launchers that keep them, print them or send them on."""

from __future__ import annotations

from budgetlint.base.record import record

VERSION = 1
"""Of these records: fields may be added, never renamed."""


@record
class Remark:
    """One finding. ``setting`` is the setting that it is about, empty where it is about several or none; ``severity`` is ``error``,
    ``warning`` or ``info``."""

    code: str
    name: str
    severity: str
    message: str
    help: str
    setting: str
    runs: tuple[str, ...]


@record
class JudgedRun:
    """One run on one target. ``verdict``: ``fits``, ``tight``, ``does-not-fit`` or ``unknown``, ``reason`` why it is unknown. Bytes are
    exact; ``need_bytes`` and ``need_high`` are None where nothing bounds the need, ``limit_bytes`` where no device is stated. ``missing``
    names what nobody stated, ``stops`` the findings for which the run does not start, whatever it would need."""

    name: str
    target: str | None
    verdict: str
    reason: str | None
    need_bytes: int | None
    need_low: int | None
    need_high: int | None
    limit_bytes: int | None
    missing: tuple[str, ...]
    stops: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return self.verdict == "fits" and not self.stops


@record
class Judgement:
    """Every run, and what is wrong with it. ``crashes`` are bugs of budgetlint or of a plugin, a line each; the rest is judged."""

    runs: tuple[JudgedRun, ...]
    remarks: tuple[Remark, ...]
    crashes: tuple[str, ...] = ()
    version: int = VERSION

    @property
    def ok(self) -> bool:
        """Every run fits, starts, and no finding is an error: what a launcher may go on with."""
        return bool(self.runs) and all(run.fits for run in self.runs) and not self.errors and not self.crashes

    @property
    def errors(self) -> tuple[Remark, ...]:
        return tuple(remark for remark in self.remarks if remark.severity == "error")
