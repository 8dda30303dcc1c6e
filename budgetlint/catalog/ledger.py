"""Every weight tensor of a model: what the parameter count, the linears and the adapter targets are read from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.own_layers import OWN
from budgetlint.catalog.tensor import BlockLinear, WeightTensor

BUILDERS = {
    "decoder": ("ledger_decoder", "decoder_tensors"),
    "encoder": ("ledger_encoder", "encoder_tensors"),
    "encoder-decoder": ("ledger_seq2seq", "seq2seq_tensors"),
    "speech": ("ledger_speech", "speech_tensors"),
    "vision": ("ledger_vision", "vision_tensors"),
    "dual-encoder": ("ledger_vision", "dual_tensors"),
    "tower": ("ledger_tower", "tower_tensors"),
}
"""Kind of architecture -> the module and function that list its tensors; a module is read when a model of the kind is named."""


@lru_cache(maxsize=256)
def weight_tensors(arch: Architecture) -> tuple[WeightTensor, ...]:
    """The exact list of weight tensors, embedding first, head last; a tied head is not listed (it is the embedding). Behind them what a
    program puts around the model."""
    module, builder = BUILDERS[arch.kind]
    found: Iterator[WeightTensor] = getattr(import_module(f"budgetlint.catalog.{module}"), builder)(arch)
    own = arch.number(OWN)
    return (*found, WeightTensor("own", "vector", "layers of the program", own, 0, "head")) if own else tuple(found)


def parameter_count(arch: Architecture) -> int:
    """Parameters, tied tensors once."""
    return sum(tensor.elements for tensor in weight_tensors(arch))


def active_parameters(arch: Architecture) -> int:
    """Parameters that one token meets: of the routed experts, ``experts_per_token``."""
    return sum(_active(arch, tensor) for tensor in weight_tensors(arch))


def _active(arch: Architecture, tensor: WeightTensor) -> int:
    if not tensor.role.startswith("expert_") or not arch.experts:
        return tensor.elements
    return tensor.elements // arch.experts * (arch.experts_per_token or arch.experts)


def embedding_parameters(arch: Architecture) -> int:
    """The token embedding."""
    return sum(tensor.elements for tensor in weight_tensors(arch) if tensor.role == "embed")


def head_parameters(arch: Architecture) -> int:
    """The output matrix where it is its own (untied), else 0."""
    return sum(tensor.elements for tensor in weight_tensors(arch) if tensor.role == "lm_head")


def linears(arch: Architecture) -> tuple[BlockLinear, ...]:
    """The matmul weights of the blocks (no embedding, no head), each kind once with how many layers and copies it has."""
    return tuple(_linears(arch))


def _linears(arch: Architecture) -> Iterator[BlockLinear]:
    biased = {tensor.module for tensor in weight_tensors(arch) if tensor.kind == "bias"}
    for tensor in weight_tensors(arch):
        if tensor.kind in ("linear", "experts") and tensor.layers:
            yield BlockLinear(
                tensor.role, tensor.module, tensor.cols, tensor.rows, tensor.layers, tensor.per_layer, tensor.where, tensor.module in biased
            )


def outer_linears(arch: Architecture) -> tuple[BlockLinear, ...]:
    """Token embedding and head as adapters see them, when they are named (``embed_tokens``, ``lm_head``); a tied head too."""
    found = [
        BlockLinear(t.role, t.module, t.cols, t.rows, 1, 1, t.where, False) for t in weight_tensors(arch) if t.role in ("embed", "lm_head")
    ]
    if arch.tied and arch.kind in ("decoder", "encoder-decoder", "speech"):
        found.append(BlockLinear("lm_head", family_of(arch.family).names.head, arch.hidden, arch.vocab, 1, 1, "head", arch.lm_head_bias))
    return tuple(found)
