"""open-instruct's programs over OLMo-core: ``olmo_core_finetune.py`` and ``dpo.py``. Their flags are those of the family; what trains
is OLMo-core's FSDP, not accelerate.

Sources: open-instruct ``open_instruct/olmo_core_finetune.py`` (0066d1e: HSDP over machines, FSDP within, parameters gathered in bf16,
reduced in fp32, SkipStepAdamW), ``dpo.py`` (016861c: weights in bf16, torch's AdamW, reference log probabilities from a cache),
``olmo_core_utils.py`` build_ac_config (checkpointing by a memory budget below 1 where the model is compiled, or by modules).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from budgetlint.documents import Document
from budgetlint.readers.base import Key, read_keys, to_bool, to_count, to_float, to_int
from budgetlint.readers.lookup import Lookup
from budgetlint.settings.run import Origin, OriginKind, Setting

_TASKS = {"olmo_core_finetune.py": "sft", "dpo.py": "dpo"}
_KEYS = (
    Key("num_epochs", "num_epochs", to_float),
    Key("max_train_steps", "max_steps", to_int),
    Key("cp_degree", "context_parallel", to_count),
    Key("context_parallel_degree", "context_parallel", to_count),
    Key("tensor_parallel_degree", "tensor_parallel", to_count),
    Key("compile_model", "compile", to_bool),
)
_EITHER: tuple[tuple[str, Any], ...] = (
    ("shard", "fsdp2"),
    ("wrap", "layer"),
    ("model_code", "olmo-core"),
    ("autocast", "bf16"),
    ("offload_params", "none"),
    ("offload_optimizer", "none"),
)
_BACKENDS = {"flash_2": "flash", "flash_3": "flash", "flash_4": "flash", "torch": "sdpa"}
_ENDS = ("full", "none")
_OF: dict[str, tuple[tuple[str, Any], ...]] = {
    "sft": (("weights_dtype", "fp32"), ("optimizer", "adamw"), ("optimizer_impl", "for-loop"), ("packing", True)),
    "dpo": (("weights_dtype", "bf16"), ("reference_model", "none")),
}


def olmo_core_task(document: Document) -> str:
    """What the program trains; empty for every other program."""
    if not document.is_command:
        return ""
    folder, name = posixpath.split(document.program)
    return _TASKS.get(name, "") if posixpath.basename(folder) == "open_instruct" else ""


def olmo_core_settings(look: Lookup) -> Iterator[Setting]:
    task = olmo_core_task(look.document)
    if not task:
        return
    settings, misreads = read_keys(look.document, look.loader, _KEYS)
    look.misreads.extend(misreads)
    yield from settings
    origin = Origin(OriginKind.DERIVED, note=f"open-instruct {look.document.program}")
    for name, value in (("task", task), *_EITHER, *_OF[task]):
        yield Setting(name, value, origin, str(value))
    yield from _recompute(look)
    yield from _attention(look)


def _attention(look: Lookup) -> Iterator[Setting]:
    """OLMo-core names its kernels itself (``nn/attention/backend.py`` AttentionBackendName): what is no word of transformers is no slip."""
    raw = look.raw("attn_implementation")
    if raw is None or raw.text not in _BACKENDS:
        return
    look.misreads[:] = [one for one in look.misreads if one.origin.span != raw.origin.span]
    yield Setting("attention", _BACKENDS[raw.text], raw.origin, raw.text)


def _recompute(look: Lookup) -> Iterator[Setting]:
    """A memory budget, or some modules of each block, lie between all and nothing."""
    mode, budget = look.raw("activation_checkpointing_mode", "ac_mode"), look.setting("", to_float, "activation_memory_budget")
    if mode is not None and mode.text in ("full", "selected_modules", "selected_blocks"):
        whole = mode.text == "full"
        yield Setting(
            "recompute", "full" if whole else None, mode.origin, mode.text, "known" if whole else "auto", readings=() if whole else _ENDS
        )
    elif budget is not None and (not budget.known or budget.value < 1):
        yield Setting("recompute", None, budget.origin, budget.text, "auto", readings=_ENDS)
