"""The textbook formulas, by name, to put beside the estimate: simple, famous, and each off in its own way.

Korthikanti et al. 2022 (arXiv 2205.05198), eq. 1: activations of one transformer layer in 16 bit are
``s b h (34 + 5 a s / h)`` bytes; Rajbhandari et al. 2019 (ZeRO, arXiv 1910.02054), section 3.1: mixed-precision Adam takes
2 + 2 + 12 = 16 bytes a parameter; Chen et al. 2016 (arXiv 1604.06174): with a checkpoint every k layers, memory goes with
``L/k + k``, least at ``k = sqrt(L)``.
"""

from __future__ import annotations

from math import isqrt

from budgetlint.base.record import record

MIXED_ADAM = 16


def static_bytes(params: int, per_param: int = MIXED_ADAM, ranks: int = 1) -> int:
    """``params`` times bytes a parameter, split over ``ranks`` (ZeRO-3)."""
    return params * per_param // ranks


def korthikanti_layer(seq: int, batch: int, hidden: int, heads: int) -> int:
    """Bytes of one layer: ``s b h (34 + 5 a s / h)``."""
    return seq * batch * hidden * 34 + 5 * heads * seq * seq * batch


def korthikanti(seq: int, batch: int, hidden: int, heads: int, layers: int) -> int:
    return layers * korthikanti_layer(seq, batch, hidden, heads)


def checkpoint_cost(layers: int, every: int) -> int:
    """``m(k) = L/k + k`` in layers: segment inputs and the layers made again at once."""
    return -(-layers // every) + every


def best_checkpoint_every(layers: int) -> int:
    """The ``k`` with the least ``L/k + k``: next to ``sqrt(L)``."""
    root = max(1, isqrt(layers))
    return min((root, root + 1), key=lambda every: (checkpoint_cost(layers, every), every))


@record
class Textbook:
    """One textbook figure beside ours, in bytes."""

    name: str
    formula: str
    bytes: int
