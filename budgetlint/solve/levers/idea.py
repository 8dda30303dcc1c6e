"""One thing that could be changed about a run, before anybody has estimated what it brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from budgetlint.base.record import field, record
from budgetlint.memory.plan import Plan
from budgetlint.solve.whatif import Bench


@record
class Idea:
    """``name`` is the lever: of several ideas of one name the first that fits is taken (a batch of 4, else of 2). ``bucket`` is what
    it works on; levers on one bucket are not combined. ``settings`` are what it changes, ``plan`` what no setting says.
    ``rank`` orders by what it costs the user, the least first; ``last``: it changes what is trained, and stands at the end.
    ``cost`` is in time or quality, ``source`` who says so."""

    name: str
    bucket: str
    title: str
    rank: int
    cost: str
    source: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: Callable[[Plan], Plan] | None = None
    last: bool = False
    apart: bool = False
    """It shrinks everything on its bucket, what other levers leave of it too: combined with them where nothing else helps."""


@record
class Situation:
    """What the levers look at. ``longest``: the sequence length that fits as the run is."""

    bench: Bench
    plan: Plan
    longest: int | None = None

    def value(self, name: str, default: Any = None) -> Any:
        return self.bench.settings.value(name, default)

    @property
    def formats(self) -> frozenset[str]:
        """Of the run's documents; a run that only a budget describes has none."""
        return frozenset(reading.format for reading in self.bench.context.run.readings)

    @property
    def by_budget(self) -> bool:
        return not self.bench.context.run.readings

    @property
    def hugging_face(self) -> bool:
        """transformers' own model code runs, under its Trainer or under a loop that a budget leaves open."""
        return self.bench.context.run.stack.model_code == "transformers" and self.plan.model_code == "transformers"

    @property
    def devices(self) -> int:
        return int(self.value("devices", 1) or 1)

    @property
    def decoder(self) -> bool:
        return self.plan.arch.kind == "decoder"

    @property
    def bf16(self) -> bool:
        """The device computes in bfloat16, as far as is known."""
        return self.plan.device is None or self.plan.device.bf16 is not False

    @property
    def flash(self) -> bool:
        """FlashAttention 2 runs on compute capability 8.0 and later (flash-attn README)."""
        device = self.plan.device
        return device is None or (device.compute_capability is not None and device.compute_capability >= (8, 0))
