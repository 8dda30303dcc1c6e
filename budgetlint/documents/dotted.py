"""What stands at a dotted path of a document, or how far the path leads."""

from __future__ import annotations

from itertools import islice

from budgetlint.base.record import record
from budgetlint.documents.node import Entry, Mapping, Node, Scalar, Sequence, step

LOOKED_AT = 500
"""Keys beside one that is not there: near names are looked for among so many."""


@record
class Reached:
    """``node`` is what stands there, None where the path ends before; ``key`` the last key on the way; ``reached`` the part of the path
    that is there, ``missing`` the next part, ``instead`` the first keys that stand beside it."""

    node: Node | None
    key: Scalar | None = None
    reached: str = ""
    missing: str = ""
    instead: tuple[str, ...] = ()


def follow(root: Node | None, path: str) -> Reached:
    """The node at keys and places in lists with dots between. A key that holds dots itself (``trainer.batch``) is found too, where no
    shorter key is there."""
    steps = path.split(".")
    node, key, at = root, None, 0
    while at < len(steps):
        taken, entry, below = _next(node, steps[at:])
        if below is None:
            instead = tuple(islice(node.keys(), LOOKED_AT)) if isinstance(node, Mapping) else ()
            return Reached(None, key, ".".join(steps[:at]), steps[at], instead)
        node, key, at = below, entry.key if entry is not None else key, at + taken
    return Reached(node, key, path)


def _next(node: Node | None, steps: list[str]) -> tuple[int, Entry | None, Node | None]:
    """How many steps lead to what lies below, by which entry."""
    if isinstance(node, Sequence):
        return 1, None, step(node, steps[0])
    if isinstance(node, Mapping):
        for taken in range(1, len(steps) + 1):
            entry = node.entry(".".join(steps[:taken]))
            if entry is not None:
                return taken, entry, entry.value
    return 1, None, None
