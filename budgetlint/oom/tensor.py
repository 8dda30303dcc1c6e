"""One tensor that a run allocates."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.settings.run import Setting

KINDS = {
    "logits": "logits and loss",
    "scores": "attention scores",
    "attention": "attention",
    "mlp": "MLP",
    "hidden": "hidden states",
    "dropout": "dropout masks",
    "adapter": "adapter activations",
    "cache": "keys and values kept for generation",
    "weight": "weights",
    "quantised": "quantised weights",
    "dequantised": "dequantised weights",
    "gradient": "gradients",
    "state": "optimizer states",
    "flat": "flat buffers of the sharding engine",
    "gathered": "gathered parameters",
    "bucket": "buckets of the gradient reduction",
    "communicator": "communicators",
}
"""What a `Clue` and a tensor can be of."""


@record
class Tensor:
    """``arithmetic`` multiplies out to ``bytes``.

    ``per_token``: bytes for each token of the micro batch, where a shorter batch makes a smaller one, else 0; ``unit`` is then the
    arithmetic of one token. ``per_pair``: bytes for each pair of positions; ``unit`` then has two places for the length. ``up_to``:
    bytes it may have at most, where it ends with a whole parameter. ``planned`` False: the run as configured does not make it, only
    a run that differs from its config (another kernel, another dtype). ``size``: bytes an element, 0 where they are of
    several sizes. ``what`` are words for people: nothing is found by them.
    """

    bytes: int
    what: str
    arithmetic: str
    kind: str
    phase: str
    because: tuple[Setting, ...] = ()
    per_token: int = 0
    unit: str = ""
    planned: bool = True
    up_to: int = 0
    per_pair: int = 0
    size: int = 0


def sized(count: int, size: int) -> str:
    """``152,064 x 4 B``."""
    return f"{count:,} x {size} B"
