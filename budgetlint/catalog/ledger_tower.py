"""The weight tensors of a vision tower in front of a decoder, and of the projector between them (transformers 5.24.0 modeling_*.py)."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger_blocks import block, linear, norm
from budgetlint.catalog.tensor import WeightTensor

_MODEL = "model"


def tower_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    """A tower alone: patches, positions, blocks, norms around them."""
    tower, hidden, patch = family_of(arch.family).tower, arch.hidden, arch.number("patch_size", 1)
    at = tower.at
    if tower.class_token:
        yield WeightTensor("class_token", "vector", f"{at}.embeddings.class_embedding", hidden, 0, "vision")
    pixels = 3 * patch * patch * arch.number("temporal", 1)
    yield WeightTensor("patch_embed", "conv", f"{at}.{tower.patch}", hidden, pixels, "vision")
    if tower.patch_bias:
        yield WeightTensor("bias", "bias", f"{at}.{tower.patch}", hidden, 0, "vision")
    rows = position_rows(arch)
    if rows:
        yield WeightTensor("tower_positions", "embedding", f"{at}.pos_embed", rows, hidden, "vision")
    if tower.front:
        yield from norm(arch, f"{at}.{tower.front}", hidden, "vision", 0)
    layers = f"{at}.{tower.names.layers}"
    yield from block(arch, tower.names, layers, "vision", arch.layers)
    for name in tower.scales:
        yield WeightTensor("scale", "vector", f"{layers}.{name}", hidden, 0, "vision", arch.layers)
    if tower.last:
        yield from norm(arch, f"{at}.{tower.last}", hidden, "vision", 0)


def position_rows(arch: Architecture) -> int:
    """Learned positions: of a grid that is resampled, or one for each patch of the image size and for the class token."""
    tower = family_of(arch.family).tower
    if tower.positions == "table":
        return (arch.number("image_size") // arch.number("patch_size", 1)) ** 2 + tower.class_token
    return arch.number("positions") if tower.positions == "grid" else 0


def vision_tensors(arch: Architecture, width: int) -> Iterator[WeightTensor]:
    """The tower and what takes its output to the decoder's ``width``."""
    yield from tower_tensors(arch)
    yield from PROJECTORS[PROJECTOR_OF.get(arch.number("projector"), "merger")](arch, width)


# -- projectors --------------------------------------------------------------------------------------------------------

_AT = "model.multi_modal_projector"


def merged(arch: Architecture) -> int:
    """Width of the patches that become one token of the decoder, side by side."""
    return arch.hidden * arch.number("merge", 1) ** 2


def _merger(arch: Architecture, width: int) -> Iterator[WeightTensor]:
    """Qwen: a norm over patches, two linears over four of them (``PatchMerger``); Qwen3-VL one more for each DeepStack layer, whose
    norm is over all four."""
    inner, tower = merged(arch), family_of(arch.family).tower
    (first, second, name), at = tower.merger, f"{tower.at}.merger"
    yield from norm(arch, f"{at}.{name}", arch.hidden, "projector", 0)
    yield from linear("projector_1", f"{at}.{first}", inner, inner, True, "projector", 1)
    yield from linear("projector_2", f"{at}.{second}", width, inner, True, "projector", 1)
    count = arch.number("deepstack")
    if count:
        deep = f"{tower.at}.deepstack_merger_list.*"
        yield from norm(arch, f"{deep}.{name}", inner, "projector", count)
        yield from linear("projector_1", f"{deep}.{first}", inner, inner, True, "projector", count)
        yield from linear("projector_2", f"{deep}.{second}", width, inner, True, "projector", count)


def _pooled(arch: Architecture, width: int) -> Iterator[WeightTensor]:
    """modeling_gemma3.py ``Gemma3MultiModalProjector``: pooled patches, normed, times a matrix that is no linear."""
    yield WeightTensor("projector", "vector", f"{_AT}.mm_input_projection_weight", arch.hidden, width, "projector")
    yield WeightTensor("norm", "norm", f"{_AT}.mm_soft_emb_norm", arch.hidden, 0, "projector")


def _one_linear(arch: Architecture, width: int) -> Iterator[WeightTensor]:
    """modeling_paligemma.py: one linear; modeling_idefics3.py and modeling_smolvlm.py: one over the shuffled patches, without bias."""
    shuffled = arch.number("merge", 1) > 1
    module = f"{_MODEL}.connector.modality_projection.proj" if shuffled else f"{_AT}.linear"
    yield from linear("projector_1", module, width, merged(arch), not shuffled, "projector", 1)


def _two_linears(arch: Architecture, width: int) -> Iterator[WeightTensor]:
    """modeling_llava.py, and modeling_llava_next.py with a vector for the end of a row of patches."""
    yield from linear("projector_1", f"{_AT}.linear_1", width, arch.hidden, True, "projector", 1)
    yield from linear("projector_2", f"{_AT}.linear_2", width, width, True, "projector", 1)
    if arch.number("newline"):
        yield WeightTensor("newline", "vector", f"{_MODEL}.image_newline", width, 0, "projector")


def _normed_linears(arch: Architecture, width: int) -> Iterator[WeightTensor]:
    """modeling_internvl.py: a LayerNorm over the shuffled patches, whatever the tower's norms are, and two linears."""
    inner = merged(arch)
    yield WeightTensor("norm", "norm", f"{_AT}.layer_norm", inner, 0, "projector")
    yield WeightTensor("norm_bias", "bias", f"{_AT}.layer_norm", inner, 0, "projector")
    yield from linear("projector_1", f"{_AT}.linear_1", width, inner, True, "projector", 1)
    yield from linear("projector_2", f"{_AT}.linear_2", width, width, True, "projector", 1)


def _merging_linears(arch: Architecture, width: int) -> Iterator[WeightTensor]:
    """modeling_mistral3.py: a norm, a linear that merges patches, two linears; no bias."""
    yield WeightTensor("norm", "norm", f"{_AT}.norm", arch.hidden, 0, "projector")
    yield from linear("projector_0", f"{_AT}.patch_merger.merging_layer", arch.hidden, merged(arch), False, "projector", 1)
    yield from linear("projector_1", f"{_AT}.linear_1", width, arch.hidden, False, "projector", 1)
    yield from linear("projector_2", f"{_AT}.linear_2", width, width, False, "projector", 1)


PROJECTOR_OF = {0: "merger", 1: "pooled", 2: "one", 3: "two", 4: "normed", 5: "merging"}
"""`Architecture.number` ``projector`` of a tower -> which projector follows it."""

PROJECTORS = {
    "merger": _merger,
    "pooled": _pooled,
    "one": _one_linear,
    "two": _two_linears,
    "normed": _normed_linears,
    "merging": _merging_linears,
}
