"""What axolotl does to activations: checkpointing, offloading, attention, fused kernels and losses.

Sources: axolotl 0.19.0 ``core/builders/base.py`` _configure_gradient_checkpointing, ``utils/schemas/validation.py``
(check_gradient_checkpointing_w_offload, check_selective_checkpointing), ``utils/schemas/enums.py``
(LEGACY_ATTN_FLAG_TO_IMPL, in its order), ``integrations/{liger,cut_cross_entropy}/args.py``.
"""

from __future__ import annotations

from budgetlint.readers.base import is_symbolic
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_OFFLOADING = ("offload", "offload_disk", "unsloth")
_LEGACY = (
    ("xformers_attention", "sdpa"),
    ("sage_attention", "flash"),
    ("flex_attention", "flex"),
    ("flash_attention", "flash"),
    ("s2_attention", "flash"),
    ("sdp_attention", "sdpa"),
    ("eager_attention", "eager"),
)
_ATTENTION = {
    "eager": "eager", "sdpa": "sdpa", "sdp": "sdpa", "fp8": "sdpa",
    "xformers": "sdpa",  # the same memory-efficient kernel family
    "flex_attention": "flex", "flex": "flex", "sage": "flash", "flash": "flash",
}  # fmt: skip
_LIGER = {
    "liger_rope": "rope",
    "liger_rms_norm": "rms_norm",
    "liger_glu_activation": "swiglu",
    "liger_swiglu": "swiglu",
    "liger_cross_entropy": "cross_entropy",
    "liger_fused_linear_cross_entropy": "linear_cross_entropy",
}
_LORA_KERNELS = ("lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel", "unsloth_lora_mlp", "unsloth_lora_qkv", "unsloth_lora_o")


def recompute_settings(view: View) -> list[Setting]:
    return [*_recompute(view), *_offload(view), *_reentrant(view)]


def _recompute(view: View) -> list[Setting]:
    path = "gradient_checkpointing"
    if not view.word(path):
        return []
    if not view.on(path):
        return [view.setting("recompute", "none", path)]
    selective = "selective_checkpointing"
    return [view.setting("recompute", "selective", selective) if view.on(selective) else view.setting("recompute", "full", path)]


def _offload(view: View) -> list[Setting]:
    path = "gradient_checkpointing" if view.word("gradient_checkpointing") in _OFFLOADING else view.first("activation_offloading")
    return [view.setting("recompute_offload", view.on(path), path)] if path else []


def _reentrant(view: View) -> list[Setting]:
    path = "gradient_checkpointing_kwargs.use_reentrant"
    return [view.setting("recompute_reentrant", view.on(path), path)] if view.word(path) else []


def attention_settings(view: View) -> list[Setting]:
    path = "attn_implementation"
    if view.word(path):
        known = attention_of(view.word(path))
        return [view.setting("attention", known, path) if known else view.symbolic("attention", path)]
    return [view.setting("attention", kind, flag) for flag, kind in _LEGACY if view.on(flag) or is_symbolic(view.value(flag))][:1]


def attention_of(word: str) -> str:
    """The kernel family of a backend name or a hub path (``kernels-community/flash-attn3``); empty for an unknown one."""
    if word in _ATTENTION:
        return _ATTENTION[word]
    return "flash" if "flash" in word or "sage" in word else ""


def has_plugin(view: View, part: str) -> bool:
    return any(part in name for name in view.words("plugins"))


def kernel_settings(view: View) -> list[Setting]:
    """Liger's keys work only with its plugin. Any LoRA kernel key, false too, keeps axolotl from switching them on itself."""
    liger = [key for key in _LIGER if view.on(key)] if has_plugin(view, "liger") else []
    lora = [key for key in _LORA_KERNELS if view.on(key)]
    kernels = [_LIGER[key] for key in liger] + ["lora"] * bool(lora) + ["cross_entropy"] * view.on("flash_attn_cross_entropy")
    line = view.first(*liger, *lora, "flash_attn_cross_entropy", *_LORA_KERNELS)
    names = tuple(dict.fromkeys(kernels))
    return [view.setting("kernels", names, line, ", ".join(names) or "none")] if line else []


def loss_settings(view: View) -> list[Setting]:
    if has_plugin(view, "cut_cross_entropy") and (not view.has("cut_cross_entropy") or view.on("cut_cross_entropy")):
        return [view.setting("loss", "fused", "plugins", "cut_cross_entropy plugin")]
    if has_plugin(view, "liger") and view.on("liger_fused_linear_cross_entropy"):
        return [view.setting("loss", "fused", "liger_fused_linear_cross_entropy")]
    return [view.setting("loss", "chunked", "chunked_cross_entropy")] if view.on("chunked_cross_entropy") else []
