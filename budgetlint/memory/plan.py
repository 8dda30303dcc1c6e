"""A plan: one run on one target with every figure concrete, or marked as missing. What the estimator computes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.device import Device
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.memory.estimate import Assumption
from budgetlint.memory.shape import Linear, Shape
from budgetlint.run import Setting

DTYPE_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1}


@dataclass(frozen=True, slots=True)
class Precision:
    """Bytes an element takes, by role.

    ``weights`` as resident, ``grads`` as stored, ``master`` of a separate copy (0: none), ``state`` of the optimizer state
    before its own quantisation, ``compute`` of matmul inputs and outputs. ``autocast``: torch autocast is on, so linears
    take and give ``compute`` while norms and the residual stream keep what the weights give.
    """

    weights: int
    grads: int
    master: int
    state: int
    compute: int
    autocast: bool
    recipe: str


@dataclass(frozen=True, slots=True)
class Quant:
    """A quantised frozen base. ``bytes_num/bytes_den`` are bytes per weight of the block linears as an exact fraction,
    ``per_input`` further bytes per input row of each linear (GPTQ's group index); ``upcast``: which of the
    unquantised parts are fp32 (``none | norms | all``). ``experts``: a mixture's experts are quantised too."""

    kind: str
    bytes_num: int
    bytes_den: int
    upcast: str
    compute: int
    per_input: int = 0
    experts: bool = True


@dataclass(frozen=True, slots=True)
class Adapter:
    """LoRA. ``targets`` are the adapted linears of one layer (and the head where it is adapted), ``dtype`` its bytes."""

    r: int
    dropout: float
    dtype: int
    targets: frozenset[str]
    dora: bool = False
    saved_modules: int = 0


@dataclass(frozen=True, slots=True)
class Recompute:
    """Activation checkpointing: ``kind`` none, selective or full, on every ``every``-th layer."""

    kind: str = "none"
    every: int = 1
    reentrant: bool = False
    offload: bool = False

    @property
    def on(self) -> bool:
        return self.kind != "none"


@dataclass(frozen=True, slots=True)
class Zero:
    """DeepSpeed's buffers, in elements (deepspeed/runtime/zero/config.py 0.19.6)."""

    reduce_bucket: int = 500_000_000
    allgather_bucket: int = 500_000_000
    overlap: bool = False
    contiguous: bool = True
    prefetch: int = 50_000_000
    persistence: int = 100_000
    max_live: int = 1_000_000_000
    sub_group: int = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Sharding:
    """Data-parallel layout. ``world`` is the data-parallel degree; the ``*_over`` say over how many ranks each is split."""

    kind: str = "none"
    strategy: str = "full"
    world: int = 1
    params_over: int = 1
    grads_over: int = 1
    states_over: int = 1
    reshard: bool = True
    offload_optimizer: bool = False
    offload_params: bool = False
    wrap: str = "layer"
    zero: Zero = Zero()

    @property
    def is_fsdp(self) -> bool:
        return self.kind in ("fsdp", "fsdp2")

    @property
    def is_zero(self) -> bool:
        return self.kind.startswith("zero")


@dataclass(frozen=True)
class Plan:
    """Everything the estimator needs. ``batch`` and ``seq`` are None where the run does not say them.

    ``repeat_kv``: the attention kernel gets a copy of the keys and values for every query head. ``model_split``: over how
    many ranks tensor, pipeline, context and expert parallelism split the model: their layouts are not modelled, so the low
    end is divided by it and the answer stays open (at most, where a degree is not known). ``whole_gradients``: FSDP keeps the
    gradients of earlier micro batches unsharded. ``cutoff``: ``seq`` is where a default cuts samples, which may all be
    shorter. ``optimizer_in_backward``: each parameter steps as soon as its gradient is
    there. ``reference``: the frozen model beside the one that trains.
    """

    arch: Architecture
    shape: Shape
    precision: Precision
    optimizer: Optimizer
    optimizer_impl: str
    batch: int | None
    seq: int | None
    accum: int
    recompute: Recompute
    attention: str  # flash | efficient | math | eager
    loss: str  # full | full-14 | full-8 | fused | chunked ...
    sharding: Sharding
    whole_gradients: bool = False
    optimizer_in_backward: bool = False
    cutoff: bool = False
    adapter: Adapter | None = None
    quant: Quant | None = None
    kernels: frozenset[str] = frozenset()
    compile: bool = False
    expert_loop: bool = False
    repeat_kv: bool = False
    model_code: str = "transformers"
    eval_batch: int | None = None
    head: str = ""
    reference: Architecture | None = None
    model_split: int = 1
    padded: bool = False
    device: Device | None = None
    origins: Mapping[str, Setting] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of one micro batch; 1 stands for what is not known."""
        return (self.batch or 1) * (self.seq or 1)

    @property
    def length(self) -> int:
        return self.seq or 1

    @property
    def makes_logits(self) -> bool:
        """Something of vocabulary width stands at the end: a decoder's head, or an encoder's for masked language modelling."""
        return self.arch.kind in ("decoder", "encoder-decoder") or self.masked

    @property
    def masked(self) -> bool:
        """An encoder with its language-modelling head (``model bert-large-uncased head=lm``)."""
        return self.arch.kind == "encoder" and self.head == "lm"

    @property
    def full(self) -> bool:
        """The model itself trains."""
        return self.adapter is None

    def because(self, *names: str) -> tuple[Setting, ...]:
        """The settings among ``names`` that this run has, in that order."""
        return tuple(self.origins[name] for name in names if name in self.origins)

    @property
    def quantised_weights(self) -> int:
        """Weights of one layer that a quantised base holds packed."""
        if self.quant is None:
            return 0
        return sum(linear.weights for linear in self.shape.layer if self.quant.experts or not linear.role.startswith("expert_"))

    def adapted(self, linear: Linear) -> bool:
        return self.adapter is not None and linear.role in self.adapter.targets

    def trains(self, linear: Linear) -> bool:
        """The linear's own weight trains (its input is kept for the weight gradient)."""
        return self.full and not linear.frozen
