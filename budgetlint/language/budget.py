"""What a budget means: targets, runs, judgements. Built from the tree by `budgetlint.language.resolve`."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from budgetlint.base.finding import Finding
from budgetlint.base.record import field, open_record, record
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.catalog.device import Device
from budgetlint.language.tree import Assert
from budgetlint.settings.run import Origin, Settings, Stack


@record
class DeviceSpec:
    """``device 8x h100-80gb`` or ``device 32GiB``: a catalog row or exact bytes, how many per node, and where it is written.

    ``usable_low``/``usable_high`` are the bytes torch can allocate from (equal for an amount); ``nominal`` the label.
    ``text`` is the name or amount as written; ``amount_unit`` the unit when the device is given by size.
    """

    device: Device | None
    count: int | None
    nominal: int
    usable_low: int
    usable_high: int
    text: str
    origin: Origin
    amount_unit: str = ""


@record
class Reserve:
    """Bytes held back: ``bytes`` or a share of the usable bytes in 1/10^6 (``ppm``)."""

    bytes: int | None
    ppm: int | None
    text: str
    origin: Origin
    unit: str = ""

    def of(self, usable: int) -> int:
        return self.bytes if self.bytes is not None else usable * (self.ppm or 0) // 10**6


@record
class Target:
    """A kind of machine. ``name`` is None for the target that top-level statements describe, and for what a run says itself.

    ``settings`` are the training statements of a ``target`` block: weaker than the run's own, stronger than the top level's.
    ``block`` is where the whole of it stands.
    """

    name: str | None
    device: DeviceSpec | None
    nodes: int | None = None
    reserve: Reserve | None = None
    host_bytes: int | None = None
    host_pinned: int | None = None
    host_origin: Origin | None = None
    nodes_origin: Origin | None = None
    settings: Settings = field(default_factory=Settings)
    block: Location | None = None


@record
class ConfigRef:
    """``config PATH-OR-GLOB [kind=axolotl]``; ``path`` as written, relative to ``base``, the folder of the budget it stands in."""

    path: str
    kind: str
    origin: Origin
    base: str


@record
class LaunchLine:
    """``launch COMMAND…``: the command stands in ``source`` at ``span``; paths in it are relative to the folder of that budget."""

    source: SourceFile
    span: Span
    origin: Origin

    @property
    def text(self) -> str:
        return self.source.text[self.span.start : self.span.end]

    @property
    def takes_configs(self) -> bool:
        """Does ``{config}`` stand in it?"""
        return CONFIG in self.text


@record
class Watch:
    """``watches FILES… seen=sha256:…``; ``seen`` is empty where nobody wrote it yet, and belongs at ``seen_span``."""

    refs: tuple[ConfigRef, ...]
    seen: str
    seen_span: Span
    origin: Origin


CONFIG = "{config}"
"""In a command of a budget: each file of the run's ``config``."""


@record
class KeyPath:
    """Where a value stands in a foreign file: keys and places in lists, with dots between."""

    text: str


@record
class ReadKey:
    """One setting of a ``reads``: ``parts`` are the texts and paths that its value is made of, ``origin`` where the budget says so."""

    name: str
    parts: tuple[str | KeyPath, ...]
    origin: Origin


@record
class Reads:
    """``reads PATH-OR-GLOB { setting=key … }``; ``path`` as written, relative to ``base``, the folder of the budget it stands in."""

    path: str
    base: str
    keys: tuple[ReadKey, ...]
    origin: Origin


@record
class AlsoModel:
    """``also MODEL role=reference``: a further model on the device."""

    model: str
    role: str
    origin: Origin
    precision: str = ""
    offload: bool = False


@record
class Rollout:
    """``rollout vllm share=30%``; where it runs is the setting ``rollout_on``."""

    engine: str
    share_ppm: int | None
    origin: Origin


@record
class RuleLevel:
    """``deny | warn | allow`` of rules or families (``BL2*``). ``level``: error, warning or off."""

    level: str
    pattern: str
    origin: Origin
    reason: str = ""
    until: datetime.date | None = None
    in_files: str = ""
    key: str = ""
    by: str = ""


@record
class Measured:
    """A recorded fact: ``measured peak=11.42GiB device=... torch=... date=... config=sha256:...``."""

    figures: Mapping[str, int]
    facts: Mapping[str, str]
    outcome: str
    origin: Origin


@record
class MatrixCell:
    """One cell of a ``matrix``: setting name to value, and the text ``seq=4096 batch=2``."""

    settings: Settings
    text: str


@open_record
class BudgetRun:
    """One run as the budget describes it. ``settings`` are claims where a config is bound, the truth where none is.

    ``settings`` are ``own`` (the run block) over ``defaults`` (the top level), and what the machine adds where no ``on``
    names another. On a named target, and in a cell, `budgetlint.language.placement.placements` has them merged.
    ``target`` is what the run block itself says about the machine; ``block`` where the whole of it stands.
    """

    name: str | None
    settings: Settings
    origin: Origin
    configs: tuple[ConfigRef, ...] = ()
    launches: tuple[LaunchLine, ...] = ()
    declared: Origin | None = None
    """Where it says that there is no more to it than the budget says."""
    watches: tuple[Watch, ...] = ()
    reads: tuple[Reads, ...] = ()
    on: tuple[str, ...] = ()
    cells: tuple[MatrixCell, ...] = ()
    asserts: tuple[Assert, ...] = ()
    levels: tuple[RuleLevel, ...] = ()
    measured: tuple[Measured, ...] = ()
    also: tuple[AlsoModel, ...] = ()
    rollout: Rollout | None = None
    stack: Stack = field(default_factory=Stack)
    tolerance_ppm: int | None = None
    target: Target | None = None
    own: Settings = field(default_factory=Settings)
    defaults: Settings = field(default_factory=Settings)
    block: Location | None = None


@open_record
class Budget:
    """A parsed budget. ``problems`` are the BL0xx findings; what they broke is left out, the rest is judged."""

    path: str
    runs: tuple[BudgetRun, ...]
    targets: Mapping[str, Target]
    default_target: Target
    levels: tuple[RuleLevel, ...]
    problems: tuple[Finding, ...]
    binds_configs: bool
    names_model: bool
    includes: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
