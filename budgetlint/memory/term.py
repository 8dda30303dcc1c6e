"""A line of the bill: a tensor with its shape, and the bucket it is in."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from math import gcd
from typing import Protocol

from budgetlint.base.record import record
from budgetlint.settings.run import Setting


class Bucket(Enum):
    WEIGHTS = "weights"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer"
    ACTIVATIONS = "activations"
    LOGITS = "logits"
    BUFFERS = "buffers"
    ALLOCATOR = "allocator"
    CONTEXT = "context"

    __hash__ = object.__hash__  # members are singletons, and a bill looks them up often


ALLOCATED_BUCKETS = (Bucket.WEIGHTS, Bucket.GRADIENTS, Bucket.OPTIMIZER, Bucket.ACTIVATIONS, Bucket.LOGITS, Bucket.BUFFERS)


Dims = tuple[tuple[str, int], ...]
"""The shape of a tensor with names: ``batch 1 x seq 2,048 x vocab 152,064``; empty where there is none."""


class Part(Protocol):
    """Terms of one bucket, with their sum: one term, or many that are made when somebody reads them."""

    @property
    def bucket(self) -> Bucket: ...

    @property
    def bytes(self) -> int: ...

    @property
    def terms(self) -> tuple[Term, ...]: ...


class Shaped(Protocol):
    """A shape that is worked out when somebody reads it: a layer has many tensors, and most estimates are only added up."""

    @property
    def dims(self) -> Dims: ...


@record
class Source:
    """Where code stands. ``version``: in which it was read; empty where no one version is meant, like ``function`` where the file says
    enough."""

    framework: str
    version: str
    file: str
    function: str = ""

    def __str__(self) -> str:
        """``transformers loss/loss_utils.py ForCausalLMLoss``."""
        return " ".join(part for part in (self.framework, self.file, self.function) if part)


@record
class Term:
    """One line of the bill: one tensor, or what is none (the context). ``id`` says which, and stays when words change; everything that
    asks for a term asks by it. ``because``: the settings that set it, strongest first.

    ``shape`` x ``size`` / ``per`` / ``ranks`` gives ``bytes``, rounded to a whole one: ``size / per`` are the bytes of an element (9/16
    of nf4's), ``ranks`` hold a part each. Without a shape ``detail`` may say more. Words are made when they are asked for.
    """

    bucket: Bucket
    bytes: int
    id: str
    because: tuple[Setting, ...] = ()
    shape: Dims | Shaped = ()
    size: int = 0
    per: int = 1
    ranks: int = 1
    detail: str = ""

    def placed(self, because: tuple[Setting, ...]) -> Term:
        """The same, set by these."""
        return Term(self.bucket, self.bytes, self.id, because, self.shape, self.size, self.per, self.ranks, self.detail)

    def within(self, whose: str) -> Term:
        """The same tensor of another stack or model."""
        return Term(self.bucket, self.bytes, f"{whose}.{self.id}", self.because, self.shape, self.size, self.per, self.ranks, self.detail)

    @property
    def terms(self) -> tuple[Term, ...]:
        """As a `Part`."""
        return (self,)

    @property
    def dims(self) -> Dims:
        """The shape, worked out."""
        return self.shape if isinstance(self.shape, tuple) else self.shape.dims

    @property
    def label(self) -> str:
        """``logits, fp32 copy``."""
        from budgetlint.memory.labels import label

        return label(self.id)

    @property
    def arithmetic(self) -> str:
        """``batch 1 x seq 2,048 x vocab 152,064 x 4 B``."""
        dims = self.dims
        if not dims:
            return self.detail
        size = f"{self.size} B" if self.per == 1 else f"{'/'.join(map(str, self.fraction))} B"
        shape = " x ".join([f"{name} {count:,}" for name, count in dims])
        return f"{shape} x {size}{f' / {self.ranks} ranks' if self.ranks > 1 else ''}"

    @property
    def fraction(self) -> tuple[int, int]:
        """Bytes that hold so many elements, in lowest terms: 9 of them 16 weights of nf4."""
        common = gcd(self.size, self.per)
        return self.size // common, self.per // common

    @property
    def what(self) -> str:
        """Name and arithmetic."""
        arithmetic = self.arithmetic
        return f"{self.label}: {arithmetic}" if arithmetic else self.label


def written(parts: Iterable[Part]) -> tuple[Term, ...]:
    """The terms of these parts."""
    return tuple([term for part in parts for term in part.terms])


def tensor(bucket: Bucket, id: str, because: tuple[Setting, ...], shape: Dims, size: int, per: int = 1, ranks: int = 1) -> Term:
    """The term of a tensor: its bytes follow from its shape; each rank's part is rounded up."""
    count = size
    for _, many in shape:
        count *= many
    return Term(bucket, -(-(count // per) // ranks), id, because, shape, size, per, ranks)


def of_size(term: Term) -> Term:
    """The same without a shape, where that does not multiply out: several tensors in one, or parts that are rounded each."""
    shape = term.dims
    if shape and tensor(term.bucket, term.id, term.because, shape, term.size, term.per, term.ranks).bytes == term.bytes:
        return term
    return Term(term.bucket, term.bytes, term.id, term.because, detail=term.detail)
