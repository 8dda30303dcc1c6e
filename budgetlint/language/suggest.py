"""What somebody may have meant: the other tools' name of a thing before a name that is spelled alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from budgetlint.base.suggest import near_names
from budgetlint.language.slots import Slot, StatementSpec
from budgetlint.language.statements import STATEMENTS

VALUE_SYNONYMS: Mapping[str, str] = {
    "bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32", "amp": "bf16-autocast",
    "mixed": "bf16", "bf16-mixed": "bf16-autocast", "16-mixed": "fp16-autocast", "bf16-true": "bf16-pure",
    "4bit": "nf4", "8bit": "int8", "bnb": "nf4", "bitsandbytes": "nf4", "llm.int8": "int8",
    "flash_attention_2": "flash", "flash_attention": "flash", "flash-attention": "flash", "flash_attention_3": "flash",
    "fa2": "flash", "fa3": "flash", "flash2": "flash", "flash_attn": "flash", "flex_attention": "flex",
    "xformers": "sdpa", "math": "eager", "torch": "sdpa", "unsloth": "full", "block": "full", "nothing": "none",
    "no": "none", "off": "none", "null": "none", "false": "none", "disabled": "none", "true": "on", "yes": "on",
    "True": "on", "False": "off", "enabled": "on", "1": "on", "0": "off", "liger": "fused", "cce": "fused",
    "chunked_nll": "chunked", "nll": "full", "cross_entropy": "full", "stage1": "zero1", "stage2": "zero2",
    "stage3": "zero3", "zero-1": "zero1", "zero-2": "zero2", "zero-3": "zero3", "zero_3": "zero3", "zero_2": "zero2",
    "deepspeed": "zero2", "full_shard": "full", "shard_grad_op": "grad-op", "grad_op": "grad-op",
    "hybrid_shard": "hsdp", "fsdp1": "fsdp", "ref": "reference", "rm": "reward", "value": "critic", "layers": "layer",
    "transformer": "layer", "transformer_based_wrap": "layer", "size_based_wrap": "size", "parameters": "params",
    "param": "params", "optim": "optimizer", "optimizer_state": "optimizer",
}  # fmt: skip
"""Words that trainers use where a choice stands; only taken when the word on the right is one of the choices there."""


SUGGESTED = 500
"""Names that a misspelt one is held against: a budget may define thousands, and each comparison takes 10 to 100 microseconds."""


def nearest(text: str, names: Iterable[str]) -> str:
    """The name that is spelled most alike, or nothing. Long texts are no misspelt names."""
    return next(iter(near_names(text, islice(names, SUGGESTED), alike=0.7, longest=60)), "")


def statement_meant(word: str) -> str:
    """The keyword that was meant by an unknown one."""
    bare = word.rstrip(":").lower().replace("-", "_")
    if bare in STATEMENTS:
        return bare
    for spec in STATEMENTS.values():
        if bare in spec.synonyms:
            return spec.keyword
    return nearest(bare, STATEMENTS)


def option_meant(key: str, spec: StatementSpec) -> str:
    """The option of this statement that was meant by an unknown key."""
    bare = key.lower().replace("-", "_")
    for option in spec.options:
        if bare == option.name or bare in option.synonyms:
            return option.name
    return nearest(bare, [option.name for option in spec.options])


def owner_of(key: str) -> str:
    """Another statement that has this as its option or is meant by it: ``seq`` for ``max_length``."""
    bare = key.lower()
    if bare in STATEMENTS:
        return bare
    for spec in STATEMENTS.values():
        if bare in spec.synonyms:
            return spec.keyword
    return ""


def choice_meant(text: str, slot: Slot) -> str:
    """The choice that was meant by a word that is none."""
    lowered = text.lower()
    if lowered in ("true", "on", "yes", "1") and "full" in slot.choices:
        return "full"
    for meant in (lowered, VALUE_SYNONYMS.get(text, ""), VALUE_SYNONYMS.get(lowered, ""), lowered.replace("_", "-")):
        if meant in slot.choices:
            return meant
    return nearest(text, slot.choices)
