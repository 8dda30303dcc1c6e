"""Which attention Megatron runs where no flag names it: its own keeps the scores, Transformer Engine's does not.

Sources: Megatron-LM 2.x and 3.0 ``megatron/model/transformer.py`` CoreAttention, and megatron-core 0.15.0
``transformer/dot_product_attention.py`` (``baddbmm``, softmax, dropout: every score is kept, unless ``recompute_granularity: selective``);
``arguments.py`` ``--transformer-impl``: ``local`` in Megatron-LM 3.0, ``transformer_engine`` in core 0.7.0 and newer. Forks of before
have no such flag; Megatron-DeepSpeed has ``--use-flash-attn-v1``, ``-v2`` and ``-triton``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.readers.base import default, names, unsettled
from budgetlint.readers.lookup import Lookup
from budgetlint.settings.run import Setting, Settings, Stack

_OLD = names(
    """checkpoint_activations checkpoint_num_layers activations_checkpoint_method activations_checkpoint_num_layers DDP_impl
    model_parallel_size batch_size deepspeed deepspeed_config zero_stage"""
)
"""Flags that are gone since Transformer Engine became the default, and those of Megatron-DeepSpeed, which has none of it."""
_NEW = names("""use_mcore_models use_legacy_models fp8_format moe_grouped_gemm""")
"""Flags under which Transformer Engine's layers run unless ``--transformer-impl local`` says otherwise."""
_IMPLEMENTATIONS = {"local": "eager", "transformer_engine": "flash"}


def read_attention(look: Lookup) -> Iterator[Setting]:
    """The attention that the layers of a run imply. ``flash`` stands for every kernel that keeps no scores."""
    named = look.raw("transformer_impl")
    word = _IMPLEMENTATIONS.get(named.text) if named is not None else None
    marks = (
        (next((raw for key in sorted(keys) if (raw := look.raw(key)) is not None), None), to)
        for keys, to in ((_OLD, "eager"), (_NEW, "flash"))
    )
    told = [(named, word)] if named is not None and word is not None else [(raw, to) for raw, to in marks if raw is not None]
    for raw, attention in told[:1]:
        origin = replace(raw.origin, note="layers of before Transformer Engine keep their scores" if attention == "eager" else "")
        yield Setting("attention", attention, origin, raw.text)


def attention_default(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """Transformer Engine's from core 0.7 on; both, the newest first, where neither a version nor a flag tells."""
    if "attention" in settings:
        return
    if stack.at_least("megatron-core", "0.7"):
        yield default("attention", "flash", "Megatron-LM --transformer-impl: transformer_engine since core 0.7")
    else:
        yield unsettled("attention", ("flash", "eager"), "Megatron-LM --transformer-impl: transformer_engine since core 0.7, local before")
