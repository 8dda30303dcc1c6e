"""How a layer is computed: recomputation, the attention kernel, fused kernels and the loss, from a run's settings."""

from __future__ import annotations

from typing import Any

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.memory.code import pick
from budgetlint.memory.notes import Notes
from budgetlint.memory.plan import Recompute
from budgetlint.settings.run import Settings, Stack


def recompute_of(settings: Settings, stack: Stack) -> Recompute:
    """``use_reentrant`` unsaid: True before transformers 5.0, False since (modeling_utils.py gradient_checkpointing_enable)."""
    reentrant = settings.value("recompute_reentrant")
    if reentrant is None:
        reentrant = stack.at_least("transformers", "5.0") is False
    kind, every, chunk = pick(stack).checkpoints(settings.value("recompute", "none"), settings.value("recompute_every", 1) or 1)
    return Recompute(
        kind=kind,
        every=every,
        chunk=chunk,
        first=settings.value("recompute_layers"),
        reentrant=bool(reentrant),
        offload=bool(settings.value("recompute_offload", False)),
    )


def kernel_of(settings: Settings, arch: Architecture, compute: int, notes: Notes) -> str:
    """Which attention kernel runs: aten/native/transformers/cuda/sdp_utils.cpp (torch 2.13): flash takes 16-bit types
    without a mask, memory-efficient needs as many key as query heads, math takes the rest."""
    wanted, family = settings.value("attention", ""), family_of(arch.family)
    if not wanted:
        notes.assume("attention is not stated: sdpa, the default of transformers", "attention")
        wanted = "sdpa"
    if wanted == "eager" or (wanted == "sdpa" and not family.sdpa):
        return "eager"
    if family.position_bias:
        return "efficient"
    if wanted in ("flash", "flex"):
        return "flash"
    if family.always_masked:
        return "math" if arch.kv_heads == 1 else "efficient"
    if compute == 2:
        return "flash"
    return "efficient" if arch.kv_heads == arch.heads else "math"


BIASED_SDPA_SINCE = "5.16"
"""From this transformers version T5 uses sdpa (wheels: 5.14.0 has no ``_supports_sdpa``, 5.16.0 has). Before, its own Python, with the
softmax in fp32."""


FUSED_BY_COMPILE = ("rms_norm", "rope", "swiglu")


def fused_kernels(settings: Settings) -> frozenset[str]:
    """Fused kernels. torch.compile makes element-wise chains again in the backward instead of keeping their intermediates
    (torch 2.13 _functorch/partitioners.py), which comes to fused norms, rotary embeddings and gated activations."""
    named = frozenset(settings.value("kernels", ()) or ())
    if not settings.value("compile", False):
        return named
    return named | frozenset(FUSED_BY_COMPILE)


LIGERS_HEAD = "linear_cross_entropy"


def by_family(loss: str, kernels: frozenset[str], arch: Architecture) -> dict[str, Any]:
    """Loss and kernels where Liger has no fused head for a family: its cross entropy over logits (`Tools`). Unsloth, whose LoRA kernels are
    among them, has a head of its own."""
    if LIGERS_HEAD in kernels and "lora" not in kernels and not family_of(arch.family).tools.liger_head:
        return {"loss": "full" if loss == "fused" else loss, "kernels": kernels - {LIGERS_HEAD} | {"cross_entropy"}}
    return {"loss": loss, "kernels": kernels}


def loss_of(settings: Settings) -> str:
    kernels = settings.value("kernels", ()) or ()
    stated: str = settings.value("loss", "")
    if stated in ("fused", "chunked", "plain", "in-place", "in-place-copied"):
        return stated
    if "completion_len" in settings:
        return "logps"
    if "linear_cross_entropy" in kernels:
        return "fused"
    return "full"
