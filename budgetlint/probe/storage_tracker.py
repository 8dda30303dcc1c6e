"""A dispatch mode that follows every storage: made by which operation, in which phase, until when it lives.

It sees what goes through torch's dispatcher, on meta, fake and real tensors alike. Memory that a kernel takes inside is not seen;
`kernels.py` makes it where CUDA's kernels are known to take some.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from budgetlint.probe.trace import ACTIVATIONS, BUFFERS, LOGITS, OPTIMIZER, WEIGHTS, Held, Trace

COPIES = frozenset({"_to_copy", "clone", "copy_", "add", "add_", "contiguous", "sum"})
"""Operations that make or change a tensor out of one of its own size: a gradient's parts are gradients too."""


class StorageTracker(TorchDispatchMode):
    """``device``: storages elsewhere (scalars on the host) do not count. ``vocabulary``: the size of the logits' last dimension, 0
    where there are none."""

    def __init__(self, device: str, vocabulary: int = 0, unit: int = 512) -> None:
        super().__init__()
        self.trace = Trace(unit=unit)
        self.device = device
        self.vocabulary = vocabulary
        self.layer: int | None = None
        self.phase = ""
        self.forced = ""
        self._known: dict[int, int] = {}

    # -- from outside ----------------------------------------------------------------------------------------------------

    def mark(self, phase: str) -> None:
        """From here on this phase runs."""
        self.phase = phase
        self.trace.mark(phase)

    @contextmanager
    def as_bucket(self, bucket: str) -> Iterator[None]:
        """What is made inside belongs to this bucket."""
        before, self.forced = self.forced, bucket
        try:
            yield
        finally:
            self.forced = before

    def hold(self, tensor: torch.Tensor, bucket: str, layer: int | None = None) -> None:
        """Count a tensor that was there before the mode was entered."""
        with self.as_bucket(bucket):
            self.layer, before = layer, self.layer
            self._track(_local(tensor), "load", ())
            self.layer = before

    def belongs(self, tensors: Iterable[torch.Tensor], bucket: str) -> None:
        """Say late what these are, and what of their own size they were made of."""
        waiting = [number for tensor in tensors if (number := self._number(tensor)) is not None]
        for number in waiting:
            self.trace.held[number].bucket = bucket
        seen: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            held = self.trace.held[number]
            if held.bucket in (ACTIVATIONS, LOGITS, bucket):
                held.bucket = bucket
                waiting.extend(held.made_of)

    def resized(self, tensor: torch.Tensor, bucket: str) -> None:
        """A storage was emptied or filled again, which no operation says."""
        storage = tensor.untyped_storage()
        number = self._known.pop(storage._cdata, None)
        if number is not None:
            self._event(-number - 1)
        with self.as_bucket(bucket):
            self._track(tensor, "gather", ())

    def settle_step(self) -> None:
        """After the optimizer's step: what it left is state, what it freed was temporary."""
        living = set(self._known.values())
        for number, held in enumerate(self.trace.held):
            if held.bucket == "":
                held.bucket = OPTIMIZER if number in living else BUFFERS

    # -- what happens ------------------------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(one, _DTENSOR) for one in types):
            return NotImplemented  # its own dispatch first, which comes back here with the local tensors
        made = func(*args, **(kwargs or {}))
        name = func._overloadpacket.__name__
        for leaf in tree_leaves(made):
            if isinstance(leaf, torch.Tensor):
                self._track(leaf, name, args)
        if name in ("add_", "copy_") and len(args) > 1:
            self._link(args[0], args[1])
        return made

    def _number(self, tensor: torch.Tensor) -> int | None:
        return self._known.get(_local(tensor).untyped_storage()._cdata)

    def _link(self, into: Any, other: Any) -> None:
        if isinstance(into, torch.Tensor) and isinstance(other, torch.Tensor) and into.shape == other.shape:
            one, two = self._number(into), self._number(other)
            if one is not None and two is not None and one != two and self.phase.startswith("backward"):
                self.trace.held[one].made_of += (two,)

    def _track(self, tensor: torch.Tensor, op: str, args: Any) -> None:
        if tensor.device.type != self.device:
            return
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key in self._known or not size:
            return
        number = len(self.trace.held)
        self.trace.held.append(self._described(tensor, size, op, args))
        self._known[key] = number
        self._event(number + 1)
        weakref.finalize(storage, self._freed, key, number).atexit = False

    def _described(self, tensor: torch.Tensor, size: int, op: str, args: Any) -> Held:
        sources = self._sources(tensor, args) if op in COPIES else ()
        layer = self._owner(args) if self.phase == "step" else self.layer
        bucket = self.forced or self._bucket(tensor, op, sources)
        dtype = str(tensor.dtype).removeprefix("torch.")
        return Held(size, dtype, tuple(tensor.shape), op, bucket, self.phase, layer, sources)

    def _sources(self, tensor: torch.Tensor, args: Any) -> tuple[int, ...]:
        alike = (one for one in tree_leaves(args) if isinstance(one, torch.Tensor) and one.numel() == tensor.numel())
        return tuple(number for one in alike if (number := self._number(one)) is not None)

    def _owner(self, args: Any) -> int | None:
        """The layer of the weight that an optimizer makes something for."""
        first = next((one for one in tree_leaves(args) if isinstance(one, torch.Tensor)), None)
        number = None if first is None else self._number(first)
        return None if number is None else self.trace.held[number].layer

    def _bucket(self, tensor: torch.Tensor, op: str, sources: tuple[int, ...]) -> str:
        if self.phase == "step":
            return ""  # `settle_step` says
        if op == "_to_copy" and sources and self.trace.held[sources[0]].bucket == WEIGHTS:
            return BUFFERS
        if self.vocabulary and tensor.dim() > 1 and tensor.shape[-1] == self.vocabulary:
            return LOGITS
        return ACTIVATIONS

    def _event(self, event: int) -> None:
        self.trace.events.append(event)
        self.trace.where.append(self.layer)

    def _freed(self, key: int, number: int) -> None:
        if self._known.get(key) == number:
            self._event(-number - 1)
            del self._known[key]


def _dtensor() -> type:
    try:
        from torch.distributed.tensor import DTensor
    except ImportError:
        return type("None", (), {})
    return DTensor


_DTENSOR = _dtensor()


def _local(tensor: torch.Tensor) -> torch.Tensor:
    """The part of a sharded tensor that this rank holds."""
    return tensor._local_tensor if isinstance(tensor, _DTENSOR) else tensor  # type: ignore[attr-defined,no-any-return]
