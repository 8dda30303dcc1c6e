"""What allenai/open-instruct's ``finetune.py`` fills in: its own training loop over accelerate, no Trainer.

Source: open-instruct ``open_instruct/finetune.py`` at 00f6b60c0: ``FlatArguments``, ``from_pretrained(torch_dtype=torch.bfloat16)``,
``torch.optim.AdamW(fused=...)``, one shuffled DataLoader and no evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.readers.base import default
from budgetlint.readers.derived import loss_by_kernels
from budgetlint.settings.run import Setting, Settings, Stack

_FLAT = "open-instruct FlatArguments."
_LOOP = "open-instruct finetune.py: "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "sft", _LOOP + "supervised fine-tuning (assumed)"),
    ("micro_batch", 8, _FLAT + "per_device_train_batch_size"),
    ("grad_accum", 1, _FLAT + "gradient_accumulation_steps"),
    ("learning_rate", 2e-5, _FLAT + "learning_rate"),
    ("weight_decay", 0.0, _FLAT + "weight_decay"),
    ("num_epochs", 2.0, _FLAT + "num_train_epochs"),
    ("optimizer", "adamw_torch_fused", _LOOP + "torch.optim.AdamW(fused=fused_optimizer)"),
    ("optimizer_impl", "fused", _FLAT + "fused_optimizer"),
    ("weights_dtype", "bf16", _LOOP + "from_pretrained(torch_dtype=torch.bfloat16)"),
    ("recompute", "none", _FLAT + "gradient_checkpointing"),
    ("attention", "flash", _FLAT + "use_flash_attn"),
    ("kernels", (), _FLAT + "use_liger_kernel"),
    ("adapter", "none", _FLAT + "use_lora"),
    ("quant", "none", _FLAT + "use_qlora"),
    ("use_cache", False, _LOOP + "model(**batch, use_cache=False)"),
    ("eval_on", False, _LOOP + "no evaluation"),
)


def open_instruct_defaults(settings: Settings, _stack: Stack) -> Iterator[Setting]:
    """What the loop does; compute dtype, clipping and sharding come from the launcher's files."""
    yield from (default(name, value, note) for name, value, note in _FIXED)
    yield loss_by_kernels(settings, _LOOP + "use_liger_kernel", _LOOP + "the model's own loss")
