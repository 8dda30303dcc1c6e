"""How torchtitan splits a run. Source: torchtitan 0.2.0 ``distributed/parallel_dims.py``, ``models/llama3/infra/parallelize.py``.

FSDP2 where a shard or context degree is more than 1, DDP where only replicas are, else neither; -1 takes the ranks that are left.
"""

from __future__ import annotations

from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_SHARDS = ("parallelism.data_parallel_shard_degree", "training.data_parallel_shard_degree", "training.data_parallel_degree")
_REPLICAS = ("parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree")
_OTHERS = (
    ("parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"),
    ("parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree"),
    ("parallelism.context_parallel_degree", "experimental.context_parallel_degree"),
)
_POLICY = "parallelism.fsdp_reshard_after_forward"


def shard_settings(view: View) -> list[Setting]:
    path = view.first(*_SHARDS)
    replicas = _degree(view, _REPLICAS, 1)
    if not path:
        return []
    if _degree(view, _SHARDS, -1) == 1 and _degree(view, _OTHERS[2], 1) == 1:
        kind = "ddp" if replicas > 1 else "none"
        return [view.setting("shard", kind, path, f"replicas {replicas}, shards 1"), *_devices(view, path)]
    if view.word("training.data_parallel_type") == "ddp":
        return [view.setting("shard", "ddp", "training.data_parallel_type")]
    where = view.first(*_REPLICAS)
    rows = (("shard_strategy", "hybrid"), ("shard_replicas", replicas)) if replicas > 1 else ()
    hybrid = [view.setting(name, value, where) for name, value in rows]
    return [view.setting("shard", "fsdp2", path), *hybrid, *_reshard(view), *_devices(view, path)]


def _reshard(view: View) -> list[Setting]:
    """``default`` reshards, except under pipeline parallelism."""
    if not view.first(_POLICY):
        return []
    word = view.word(_POLICY)
    value = word == "always" or (word == "default" and _degree(view, _OTHERS[1], 1) == 1)
    return [view.setting("reshard_after_forward", value, _POLICY)]


def _devices(view: View, path: str) -> list[Setting]:
    """The product of the degrees, where none is left open. Overrides alone do not hold them all."""
    shards = _degree(view, _SHARDS, -1)
    if shards < 1 or view.document.is_command:
        return []
    product = shards * _degree(view, _REPLICAS, 1)
    for names in _OTHERS:
        product *= _degree(view, names, 1)
    return [view.setting("devices", product, path, f"{product}: product of the degrees")]


def _degree(view: View, paths: tuple[str, ...], otherwise: int) -> int:
    value = view.value(view.first(*paths)) if view.first(*paths) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
