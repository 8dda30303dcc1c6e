"""From a run's settings to what its vision tower does: what of it trains, and how many patches it may see."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.targets import resolve_targets
from budgetlint.memory.method import targets_of
from budgetlint.memory.notes import Notes
from budgetlint.memory.plan import Plan
from budgetlint.memory.vision_plan import Vision
from budgetlint.settings.run import Settings

FROZEN = {
    "train_vision": ("vision_tower", "visual", "vision_model", "vision", "vit", "vision_encoder"),
    "train_projector": ("multi_modal_projector", "projector", "merger", "aligner", "connector", "mlp1", "visual"),
}
"""What ``freeze`` calls the parts; Qwen's ``visual`` holds both."""


def views(plan: Plan, settings: Settings, notes: Notes) -> Iterator[Plan]:
    """The plan with as many images as are stated; else with none, and with as many as its sequences hold."""
    tower = plan.arch.part("vision")
    if tower is None:
        yield plan
        return
    seen = _what_trains(plan, settings)
    for patches, span in _workloads(plan, settings, tower, notes):
        yield replace(plan, vision=replace(seen, patches=patches, span=span))


def _what_trains(plan: Plan, settings: Settings) -> Vision:
    frozen = {str(name).rpartition(".")[2] for name in settings.value("freeze", ()) or ()}
    trains = [settings.value(name, frozen.isdisjoint(names)) is not False for name, names in FROZEN.items()]
    if plan.full:
        return Vision(tower=trains[0], projector=trains[1])
    adapted = _adapted(plan, settings, tower=trains[0], projector=trains[1])
    roles = frozenset(role for role, place, *_ in adapted if place == "vision")
    return Vision(tower=False, projector=False, roles=roles, adapted=tuple(sizes for _, _, sizes in adapted))


def _adapted(plan: Plan, settings: Settings, *, tower: bool, projector: bool) -> list[tuple[str, str, tuple[int, int, int]]]:
    """Linears of tower and projector that the targets of an adapter mean: PEFT looks at names only."""
    places = {place for place, wanted in (("vision", tower), ("projector", projector)) if wanted}
    if not places:
        return []
    targets = tuple(settings.value("lora_targets", None) or ("all-linear",))
    matched, _ = resolve_targets(plan.arch, targets_of(plan.arch, targets))
    return [(item.role, item.where, (item.inputs, item.outputs, item.layers * item.per_layer)) for item in matched if item.where in places]


# -- images ------------------------------------------------------------------------------------------------------------


def _workloads(plan: Plan, settings: Settings, tower: Architecture, notes: Notes) -> Iterator[tuple[int, int]]:
    """Patches of a micro batch, and of one image, as readings: the best first."""
    sequences, images = plan.batch or 1, settings.value("images")
    held = plan.length * tower.number("merge", 1) ** 2 if plan.seq else 0
    least, most = _image(settings, tower)
    if images is None:
        whole = max(held, most) if held and _cuts_text_alone(settings) else held
        if held:
            room = f"as many as its {plan.length:,} tokens hold" if whole == held else f"one of {most:,} patches"
            notes.assume(f"images in a sequence are not stated: none, up to {room}; `batch … images=N`", "images")
        yield 0, 1
        if held:
            yield sequences * whole, min(whole, most) or 1
        return
    patches = min(images * most, held) if held else images * most
    yield sequences * patches, min(most, patches) or 1
    if least != most and images:
        notes.assume(
            f"images are as large as they may be: {min(most, patches // images):,} patches each; smaller ones take less", "image_max_pixels"
        )
        yield sequences * images * least, least


def _cuts_text_alone(settings: Settings) -> bool:
    """LLaMA-Factory cuts the ids of a text at ``cutoff_len`` and leaves its images whole (0.9.4 ``data/processor/supervised.py``
    infer_seqlen, ``data/collator.py`` get_mm_inputs): the tower sees the largest image, however short the text."""
    length = settings.get("seq_len")
    return length is not None and (length.origin.key == "cutoff_len" or "cutoff_len" in length.origin.note)


def _image(settings: Settings, tower: Architecture) -> tuple[int, int]:
    """The fewest and the most patches of one image."""
    patch, merge, known = tower.number("patch_size", 1), tower.number("merge", 1), family_of(tower.family).tower
    if known.square:
        side = (tower.number("image_size") // patch) ** 2
        tiles = settings.value("image_tiles", TILES) if tower.number("tiled") else 1
        return side, side * tiles
    pixels = settings.value("image_max_pixels") or known.largest_pixels or tower.number("image_size") ** 2
    return merge**2, max(merge**2, pixels // patch**2)


TILES = 13
"""Tiles of one image where nobody says how many: InternVL's 12 and a small whole (``max_dynamic_patch`` of its config.json, and
``use_thumbnail``)."""
