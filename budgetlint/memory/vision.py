"""The vision tower of a run: what of it trains, how many patches it sees, and what it holds at each moment of the step.

A frozen tower in front of everything that trains keeps nothing for a backward but its output. One that trains, or carries an adapter,
keeps what its blocks need (`towers.py`), or their inputs under checkpointing: transformers checkpoints the blocks of towers like those
of decoders (5.24.0 modeling_qwen2_vl.py ``Qwen2VLVisionBlock(GradientCheckpointingLayer)``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from budgetlint.base.record import record, replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.ledger import weight_tensors
from budgetlint.catalog.tensor import TOWER_PLACES
from budgetlint.memory.estimate import Bucket, Term
from budgetlint.memory.parallel import ALONE
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.memory.saved import Saved, total
from budgetlint.memory.shape import shape_of
from budgetlint.memory.towers import block_saved

_WHY = ("images", "image_max_pixels", "micro_batch", "train_vision", "model")


@record
class Vision:
    """``patches`` of one micro batch and ``span``, those that attend to one another; ``tower`` and ``projector``: their own weights
    train; ``roles``: linears of a block with an adapter; ``adapted``: inputs, outputs and number of every such linear, the projector's
    too."""

    patches: int = 0
    span: int = 1
    tower: bool = True
    projector: bool = True
    roles: frozenset[str] = frozenset()
    adapted: tuple[tuple[int, int, int], ...] = ()

    @property
    def learns(self) -> bool:
        """A gradient goes through the blocks."""
        return self.tower or bool(self.roles)


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


def stream_bytes(plan: Plan, tower: Architecture) -> int:
    """Between blocks, for each patch: the checkpoint of a block."""
    half = plan.precision.autocast and family_of(tower.family).tower.half_stream
    size = plan.precision.compute if half or not plan.precision.autocast else plan.precision.weights
    return size * tower.hidden


def kept(plan: Plan) -> Iterator[Term]:
    """What the tower holds from its forward to its backward, and what its output takes."""
    seen, tower = plan.vision, plan.shape.arch.part("vision")
    if seen is None or tower is None or not seen.patches:
        return
    yield _features(plan, seen, tower)
    if seen.projector and plan.full:
        yield _projected(plan, seen, tower)
    if not seen.learns:
        return
    layers = tower.layers - tower.number("unread")
    if plan.recompute.on:
        size = stream_bytes(plan, tower)
        what = f"{layers} inputs of vision blocks (checkpoints) x {seen.patches:,} patches x {size:,} B"
        yield Term(Bucket.ACTIVATIONS, layers * seen.patches * size, what, plan.because(*_WHY, "recompute"))
        return
    size = total(_block(plan, seen, tower), seen.patches, _pairs(seen, tower))
    what = f"{layers} vision blocks x {seen.patches:,} patches x {size // seen.patches:,} B"
    yield Term(Bucket.ACTIVATIONS, layers * size, what, plan.because(*_WHY, "recompute", "attention"))


def _merged(seen: Vision, tower: Architecture) -> int:
    """Tokens of the decoder."""
    return -(-seen.patches // tower.number("merge", 1) ** 2)


def _features(plan: Plan, seen: Vision, tower: Architecture) -> Term:
    """The projected images beside the embeddings that they are written into; Qwen3-VL has them for three more layers."""
    tokens, copies = _merged(seen, tower), 1 + tower.number("deepstack")
    size = copies * plan.precision.compute * plan.arch.hidden
    return Term(Bucket.ACTIVATIONS, tokens * size, f"images for the decoder: {tokens:,} tokens x {size:,} B", plan.because(*_WHY))


def _projected(plan: Plan, seen: Vision, tower: Architecture) -> Term:
    """Inputs of two linears and of the activation between them."""
    tokens, wide = _merged(seen, tower), tower.hidden * tower.number("merge", 1) ** 2
    size = plan.precision.compute * (wide + 2 * (wide if tower.number("projector") == 0 else plan.arch.hidden))
    return Term(Bucket.ACTIVATIONS, tokens * size, f"projector: {tokens:,} tokens x {size:,} B", plan.because(*_WHY, "train_projector"))


def one_block(plan: Plan, *, backward: bool) -> Iterator[Term]:
    """The working set of one block: its own tensors, and in the backward the gradients of its MLP."""
    seen, tower = plan.vision, plan.shape.arch.part("vision")
    if seen is None or tower is None or not seen.patches:
        return
    learning = replace(seen, tower=True)
    whole = replace(plan, adapter=None, recompute=Recompute())
    held = total(_block(whole, learning, tower), seen.patches, seen.span) if plan.recompute.on or not backward else 0
    width = (3 if tower.glu else 2) * tower.intermediate + tower.hidden
    flight = plan.precision.compute * width * seen.patches if backward else 0
    yield Term(Bucket.ACTIVATIONS, held + flight, f"one vision block at work: {seen.patches:,} patches", plan.because(*_WHY))
