"""Is every batch as long as the length that is written, or is that only a limit, which no row of the data need reach?

Filled are batches of joined texts (packing, blocks, pretraining) and padded ones, what a budget says of the workload itself, and what an RL
trainer lets its model write. Every other length is where longer rows are cut: a batch is as long as its longest row (transformers
``DataCollatorForSeq2Seq`` and ``DataCollatorWithPadding``, ``padding=True``), and the data, which nobody here has seen, decides.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.memory.plan import Plan
from budgetlint.memory.roles import ROLLOUTS
from budgetlint.settings.run import SAID, Settings

BLOCKS = ("block_size",)
"""Keys of a length that all texts are joined and cut to (transformers ``run_clm.py`` group_texts)."""

SHORT, PART = 128, 4
"""Rows that any data may have: a quarter of the limit, and no more than single questions and tweets have. Below the same length
`resolve.ladders` sees no workload: what does not fit there fits nobody, what only longer rows make too large the data decides."""


def joins(settings: Settings) -> bool:
    """Packed, padded or cut into blocks: every batch is as long as the length."""
    length = settings.get("seq_len")
    block = length is not None and length.origin.key.rpartition(".")[2] in BLOCKS
    return bool(settings.value("packing") or settings.value("pad_to_seq_len") or block or settings.value("task") == "pretrain")


def is_a_cap(settings: Settings) -> bool:
    """A file, a flag or a default says the length, and shorter samples make shorter batches; a budget's ``seq`` is the workload itself."""
    length = settings.get("seq_len")
    return length is not None and length.known and length.origin.kind not in SAID and not joins(settings)


def is_limit(settings: Settings) -> bool:
    """As `is_a_cap`, save of what a model writes itself, which one that is not trained yet may well write up to it."""
    return is_a_cap(settings) and settings.value("task") not in ROLLOUTS and not settings.value("completion_len")


def short_of(limit: int) -> int:
    """The length of short rows under a limit."""
    return max(1, min(limit // PART, SHORT))


def with_rows(plan: Plan, tokens: int) -> Plan:
    """The plan with rows of at most so many tokens, where its own length is only a limit: sources and targets, and the images in them."""
    if not plan.seq_is_limit or plan.seq is None:
        return plan
    source = min(plan.source, tokens) if plan.source and plan.arch.kind == "encoder-decoder" else plan.source
    shorter = replace(plan, seq=min(plan.seq, tokens), source=source)
    if plan.vision is None or not plan.vision.patches:
        return shorter
    return replace(shorter, vision=replace(plan.vision, patches=max(1, plan.vision.patches * tokens // max(plan.seq, tokens))))
