"""The weight tensors of decoder-only models: embeddings, blocks, the last norm, the head, and the tower in front."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger_blocks import block, head, norm
from budgetlint.catalog.module_names import ModuleNames
from budgetlint.catalog.tensor import WeightTensor


def decoder_tensors(arch: Architecture) -> Iterator[WeightTensor]:
    names, width = decoder_names(arch), arch.number("embed_width", arch.hidden)
    yield WeightTensor("embed", "embedding", names.embed, arch.vocab, width, "embed")
    if width != arch.hidden:  # modeling_opt.py OPTDecoder: the 350m model's embeddings are half as wide
        yield WeightTensor("project_in", "linear", "model.decoder.project_in", arch.hidden, width, "embed")
        yield WeightTensor("project_out", "linear", "model.decoder.project_out", width, arch.hidden, "head")
    if arch.position == "learned" and arch.max_positions:
        rows = arch.max_positions + arch.number("position_offset")
        yield WeightTensor("pos_embed", "embedding", names.positions, rows, arch.hidden, "embed")
    if arch.number("embed_norm"):
        yield from norm(arch, names.embed_norm, arch.hidden, "embed", 0)
    if arch.number("attention_layers"):
        from budgetlint.catalog.ledger_hybrid import hybrid_block

        yield from hybrid_block(arch, names, names.layers, "layer")
    else:
        yield from block(arch, names, names.layers, "layer", arch.layers)
    if arch.final_norm:
        yield from norm(arch, names.final_norm, arch.hidden, "final", 0)
    yield from head(arch, names)
    yield from _towers(arch)


def decoder_names(arch: Architecture) -> ModuleNames:
    """The decoder's module names; behind a tower it lies one level deeper (modeling_llava.py and all since: ``model.language_model``)."""
    names, vision = family_of(arch.family).names, arch.part("vision")
    if vision is None or not names.layers.startswith("model.layers"):
        return names
    at = family_of(vision.family).tower.decoder
    moved = {name: getattr(names, name).replace("model", at, 1) for name in ("layers", "embed", "final_norm")}
    return replace(names, **moved)


def _towers(arch: Architecture) -> Iterator[WeightTensor]:
    """The vision tower of a multimodal decoder and the projector into it."""
    vision = arch.part("vision")
    if vision is not None:
        from budgetlint.catalog.ledger_tower import vision_tensors

        yield from vision_tensors(vision, arch.hidden)
