"""What several torchtitan keys decide: checkpointing, compilation, mixed precision, the optimizer's class.

Source: torchtitan 0.2.0 ``distributed/activation_checkpoint.py`` (an integer option checkpoints every k-th block whole),
``config/job_config.py``, ``components/optimizer.py``; ``components/quantization/float8.py`` of 0.1.0 and later.
"""

from __future__ import annotations

from budgetlint.base import numerals
from budgetlint.readers.base import Misread, raw_at
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_MODE, _OPTION = "activation_checkpoint.mode", "activation_checkpoint.selective_ac_option"
_DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "none"}


def recompute_settings(view: View) -> list[Setting]:
    mode, option = view.word(_MODE), view.word(_OPTION)
    if mode in ("none", "full"):
        return [view.setting("recompute", mode, _MODE)]
    every = numerals.small(option or "2")  # the default option is "2"
    if mode == "selective" and every:
        return [view.setting("recompute", "full", _MODE), view.setting("recompute_every", every, _OPTION if option else _MODE, str(every))]
    return [view.setting("recompute", "selective", _MODE)] if mode else []


def compile_settings(view: View) -> list[Setting]:
    """``config/job_config.py`` Compile.components: ``model`` is each block (``models/llama3/infra/parallelize.py`` apply_compile), ``loss``
    the loss for itself (``components/loss.py``)."""
    path = view.first("compile.enable", "training.compile")
    if not path:
        return []
    parts, given = view.words("compile.components"), "compile.components"
    compiled = view.setting("compile", view.on(path) and (not parts or "model" in parts), path)
    if not parts or not view.on(path):
        return [compiled]
    said = tuple(name for word, name in (("model", "layers"), ("loss", "loss")) if word in parts)
    return [compiled, view.setting("compile_parts", said, given)]


def precision_settings(view: View) -> list[Setting]:
    """``mixed_precision_param`` is what FSDP hands to the layers, or autocast's dtype without it."""
    path = "training.mixed_precision_param"
    converters = "model.converters"
    if any("float8" in word for word in view.words(converters)):
        return [view.setting("autocast", "fp8", converters, "float8")]
    if view.first_on("float8.enable_float8_linear", "training.enable_float8_linear"):
        return [view.setting("autocast", "fp8", view.first_on("float8.enable_float8_linear", "training.enable_float8_linear"))]
    if view.word(path) in _DTYPES:
        return [view.setting("autocast", _DTYPES[view.word(path)], path)]
    return [view.setting("autocast", "none", "training.dtype")] if view.word("training.dtype") == "bfloat16" else []


def optimizer_settings(view: View, misreads: list[Misread]) -> list[Setting]:
    """``Adam`` and ``AdamW`` are torch's; which implementation they step with is a key of its own."""
    raw = raw_at(view.document, view.loader, "optimizer.name")
    if raw is None:
        return []
    spelling = f"torch.optim.{raw.text}" if raw.text in ("Adam", "AdamW") else ""
    return [setting for setting in read_optimizer(raw, "torchtitan", misreads, spelling) if setting.name == "optimizer"]
