"""What dtype axolotl loads the weights in, what it computes in, and how it quantises the base.

Sources: axolotl 0.19.0 ``utils/config/__init__.py`` resolve_dtype, ``core/builders/base.py`` _configure_precision_settings,
``loaders/model.py`` _set_quantization_config; 0.6.0 to 0.12.0 ``loaders/model.py`` for ``adapter: lora`` with ``load_in_4bit``.
"""

from __future__ import annotations

from budgetlint.readers.base import is_symbolic
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

LORA_IN_4BIT = "none (axolotl >= 0.15 quantises only for adapter: qlora) or fp4 (axolotl <= 0.12, bitsandbytes' own default)"
_SWITCHES = ("bf16", "fp16", "bfloat16", "float16")


def precision_settings(view: View) -> list[Setting]:
    """``bf16: auto`` is bf16 on every GPU that can compute it; older ones fall back to fp16, which takes as many bytes."""
    placeholder = next((path for path in _SWITCHES if is_symbolic(view.value(path))), "")
    if placeholder:
        return [view.symbolic(name, placeholder) for name in ("weights_dtype", "autocast")]
    return [*_weights(view), *_autocast(view)]


def _bf16_line(view: View) -> tuple[str, bool]:
    """The line that turns bf16 on, and whether bf16 is on. A missing ``bf16`` is ``auto``; an empty one is off."""
    if view.on("bfloat16"):
        return "bfloat16", True
    word = view.word("bf16") if view.has("bf16") else "auto"
    if word == "auto" and view.on("fp16"):
        return "", False
    return ("bf16" if view.has("bf16") else ""), word == "auto" or view.on("bf16")


def _weights(view: View) -> list[Setting]:
    line, bf16 = _bf16_line(view)
    if bf16:
        return [view.setting("weights_dtype", "bf16", line)] if line else []
    half = view.first_on("load_in_8bit", "fp16", "float16")
    if half:
        return [view.setting("weights_dtype", "fp16", half)]
    return [view.setting("weights_dtype", "fp32", line)] if line else []


def _autocast(view: View) -> list[Setting]:
    line, bf16 = _bf16_line(view)
    if view.on("fp8"):
        return [view.setting("autocast", "fp8", "fp8")]
    if bf16:
        return [view.setting("autocast", "bf16", line)] if line else []
    if view.on("fp16"):
        return [view.setting("autocast", "fp16", "fp16")]
    return [view.setting("autocast", "none", line)] if line else []


def quant_settings(view: View) -> list[Setting]:
    """Only ``qlora`` with 4 bits and ``lora`` with 8 bits quantise. Half-quantised combinations depend on the version."""
    adapter = view.word("adapter")
    if view.on("gptq"):
        return [view.setting("quant", "gptq", "gptq")]
    if adapter == "qlora" and view.on("load_in_4bit"):
        return [
            view.setting("quant", "nf4", "load_in_4bit"),
            view.setting("quant_double", True, "load_in_4bit", "axolotl sets bnb_4bit_use_double_quant"),
            view.setting("quant_storage", "bfloat16", "load_in_4bit", "axolotl sets bnb_4bit_quant_storage"),
        ]
    if adapter == "lora" and view.on("load_in_8bit"):
        return [view.setting("quant", "int8", "load_in_8bit")]
    if adapter == "lora" and view.on("load_in_4bit"):
        return [view.either("quant", "load_in_4bit", ("none", "fp4"), LORA_IN_4BIT)]
    return _unquantised(view)


def _unquantised(view: View) -> list[Setting]:
    line = view.first("load_in_4bit", "load_in_8bit")
    return [view.setting("quant", "none", line)] if line else []
