"""A plan: one run on one target with every figure concrete, or marked as missing. What the estimator computes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from budgetlint.base.record import field, open_record, record
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.device import Device
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.memory.notes import Assumption
from budgetlint.memory.parallel import ALONE, Parallel, Stage
from budgetlint.memory.shape import Linear, Shape, shape_of
from budgetlint.memory.term import Dims
from budgetlint.settings.run import Setting

if TYPE_CHECKING:
    from budgetlint.memory.vision_plan import Vision

HEADLESS = frozenset({"classification", "regression", "none"})
"""``model_head``: what stands in the place of a language-modelling head (AutoModelForSequenceClassification), or nothing."""

GENERATES = frozenset({"decoder", "encoder-decoder", "speech"})
"""Kinds of models with a language-modelling head at the end."""

DTYPE_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1}


@record
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


@record
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


@record
class Adapter:
    """LoRA. ``targets`` are the adapted linears of one layer (and the head where it is adapted), ``dtype`` its bytes. ``saved_modules``:
    elements of tables that train in full beside it, of ``saved_dtype`` bytes (0: as the adapter)."""

    r: int
    dropout: float
    dtype: int
    targets: frozenset[str]
    dora: bool = False
    saved_modules: int = 0
    saved_dtype: int = 0

    def bytes_of(self, elements: int) -> int:
        """Bytes of so many trained elements, the saved tables among them."""
        saved = min(self.saved_modules, elements) if self.saved_dtype else 0
        return (elements - saved) * self.dtype + saved * self.saved_dtype


@record
class Recompute:
    """Activation checkpointing: ``kind`` none, selective, full or core (Megatron's selective: only the scores are made again), on
    every ``every``-th layer; ``chunk`` layers share a checkpoint; ``first``: only so many layers, from the first on."""

    kind: str = "none"
    every: int = 1
    reentrant: bool = False
    offload: bool = False
    chunk: int = 1
    first: int | None = None

    @property
    def on(self) -> bool:
        return self.kind not in ("none", "core")


@record
class Zero:
    """DeepSpeed's buffers, in elements (deepspeed/runtime/zero/config.py 0.19.6). ``early``: stages 1 and 2 make their reduce bucket before
    the loss runs backward, not at its first gradient; ``masks``: they look for overflow in masks of each gradient (`versions.py`)."""

    reduce_bucket: int = 500_000_000
    allgather_bucket: int = 500_000_000
    overlap: bool = False
    contiguous: bool = True
    prefetch: int = 50_000_000
    max_live: int = 1_000_000_000
    max_reuse: int = 1_000_000_000
    persist: int = 100_000
    sub_group: int = 1_000_000_000
    secondary: int = 0
    early: bool = False
    masks: bool = False


@record
class Sharding:
    """Data-parallel layout. ``world`` is the data-parallel degree; the ``*_over`` say over how many ranks each is split.
    ``group``: ranks that hold one copy together (0: all, or all over ``replicas``). ``reduce_bytes``: of an element in which FSDP2
    reduces gradients, 0 where no setting says. ``rank``: which of the ranks the plan is of, where they differ (`zero_reduce.py`)."""

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
    group: int = 0
    replicas: int = 1
    reduce_bytes: int = 0
    rank: int | None = None

    @property
    def is_fsdp(self) -> bool:
        return self.kind in ("fsdp", "fsdp2")

    @property
    def is_zero(self) -> bool:
        return self.kind.startswith("zero")


@record
class Accumulation:
    """How gradients live from one micro batch, and one step, to the next. ``unreduced``: FSDP keeps those of earlier micro batches whole
    (``no_sync``). ``one_buffer``: they lie in one buffer from the start. ``zeroed``: ``zero_grad`` leaves them there instead of dropping
    them (`versions.py`). ``left_behind``: Megatron-LM 2.0 to 2.5 keeps those of the step before as well (`local_ddp.py`)."""

    unreduced: bool = False
    one_buffer: bool = False
    zeroed: bool = False
    left_behind: bool = False


@record
class Beside:
    """A model beside the one that trains. ``size``: bytes of a weight; ``trains``: it has optimizer states (a critic), and
    ``together``: its backward is the policy's."""

    role: str
    arch: Architecture
    size: int
    trains: bool = False
    together: bool = False


@record
class RolloutPlan:
    """How a run writes what it trains on. ``engine`` hf: the trained model's own ``generate`` over ``batch`` sequences. Any other
    engine takes ``share_ppm`` of the device; ``sleeps``: not while the policy trains. ``frees``: what waits on the host meanwhile.
    ``gathers``: ZeRO-3 makes the model whole."""

    engine: str
    batch: int = 0
    share_ppm: int = 0
    sleeps: bool = False
    frees: frozenset[str] = frozenset()
    gathers: bool = True


@record
class Compiled:
    """What torch.compile is given (`compiled.py`). ``scope``: ``layers``, each for itself, ``model`` in one graph, or nothing; ``loss``:
    ``inside`` that graph, ``apart`` in its own, or eager; ``returned``: the graph gives the logits back beside the loss. How the model code
    hands q, k and v to a fused kernel: ``head_major``: queries as a copy by heads; ``views``: values as a view of the packed three, which
    stays for them; ``repeats``: keys and values copied to every query head."""

    scope: str = ""
    loss: str = ""
    returned: bool = False
    head_major: bool = False
    views: bool = False
    repeats: bool = False


@open_record
class Plan:
    """Everything the estimator needs. ``batch`` and ``seq`` are None where the run does not say them.

    ``repeat_kv``: the attention kernel gets a copy of the keys and values for every query head. ``parallel``: how
    tensor, pipeline, context and expert parallelism split the model; ``stage``: the part of it that the plan is of (`rank.py`).
    ``model_split``: over how many ranks at most, where the layout is not modelled: the low end is divided by it, the answer open.
    ``seq_is_limit``: no row need be as long (`row_length.py`). ``cutoff``: ``seq`` is where a default cuts samples, which may all be
    shorter; ``lone``: the sequences of one example, where a flattened batch needs no other as long.
    ``optimizer_in_backward``: each parameter steps as soon as its gradient is there.
    ``source``: positions of the encoder that a decoder attends to, its own are ``seq`` (`two_stacks.py`); ``side``: the stack that the
    plan is of, ``encoder`` or the whole model's, which is its last one.
    ``eager_modules``: every kernel is loaded with the context (`versions.py`).
    ``vision``: what a tower in front of the decoder does.
    ``wide_embedding``: an 8-bit optimizer keeps the embedding's states in 32 bit.
    ``eval_cache``, ``eval_loss``: what an evaluation keeps, or may make (`evaluation.py`).
    ``scoring``: sequences of a pass that only makes log-probabilities (`scoring.py`).
    ``beside``: other models on the device. ``completion``: the longest completion, where only completions get logits.
    ``totals``: least, best and most bytes of the device, which a rollout engine takes its share of; None: not known yet.
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
    loss: str  # a recipe of `budgetlint.memory.loss`
    sharding: Sharding
    accumulation: Accumulation = Accumulation()
    optimizer_in_backward: bool = False
    wide_embedding: bool = False
    seq_is_limit: bool = False
    cutoff: bool = False
    lone: int = 0
    adapter: Adapter | None = None
    quant: Quant | None = None
    kernels: frozenset[str] = frozenset()
    compiled: Compiled = Compiled()
    expert_loop: bool = False
    repeat_kv: bool = False
    model_code: str = "transformers"
    eval_batch: int | None = None
    eval_cache: str = ""
    eval_loss: str = ""
    head: str = ""
    beside: tuple[Beside, ...] = ()
    completion: int | None = None
    rollout: RolloutPlan | None = None
    scoring: int | None = None
    totals: tuple[int, int, int] | None = None
    model_split: int = 1
    parallel: Parallel = ALONE
    stage: Stage | None = None
    padded: bool = False
    vision: Vision | None = None
    source: int | None = None
    side: str = ""
    eager_modules: bool = False
    device: Device | None = None
    origins: Mapping[str, Setting] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of one micro batch on one rank (context parallelism splits sequences); 1 stands for what is not known."""
        return -(-(self.batch or 1) * self.length // self.parallel.context)

    @property
    def rows(self) -> Dims:
        """The same as a shape: sequences and the positions of each that are on this rank, or their tokens where they do not divide."""
        split = self.parallel.context
        if self.length % split:
            return (("token", self.tokens),)
        return ("batch", self.batch or 1), ("seq", self.length // split)

    @property
    def length(self) -> int:
        """Tokens of the longest sequence; at least its completion where the prompt is not known."""
        return self.seq or self.completion or 1

    @property
    def scored(self) -> int:
        """Tokens of one micro batch that get logits: all, or the completions (TRL asks the model for one more each)."""
        return self.tokens if self.completion is None else min(self.tokens, (self.batch or 1) * (self.completion + 1))

    @property
    def scored_rows(self) -> Dims:
        """The same as a shape."""
        if self.completion is None:
            return self.rows
        return (("batch", self.batch or 1), ("completion", self.completion + 1)) if self.scored < self.tokens else self.rows

    @property
    def makes_logits(self) -> bool:
        """Something of vocabulary width stands at the end: a decoder's head, or an encoder's for masked language modelling."""
        here = (self.stage is None or self.stage.last) and not self.side
        return here and ((self.arch.kind in GENERATES and self.head not in HEADLESS) or self.masked)

    @property
    def ends_here(self) -> bool:
        """The final norm and what follows it are on this rank."""
        return self.stage is None or self.stage.last

    @property
    def stream(self) -> int:
        """Width of the residual stream between blocks that one rank keeps: sequence parallelism splits its positions."""
        return -(-self.arch.hidden // self.parallel.stream_over)

    @property
    def masked(self) -> bool:
        """An encoder with its language-modelling head (``model bert-large-uncased head=lm``)."""
        return self.arch.kind == "encoder" and self.head == "lm"

    @property
    def compile(self) -> bool:
        """Layers or the model are compiled."""
        return bool(self.compiled.scope)

    @property
    def full(self) -> bool:
        """The model itself trains."""
        return self.adapter is None

    def because(self, *names: str) -> tuple[Setting, ...]:
        """The settings among ``names`` that this run has, in that order."""
        origins = self.origins
        return tuple([origins[name] for name in names if name in origins])

    @property
    def quantised_weights(self) -> int:
        """Weights of one layer that a quantised base holds packed."""
        if self.quant is None:
            return 0
        return sum(linear.weights for linear in self.shape.layer if self.quant.experts or not linear.role.startswith("expert_"))

    @property
    def all_quantised(self) -> int:
        """The same of every layer, in both stacks of an encoder-decoder."""
        front = self.shape.encoder
        behind = front.layers * front.layer_linears if front is not None and self.quant is not None else 0
        return self.quantised_weights * self.shape.layers + behind + (self.shape.odd if self.quant is not None else 0)

    @property
    def expert_elements(self) -> int:
        """Elements of the routed experts on this rank."""
        return self.shape.layers * sum(linear.weights for linear in self.shape.layer if linear.role.startswith("expert_"))

    @property
    def ranks(self) -> int:
        """Processes of the run, as far as known."""
        return max(self.sharding.world, self.parallel.context, self.parallel.expert) * self.parallel.ranks

    def of_this_rank(self, count: int) -> int:
        """This rank's part of what lies over a whole model that is split as this one."""
        return count if self.stage is None else -(-count * self.shape.total // shape_of(self.shape.arch).total)

    @property
    def carries(self) -> bool:
        """Gradients of an earlier micro batch, or their zeroed buffers, are there when a backward begins."""
        return self.accum > 1 or self.accumulation.one_buffer or self.accumulation.zeroed

    @property
    def runs_deepspeed(self) -> bool:
        """DeepSpeed's own ZeRO engine (`zero.py`): not Megatron's distributed optimizer, whose gradients lie in one buffer; not
        ``BF16_Optimizer``, which ZeRO-1 in bf16 with fp32 accumulation has; not its pipeline, nor a step inside the backward."""
        if not self.sharding.is_zero or self.parallel.pipeline > 1 or self.optimizer_in_backward or not self.optimizer.keeps_gradients:
            return False
        return not ((self.accumulation.one_buffer and "zero_bucket" not in self.origins) or self.has_bf16_optimizer)

    @property
    def has_bf16_optimizer(self) -> bool:
        """DeepSpeed 0.18.6 engine.py: bf16 with fp32 accumulation at stage 1 without offload."""
        wide = self.precision.weights == 2 and self.precision.grads == 4 and self.precision.recipe.endswith("bf16")
        return self.sharding.kind == "zero1" and wide and self.full and not self.sharding.offload_optimizer

    def adapted(self, linear: Linear) -> bool:
        return self.adapter is not None and linear.role in self.adapter.targets

    def trains(self, linear: Linear) -> bool:
        """The linear's own weight trains (its input is kept for the weight gradient)."""
        return self.full and not linear.frozen
