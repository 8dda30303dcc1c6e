"""FSDP that a program wraps its model in by itself."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.choices import alternatives
from budgetlint.program.sinks import Sink
from budgetlint.program.values import External, Known, Opaque, Value

_STRATEGIES = ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "_HYBRID_SHARD_ZERO2")
"""torch 2.13 ``distributed/fsdp/api.py`` ShardingStrategy; None is FULL_SHARD (``_init_utils.py`` _init_core_state)."""


def sharded(sinks: Sequence[Sink]) -> dict[str, Value]:
    """Which FSDP it is and what it shares out, where all calls agree."""
    made = [one for one in sinks if one.kind == "fsdp"]
    if not made:
        return {}
    names = {"fsdp2" if one.name.endswith("fully_shard") else "fsdp" for one in made}
    ways = {_strategy(way.value) for one in made for way in alternatives(_given(one))}
    if len(names) > 1 or all(one.may_be_skipped for one in made) or len(ways) > 1 or "" in ways:
        return {"shard": Opaque("FSDP, in a way of its own")}
    found: dict[str, Value] = {"shard": Known(names.pop())}
    strategy = ways.pop()
    given = next((one for one in map(_given, made) if strategy != "None"), None)
    return found | ({"shard_strategy": Known(strategy.lstrip("_"), given.origins)} if given is not None else {})


def _given(one: Sink) -> Value:
    """What is not given is None, unless a dictionary that is not known is poured in."""
    given = one.get("sharding_strategy")
    return given if given is not None else one.rest if one.rest is not None else Known(None)


def _strategy(value: Value) -> str:
    """The name of a member, ``None``, or empty for what is not known."""
    if isinstance(value, Known) and value.value is None:
        return "None"
    owner, _, last = value.name.rpartition(".") if isinstance(value, External) else ("", "", "")
    return last if owner.endswith("ShardingStrategy") and last in _STRATEGIES else ""
