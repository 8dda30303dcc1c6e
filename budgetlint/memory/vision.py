"""The vision tower of a run: what of it trains, how many patches it sees, and what it holds at each moment of the step.

A frozen tower in front of everything that trains keeps nothing for a backward but its output. One that trains, or carries an adapter,
keeps what its blocks need (`towers.py`), or their inputs under checkpointing: transformers checkpoints the blocks of towers like those
of decoders (5.24.0 modeling_qwen2_vl.py ``Qwen2VLVisionBlock(GradientCheckpointingLayer)``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger import weight_tensors
from budgetlint.catalog.tensor import TOWER_PLACES
from budgetlint.memory.parallel import ALONE
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.memory.saved import Saved
from budgetlint.memory.shape import shape_of
from budgetlint.memory.term import Bucket, Term, tensor
from budgetlint.memory.towers import block_saved
from budgetlint.memory.vision_plan import Vision
from budgetlint.settings.run import Setting

_WHY = ("images", "image_max_pixels", "micro_batch", "train_vision", "model")


# -- elements ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def tensors(arch: Architecture, tower: bool, projector: bool) -> tuple[tuple[int, int, int], ...]:
    """Rows, columns (1 for a vector) and number of the tensors of tower and projector, each where it is asked for."""
    places = {place for place, wanted in zip(("vision", "projector"), (tower, projector), strict=True) if wanted}
    return tuple((one.rows, max(one.cols, 1), one.count) for one in weight_tensors(arch) if one.where in places)


def elements(arch: Architecture, tower: bool = True, projector: bool = True) -> int:
    return sum(rows * columns * count for rows, columns, count in tensors(arch, tower, projector))


def trained(plan: Plan) -> tuple[tuple[int, int, int], ...]:
    """The tensors that train in full."""
    seen = plan.vision
    return tensors(plan.shape.arch, seen.tower, seen.projector) if seen is not None and plan.full else ()


def behind(plan: Plan) -> int:
    """Elements whose gradients come after those of the decoder's first layer."""
    return sum(rows * columns * count for rows, columns, count in trained(plan))


@lru_cache(maxsize=64)
def linear_elements(arch: Architecture) -> int:
    """What a 4-bit base packs of tower and projector: all linears (transformers 5.24.0 integrations/bitsandbytes.py)."""
    return sum(one.elements for one in weight_tensors(arch) if one.where in TOWER_PLACES and one.kind == "linear")


# -- activations -------------------------------------------------------------------------------------------------------


