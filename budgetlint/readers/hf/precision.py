"""``bf16`` and ``fp16`` of TrainingArguments as the autocast setting."""

from __future__ import annotations

from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Setting, over


def read_autocast(look: Lookup, bf16_by_default: bool) -> list[Setting]:
    """The 16-bit compute dtype; both on keeps both in sight (transformers refuses it, fp16 would win: training_args.py, step 5).

    ``fp16: false`` alone decides nothing for TRL, where bf16 is on unless fp16 is (base_config.py ``__post_init__``).
    """
    bf16, fp16 = look.switch("bf16"), look.switch("fp16")
    on = [renamed(switch, "autocast", dtype) for switch, dtype in ((fp16, "fp16"), (bf16, "bf16")) if switch and _may_be_on(switch)]
    if on:
        return [over(on[0], on[1] if len(on) > 1 else None)]
    off = bf16 or (None if bf16_by_default else fp16)
    return [renamed(off, "autocast", "none")] if off else []


def _may_be_on(switch: Setting) -> bool:
    return not switch.known or bool(switch.value)
