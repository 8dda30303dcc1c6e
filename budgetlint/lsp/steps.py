"""What one step more or less of a setting would change, estimated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.base.record import record
from budgetlint.settings.run import Setting
from budgetlint.settings.vocabulary import SETTINGS
from budgetlint.solve.whatif import Bench

BY_ONE = frozenset({"micro_batch", "grad_accum", "eval_batch", "recompute_every"})
DOUBLED = frozenset({"seq_len", "lora_r", "devices", "devices_per_node", "nodes", "completion_len", "rollout_batch"})
DOUBLED_PARALLEL = frozenset({"tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel"})
CHOICES = {
    "recompute": ("none", "selective", "full"),
    "loss": ("full", "chunked", "fused"),
    "attention": ("eager", "sdpa", "flash"),
    "quant": ("none", "nf4", "int8"),
    "shard": ("ddp", "zero1", "zero2", "zero3", "fsdp"),
    "optimizer": ("adamw", "adamw8bit", "adafactor", "sgd"),
}
"""What people choose between; a value that is none of these has no steps."""

MOST = 4


@record
class AlternativeNeed:
    """The need with another value, and how much more or less that is than now."""

    value: Any
    need: int
    change: int


def steps(bench: Bench, setting: Setting) -> Iterator[AlternativeNeed]:
    """The nearest other values, where the run can be estimated with them."""
    now = bench.context.estimate
    if now is None or not setting.known:
        return
    for value in list(_others(setting))[:MOST]:
        then = bench.with_settings({setting.name: value})
        if set(then.missing) <= set(now.missing) and now.params is not None:
            yield AlternativeNeed(value, then.need.bytes, then.need.bytes - now.need.bytes)


def _others(setting: Setting) -> Iterator[Any]:
    name, value = setting.name, setting.value
    if name in CHOICES:
        if value in CHOICES[name]:
            yield from (choice for choice in CHOICES[name] if choice != value)
    elif SETTINGS[name].kind == "bool":
        yield not value
    elif type(value) is int and name in BY_ONE:
        yield from (other for other in (value - 1, value + 1) if other >= 1)
    elif type(value) is int and name in DOUBLED | DOUBLED_PARALLEL:
        yield from (other for other in (value // 2, value * 2) if other >= 1)