def _alone(plan: Plan, seen: Vision, tower: Architecture) -> Plan:
    """The tower as a plan of its own: so many images of one size."""
    adapter = replace(plan.adapter, targets=seen.roles) if plan.adapter is not None else None
    images = max(1, seen.patches // max(seen.span, 1))
    return replace(
        plan, arch=tower, shape=shape_of(tower), adapter=adapter, batch=images, seq=seen.span, parallel=ALONE, stage=None, vision=None
    )


def _block(plan: Plan, seen: Vision, tower: Architecture) -> tuple[Saved, ...]:
    asked = plan.origins.get("attention")
    return block_saved(_alone(plan, seen, tower), one_call=asked is not None and asked.value == "flash")


def _pairs(seen: Vision, tower: Architecture) -> int:
    """Patches that one attends to, in the mean of all blocks: most of Qwen2.5-VL's see a window (``fullatt_block_indexes``)."""
    window, full = tower.number("window"), tower.number("full_layers")
    if not window:
        return seen.span
    inside = min(seen.span, (window // tower.number("patch_size", 1)) ** 2)
    return (full * seen.span + (tower.layers - full) * inside) // tower.layers


def stream_size(plan: Plan, tower: Architecture) -> int:
    """Bytes an element between blocks: of the checkpoint of a block."""
    half = plan.precision.autocast and family_of(tower.family).tower.half_stream
    return plan.precision.compute if half or not plan.precision.autocast else plan.precision.weights


def kept(plan: Plan) -> Iterator[Term]:
    """What the tower holds from its forward to its backward, and what its output takes."""
    seen, tower = plan.vision, plan.shape.arch.part("vision")
    if seen is None or tower is None or not seen.patches:
        return
    yield _features(plan, seen, tower)
    if seen.projector and plan.full:
        yield from _projected(plan, seen, tower)
    if not seen.learns:
        return
    layers = tower.layers - tower.number("unread")
    if plan.recompute.on:
        size = stream_size(plan, tower)
        shape = (("block", layers), ("patch", seen.patches), ("hidden", tower.hidden))
        yield tensor(Bucket.ACTIVATIONS, "vision.checkpoints", plan.because(*_WHY, "recompute"), shape, size)
        return
    why, pairs = plan.because(*_WHY, "recompute", "attention"), _pairs(seen, tower)
    for row in _block(plan, seen, tower):
        yield _row(row, seen, pairs, layers, why)


def _row(row: Saved, seen: Vision, pairs: int, layers: int, why: tuple[Setting, ...]) -> Term:
    """One tensor of so many blocks."""
    size = layers * row.bytes(seen.patches, pairs)
    shape = (("block", layers), ("patch", seen.patches))
    if row.size and row.per_token and not (row.per_pair or row.fixed):
        return tensor(Bucket.ACTIVATIONS, f"vision.{row.id}", why, (*shape, ("width", row.per_token // row.size)), row.size)
    if row.size and row.per_pair and not (row.per_token or row.fixed):
        pair = (("head", row.per_pair // row.size), ("position", pairs))
        return tensor(Bucket.ACTIVATIONS, f"vision.{row.id}", why, (*shape, *pair), row.size)
    return Term(Bucket.ACTIVATIONS, size, f"vision.{row.id}", why)


def _merged(seen: Vision, tower: Architecture) -> int:
    """Tokens of the decoder."""
    return -(-seen.patches // tower.number("merge", 1) ** 2)


def _features(plan: Plan, seen: Vision, tower: Architecture) -> Term:
    """The projected images beside the embeddings that they are written into; Qwen3-VL has them for three more layers."""
    shape = (("copy", 1 + tower.number("deepstack")), ("token", _merged(seen, tower)), ("hidden", plan.arch.hidden))
    return tensor(Bucket.ACTIVATIONS, "vision.images-for-decoder", plan.because(*_WHY), shape, plan.precision.compute)


def _projected(plan: Plan, seen: Vision, tower: Architecture) -> Iterator[Term]:
    """Inputs of two linears and of the activation between them."""
    tokens, wide = ("token", _merged(seen, tower)), tower.hidden * tower.number("merge", 1) ** 2
    inner, why = wide if tower.number("projector") == 0 else plan.arch.hidden, plan.because(*_WHY, "train_projector")
    for name, width in (("first-input", wide), ("activation-input", inner), ("second-input", inner)):
        yield tensor(Bucket.ACTIVATIONS, f"projector.{name}", why, (tokens, ("width", width)), plan.precision.compute)


def one_block(plan: Plan, *, backward: bool) -> Iterator[Term]:
    """The working set of one block: its own tensors, and in the backward the gradients of its MLP."""
    seen, tower = plan.vision, plan.shape.arch.part("vision")
    if seen is None or tower is None or not seen.patches:
        return
    learning = replace(seen, tower=True)
    whole = replace(plan, adapter=None, recompute=Recompute())
    if plan.recompute.on or not backward:
        for row in _block(whole, learning, tower):
            yield replace(_row(row, seen, seen.span, 1, plan.because(*_WHY)), id=f"vision.recomputed.{row.id}")
    if backward:
        shape = (("patch", seen.patches), ("width", (3 if tower.glu else 2) * tower.intermediate + tower.hidden))
        yield tensor(Bucket.ACTIVATIONS, "vision.in-flight.gradients", plan.because(*_WHY), shape, plan.precision.compute)
