"""Which tensors of a run are behind a message: by the size that it quotes, the kind and the phase that the traceback tells.

A size proves little alone: a config's tensors are many and powers of two meet. So every candidate says what speaks for it, and where
two kinds are equally likely, both are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isqrt

from budgetlint.base.record import record
from budgetlint.oom.sizes import SizeRange
from budgetlint.oom.tensor import Tensor
from budgetlint.oom.traceback import Clue


@record
class Batch:
    """The tokens of one micro batch, and of one sequence, that the run can have at most, None where the run does not say;
    ``sequences`` in it."""

    tokens: int | None
    sequences: int = 1
    length: int | None = None


@record
class Candidate:
    """``by_size``: exact, tokens (a batch of ``low`` to ``high`` tokens has the size) or length (sequences so long have it)."""

    tensor: Tensor
    by_size: str
    score: int
    low: int = 0
    high: int = 0

    @property
    def arithmetic(self) -> str:
        if self.by_size == "exact":
            return self.tensor.arithmetic
        return self.tensor.unit.format(self.many) if self.by_size == "length" else f"{self.many} tokens x {self.tensor.unit}"

    @property
    def many(self) -> str:
        """``8,190 to 8,193``."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,} to {self.high:,}"


_EXACT, _TOKENS = 3, 2
_KIND, _OTHER_KIND = 5, -5
_PHASE, _OTHER_PHASE = 1, -2
_PLANNED, _LONGER, _WIDTH = 1, -3, 2
"""What speaks for a candidate: size, kind, phase, that the config makes it, that its batch is no longer than the config allows, that its
elements are as wide as the frame says."""


def candidates(tensors: Iterable[Tensor], span: SizeRange, clue: Clue, batch: Batch) -> tuple[Candidate, ...]:
    """Those that the size allows, likeliest first."""
    found = [one for tensor in tensors for one in _candidate(tensor, span, clue, batch)]
    return tuple(sorted(found, key=lambda one: (-one.score, one.by_size != "exact", -one.tensor.bytes)))


def _candidate(tensor: Tensor, span: SizeRange, clue: Clue, batch: Batch) -> Iterator[Candidate]:
    told = _told(tensor, clue)
    if tensor.bytes in span or tensor.bytes <= span.high <= tensor.up_to:
        if not span.vague or clue.kind == tensor.kind:
            yield Candidate(tensor, "exact", _EXACT + told)
    elif not span.vague and _may_vary(tensor, clue):
        by_size = "tokens" if tensor.per_token else "length"
        low, high = _tokens(tensor, span, batch.sequences) if tensor.per_token else _length(tensor, span)
        if 0 < low <= high:
            yield Candidate(tensor, by_size, _TOKENS + told + (_LONGER if _longer(tensor, low, batch) else 0), low, high)


def _may_vary(tensor: Tensor, clue: Clue) -> bool:
    """A batch of unknown length explains any size, so it needs a frame that says what kind of tensor it was; without frames only
    the widest, the logits, are worth a guess. Evaluation may keep any number of tokens, where the traceback is of one."""
    if not (tensor.per_token or tensor.per_pair) or (tensor.phase == "eval" and clue.phase != "eval"):
        return False
    return tensor.kind == clue.kind or (not clue.kind and tensor.kind == "logits" and clue.phase in ("", "forward", "backward", "eval"))


def _longer(tensor: Tensor, low: int, batch: Batch) -> bool:
    limit = batch.tokens if tensor.per_token else batch.length
    return limit is not None and low > limit and tensor.phase != "eval"


def _length(tensor: Tensor, span: SizeRange) -> tuple[int, int]:
    """The lengths whose square of positions has the size."""
    return isqrt((span.low - 1) // tensor.per_pair) + 1, isqrt(span.high // tensor.per_pair)


def _told(tensor: Tensor, clue: Clue) -> int:
    score = _PLANNED if tensor.planned else 0
    if clue.kind:
        score += _KIND if tensor.kind == clue.kind else _OTHER_KIND
    if clue.phase:
        score += _PHASE if tensor.phase == clue.phase else _OTHER_PHASE
    if clue.width and tensor.kind == clue.kind and tensor.size == clue.width:
        score += _WIDTH
    return score


def _tokens(tensor: Tensor, span: SizeRange, sequences: int) -> tuple[int, int]:
    """The batches, in tokens, whose tensor has the size; where there are some, those of whole sequences."""
    low, high = -(-span.low // tensor.per_token), span.high // tensor.per_token
    first, last = -(-low // sequences) * sequences, high // sequences * sequences
    return (first, last) if first <= last else (low, high)


def nearest(tensors: Iterable[Tensor], span: SizeRange, clue: Clue) -> Tensor | None:
    """The planned tensor whose size is closest, of the kind and phase that the traceback tells."""
    agreeing = [one for one in tensors if one.planned and clue.kind in ("", one.kind) and clue.phase in ("", one.phase)]
    middle = (span.low + span.high) // 2
    return min(agreeing, key=lambda tensor: abs(tensor.bytes - middle), default=None)
