"""What trains in a LLaMA-Factory run, in which dtype, on what base: settings that several keys decide.

Sources: llamafactory 0.9.5 ``model/adapter.py`` init_adapter (trainable parameters are cast to fp32 unless ``pure_bf16`` or
BAdam), ``model/loader.py`` (``torch_dtype: auto`` from 0.9.4; 0.9.3 ``model/patcher.py``: the compute dtype),
``model/model_utils/quantization.py``, ``train/trainer_utils.py`` create_custom_optimizer, ``model/model_utils/liger_kernel.py``.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.frameworks import patch
from budgetlint.readers.base import Misread, Unreadable, is_symbolic, raw_at, to_int
from budgetlint.readers.derived import liger_kernels
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_STAGES = {"pt": "pretrain", "sft": "sft", "rm": "reward", "ppo": "ppo", "dpo": "dpo", "kto": "kto"}
_KINDS = {"lora": "lora", "oft": "other", "freeze": "none", "full": "none"}
_LOADED = "the checkpoint's own (llamafactory >= 0.9.4) or bf16 (before)"


def task_settings(view: View) -> list[Setting]:
    word = view.word("stage")
    if word == "dpo" and view.word("pref_loss") in ("orpo", "simpo"):  # pairs without a reference model
        return [view.setting("task", "orpo", "pref_loss")]
    return [view.setting("task", _STAGES.get(word, "other"), "stage")] if word else []


def adapter_settings(view: View) -> list[Setting]:
    """Freeze training takes the last layers (``freeze_trainable_layers``): how much that is needs the model's own names."""
    word = view.word("finetuning_type")
    if not word:
        return []
    found = [view.setting("adapter", _KINDS.get(word, "other"), "finetuning_type")]
    if word == "freeze":
        found.append(view.symbolic("freeze", "finetuning_type", "all but freeze_trainable_layers"))
    if _KINDS.get(word) == "other":
        found.append(view.setting("adapter_kind", word, "finetuning_type"))
    return found


def half_settings(view: View) -> list[Setting]:
    """``pure_bf16`` and BAdam leave what trains in the dtype it was loaded in, and ``pure_bf16`` computes without autocast."""
    line = view.first_on("pure_bf16", "use_badam")
    if not line:
        return []
    weights = view.either("weights_dtype", line, ("auto", "bf16"), _LOADED)
    autocast = [view.setting("autocast", "none", line)] if line == "pure_bf16" and not view.first_on("bf16", "fp16") else []
    adapted = view.word("finetuning_type") in ("", "lora", "oft")
    return [weights, *([view.setting("adapter_dtype", "bf16", line)] if adapted else []), *autocast]


def fp8_settings(view: View) -> list[Setting]:
    return [view.setting("autocast", "fp8", "fp8")] if view.on("fp8") else []


def quant_settings(view: View, misreads: list[Misread]) -> list[Setting]:
    """bitsandbytes packs 4 bits as ``quantization_type`` with double quantisation by default; HQQ at other widths is its own format."""
    path = "quantization_bit"
    bits = raw_at(view.document, view.loader, path)
    if bits is None or bits.value is None:
        return []
    if is_symbolic(bits.value):
        return [view.symbolic("quant", path)]
    try:
        width = to_int(bits.value)
    except Unreadable as wrong:
        misreads.append(Misread(f"{path}: {wrong}", wrong.cure, bits.origin))
        return []
    method = view.word("quantization_method") or "bnb"
    if method in ("bnb", "bitsandbytes") and width == 4:
        kind = view.word("quantization_type") or "nf4"
        if kind not in ("nf4", "fp4"):
            misreads.append(Misread(f"quantization_type: '{kind}' is no 4-bit type", "write nf4 or fp4", view.origin("quantization_type")))
            kind = "nf4"
        double = view.first("double_quantization")
        return [
            view.setting("quant", kind, path),
            view.setting("quant_double", view.on(double) if double else True, double or path),
        ]
    return [view.setting("quant", "int8", path)] if width == 8 else [view.symbolic("quant", path, f"{method} with {bits.text} bits")]


def optimizer_settings(view: View, misreads: list[Misread]) -> list[Setting]:
    """The own optimizers win over ``optim``, in the order of create_custom_optimizer; GaLore keeps the kind that ``optim`` names."""
    optim = view.word("optim")
    galore = {"adamw_bnb_8bit": "galore_adamw_8bit", "adamw_8bit": "galore_adamw_8bit", "adafactor": "galore_adafactor"}
    own = (
        ("use_galore", galore.get(optim, "galore_adamw")),
        ("use_apollo", "apollo_adamw"),
        ("use_badam", ""),
        ("use_adam_mini", "adam_mini"),
        ("use_muon", "muon"),
    )
    for path, spelling in own:
        if view.on(path):
            return (
                _named(view, path, misreads, spelling)
                if spelling
                else [
                    view.symbolic("optimizer", path, "BAdam: Adam over one block at a time"),
                    Setting("unmodelled", ("badam",), view.origin(path), view.text(path)),
                ]
            )
    return _named(view, "optim", misreads)


def _named(view: View, path: str, misreads: list[Misread], spelling: str = "") -> list[Setting]:
    raw = raw_at(view.document, view.loader, path)
    if raw is None:
        return []
    return [replace(setting, text=spelling or setting.text) for setting in read_optimizer(raw, "llamafactory", misreads, spelling)]


def kernel_settings(view: View) -> list[Setting]:
    """Liger fuses head and loss only where the stage needs no logits: pt and sft."""
    fused = view.word("stage") in ("", "pt", "sft")
    if view.on("use_unsloth"):
        return _unsloth(view, fused)
    path = "enable_liger_kernel"
    if not view.on(path):
        return [view.setting("kernels", (), path)] if view.word(path) else []
    kernels = liger_kernels() if fused else (*liger_kernels(head=False), "cross_entropy")
    loss = [view.setting("loss", "fused", path)] if fused else []
    return [view.setting("kernels", kernels, path, ", ".join(kernels)), *loss]


def _unsloth(view: View, fused: bool) -> list[Setting]:
    """Where the stage needs logits, of its kernels those that make them."""
    path = "use_unsloth"
    offload = view.setting("recompute_offload", True, path, "use_gradient_checkpointing: unsloth")
    kernels, loss = patch("unsloth", "kernels"), patch("unsloth", "loss")
    found = [view.setting("kernels", kernels.value if fused else kernels.before, path, "unsloth"), offload]
    return [*found, view.either("loss", path, loss.readings, f"unsloth: {loss.value} from {loss.since}")] if fused else found
