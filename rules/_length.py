"""Whether a batch is as long as the length that is written, or only at most."""

from __future__ import annotations

from budgetlint.documents.python_marks import FACTS
from budgetlint.rule import TRL_ARGUMENTS, RunContext, Setting, stated, trainer_of
from budgetlint.settings.run import SAID

from ._whatif import if_only

PADS_TO_THE_LONGEST = (*TRL_ARGUMENTS, "llamafactory", "axolotl", "ms_swift")
"""A batch of theirs is as long as its longest sample, unless samples are packed or padded to the limit."""

PARTS = (7, 6, 5, 4, 3, 2)
"""Eighths of the limit that are tried: a quarter of it, at least, must fit."""


def shorter_that_fits(run: RunContext) -> int | None:
    """The longest part of a written limit at which the run fits, where batches may be shorter than it; None where none does."""
    length = run.setting("seq_len")
    if length is None or not stated(length) or not length.known or _is_filled(run):
        return None
    if trainer_of(run, PADS_TO_THE_LONGEST) is None and not _is_cut(length):
        return None
    return next((seq for part in PARTS if _fits(run, seq := length.value * part // 8)), None)


def is_known_unfilled(run: RunContext) -> bool:
    """Nothing packs, and that is known: the program's default or a value that is written."""
    packing, length = run.setting("packing"), run.setting("seq_len")
    if length is not None and _is_cut(length) and packing is None:
        return not _is_filled(run)
    return packing is not None and packing.known and not packing.value and not _is_filled(run)


def _is_cut(length: Setting) -> bool:
    """Longer rows are cut to it by the program's own call of the tokenizer, which fills none up (`program.lengths`)."""
    return length.origin.key == f"{FACTS}.max_length"


def _fits(run: RunContext, seq: int) -> bool:
    shorter = if_only(run, seq=seq)
    return shorter is not None and shorter.limit is not None and shorter.need.bytes <= shorter.limit


def is_filled(run: RunContext) -> bool:
    """Every batch is as long as the length that is written, or a budget says the workload itself."""
    length = run.setting("seq_len")
    return _is_filled(run) or (length is not None and length.origin.kind in SAID)


def _is_filled(run: RunContext) -> bool:
    return bool(run.value("packing") or run.value("pad_to_seq_len")) or run.value("task") == "pretrain"
