"""How long the sequences of a model are that does not read text only: patches of an image, frames of sound, targets of a source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.ledger_vision import image_tokens
from budgetlint.memory.notes import Notes
from budgetlint.memory.plan import Plan
from budgetlint.memory.row_length import joins
from budgetlint.settings.run import Settings


def lengths_of(settings: Settings, arch: Architecture, notes: Notes) -> dict[str, Any]:
    """Fields of `Plan` that the kind of model decides."""
    return _KINDS[arch.kind](settings, arch, notes)


def _vision(settings: Settings, arch: Architecture, notes: Notes) -> dict[str, Any]:
    """An image is as many positions as it has patches, and the learned tokens before them; ``seq`` says another count."""
    batch = settings.value("micro_batch")
    images = settings.value("images") or 1
    found = {"batch": batch if batch is None else batch * images, "seq_is_limit": False, "cutoff": False, "lone": 0}
    if settings.value("seq_len"):
        return found
    side, count = arch.number("image_size"), image_tokens(arch)
    notes.assume(f"an image of {side} x {side} pixels is {count:,} positions; `seq` says otherwise", "seq_len")
    return {**found, "seq": count}


def _speech(settings: Settings, arch: Architecture, notes: Notes) -> dict[str, Any]:
    """Whisper pads or cuts sound to 30 seconds (feature_extraction_whisper.py ``chunk_length``); ``seq`` are its labels, of
    which a sentence has far fewer than the model takes."""
    source, most = arch.number("source_positions"), arch.max_positions or 0
    notes.assume(f"sound is padded to {source:,} encoder positions (30 s)", "audio_seconds")
    stated = settings.value("target_len") or settings.value("seq_len")
    if stated:
        return {"source": source, "seq": stated}
    notes.assume(f"labels are not stated: up to {most:,} tokens, all that the model takes; `seq` says fewer", "seq_len")
    return {"source": source, "seq": most, "cutoff": True, "seq_is_limit": bool(most) and not joins(settings)}


def _encoder_decoder(settings: Settings, _: Architecture, notes: Notes) -> dict[str, Any]:
    """``seq`` is the source; a target that nobody states may be as long, or short."""
    source, target = settings.value("seq_len"), settings.value("target_len")
    if source and not target:
        notes.assume(f"targets are not stated: up to the source's {source:,} tokens; `seq {source} target=N` says fewer", "target_len")
    return {"source": source, "seq": target or source, "cutoff": bool(source and not target)}


def _pair_of_towers(_: Settings, arch: Architecture, notes: Notes) -> dict[str, Any]:
    notes.missing.append("model")
    notes.assume(f"what the two towers of {arch.name} keep side by side is not modelled: the bill is its static state", "model")
    return {}


_KINDS = {"vision": _vision, "speech": _speech, "encoder-decoder": _encoder_decoder, "dual-encoder": _pair_of_towers}


def padded_or_not(plan: Plan, settings: Settings) -> Iterator[Plan]:
    """Sources of several lengths come with a padding mask (transformers DataCollatorForSeq2Seq), which every attention to them keeps a
    bias of; a batch of one or of equal lengths without. A target that nobody states may also be one token."""
    several = (plan.batch or 2) > 1 and not settings.value("packing")
    if several:
        yield replace(plan, padded=True)
    yield plan
    if plan.cutoff and plan.seq != 1:
        yield replace(plan, seq=1)
