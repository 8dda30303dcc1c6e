"""LLaMA-Factory's Megatron back end (``USE_MCA``): degrees and precision in Megatron's own keys.

Source: llamafactory 0.9.4 ``hparams/training_args.py`` (McaTrainingArguments of mcore_adapter in the place of the Trainer's).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.base import to_bool, to_count
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Setting

_DEGREES = (
    ("tensor_parallel", "tensor_model_parallel_size"),
    ("pipeline_parallel", "pipeline_model_parallel_size"),
    ("expert_parallel", "expert_model_parallel_size"),
    ("context_parallel", "context_parallel_size"),
)


def mca_settings(look: Lookup) -> Iterator[Setting]:
    """Only files for that back end hold these keys: it keeps 16-bit weights and an fp32 master copy."""
    degrees = [found for name, path in _DEGREES if (found := look.setting(name, to_count, path)) is not None]
    yield from degrees
    if not degrees:
        return
    yield renamed(degrees[0], "model_code", "megatron")
    split = look.setting("sequence_parallel", to_bool, "sequence_parallel")
    yield from [split] if split is not None else []
    half = look.setting("engine_dtype", to_bool, "bf16")
    if half is not None and half.value is True:
        yield renamed(half, "engine_dtype", "bf16")
        yield renamed(half, "weights_dtype", "bf16")
    shared = look.setting("shard", to_bool, "use_distributed_optimizer")
    if shared is not None:
        yield renamed(shared, "shard", "zero1" if shared.value else "ddp")
