"""Optimizers: canonical name, every ecosystem's spelling, what the state costs, what weight decay means."""

from __future__ import annotations

from budgetlint.base.record import record


@record
class StateTensor:
    """One per-parameter state tensor. ``dtype``: ``state`` follows the stored parameter (or master) dtype, ``low``
    does so and is absent for fp32, the others are fixed.

    ``scale`` is elements of state per parameter element for full-size states. ``layout``: ``full``, ``factored`` (row and
    column vectors of matrices, full for vectors), ``low-rank`` (GaLore/APOLLO projections of rank r). ``block`` elements
    share one fp32 absmax (two of them for a doubled state); tensors below ``small`` elements keep ``small_dtype`` states.
    Further layouts: ``projector`` (the other half of a low-rank projection), ``row`` (one value per row), ``scalar``,
    ``matrix`` and ``vector`` (full size, on matrices or vectors only). ``whole``: tensors that are no multiple of ``block``
    stay unquantised. ``rank`` is the default rank of the low-rank layouts.
    """

    name: str
    dtype: str = "state"  # state | low | fp32 | uint8 | uint4 | fp8
    scale: float = 1.0
    layout: str = "full"
    block: int = 0
    small: int = 0
    small_dtype: str = "fp32"
    whole: bool = False
    rank: int = 0


@record
class Optimizer:
    """One optimizer implementation.

    ``decay`` is ``decoupled | l2 | none | lamb``; ``default_weight_decay`` the library's own (a trainer may pass another).
    ``paged``: states live in managed memory that may leave the device. ``host``: states live in host memory.
    ``keeps_gradients``: False for LOMO-like ones.
    ``foreach``: the default multi-tensor step allocates ``step_temp`` lists of trainable-parameter size in the state dtype.
    """

    name: str
    library: str
    states: tuple[StateTensor, ...]
    decay: str
    spellings: tuple[str, ...]
    default_weight_decay: float | None = None
    adam_like: bool = False
    paged: bool = False
    keeps_gradients: bool = True
    step_temp: float = 0.0
    impl: str = ""  # foreach | fused | for-loop | kernel: the implementation this spelling fixes, "" leaves it to the default
    sources: tuple[str, ...] = ()
    note: str = ""
    host: bool = False
