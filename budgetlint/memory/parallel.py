"""Tensor, pipeline, context and expert parallelism: the degrees of a run, and what each splits under the code that runs the model.

Sources: megatron-core 0.14.0 ``tensor_parallel/layers.py`` (column- and row-parallel linears, vocabulary-parallel tables),
``model_parallel_config.py`` (``expert_tensor_parallel_size`` is the tensor degree); torchtitan 0.2.2
``models/llama3/infra/parallelize.py`` (always sequence parallel, loss parallel); transformers 5.24.0 ``configuration_llama.py``
``base_model_tp_plan`` and ``modeling_llama.py`` ``_tp_plan`` (embedding whole, logits gathered); torchtune 0.6.1
``models/llama3/_parallelism.py`` (both tables split, logits gathered).
"""

from __future__ import annotations

from budgetlint.base.record import record, replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.memory.notes import Notes
from budgetlint.settings.run import Setting, Settings, Stack


@record
class Parallel:
    """Degrees, and how they work. ``sequence``: tensor-parallel ranks split what lies between their blocks by positions;
    ``embedding`` and ``logits``: the table, the logits are split too; ``partition``: checkpoints are. ``chunks``: virtual
    stages of a rank; ``micro_batches`` of a step, None where unknown; ``micro_size``: sequences of one where the batch is cut;
    ``first`` and ``last``: layers of those stages where stated; ``lighter``: a first or last stage gives up one for its table;
    ``sent``: over how many ranks an output is split that its stage keeps after sending it (0: it keeps none);
    ``only``: the stage that the bill is for, where the budget asks for one."""

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    expert_tensor: int = 1
    sequence: bool = False
    embedding: bool = False
    logits: bool = False
    partition: bool = False
    step: int = 1
    chunks: int = 1
    chunk_layers: int = 0
    schedule: str = "1f1b"
    micro_batches: int | None = None
    micro_size: int | None = None
    first: int | None = None
    last: int | None = None
    lighter: tuple[int, int] = (0, 0)
    sent: int = 0
    only: int | None = None

    @property
    def ranks(self) -> int:
        """Ranks that hold one copy of what is not an expert."""
        return self.tensor * self.pipeline

    @property
    def on(self) -> bool:
        return max(self.tensor, self.pipeline, self.context, self.expert) > 1

    @property
    def stream_over(self) -> int:
        """Over how many ranks the residual stream between blocks is split."""
        return self.tensor if self.sequence else 1


ALONE = Parallel()


@record
class Stage:
    """One rank's part: pipeline stage ``index`` with ``layers`` layers; ``flying / chunks`` micro batches are in flight there."""

    index: int
    of: int
    layers: int
    flying: int = 1
    chunks: int = 1

    @property
    def first(self) -> bool:
        return self.index == 0

    @property
    def last(self) -> bool:
        return self.index == self.of - 1


@record
class Code:
    """What a framework's tensor parallelism splits beside the linears of the layers, and the vocabulary's padding per rank."""

    sequence: bool
    embedding: bool
    logits: bool
    step: int = 1


CODES = {
    "megatron": Code(False, True, True, 128),
    "torchtitan": Code(True, True, True),
    "torchtune": Code(False, True, False),
    "transformers": Code(False, False, False),
}
"""Megatron pads the vocabulary to a multiple of ``make_vocab_size_divisible_by`` (128) for each rank."""

DEGREES = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")
MODELLED_KINDS = ("decoder", "encoder")


def parallel_of(settings: Settings, stack: Stack, arch: Architecture, notes: Notes) -> Parallel | None:
    """The degrees of a run; None where its layout cannot be modelled, which is noted by name."""
    degrees = {name: int(settings.value(name, 1) or 1) for name in DEGREES}
    if max(degrees.values()) == 1 and all(settings[name].known for name in DEGREES if name in settings):
        return ALONE
    why = _refusal(settings, stack, arch, degrees)
    if why:
        notes.missing.append("parallel")
        notes.assume(f"{why}: the figures are for a whole model", "parallel")
        return None
    return _noted(_parallel(settings, stack, arch, degrees), arch, notes)


def _refusal(settings: Settings, stack: Stack, arch: Architecture, degrees: dict[str, int]) -> str:
    open_ended = [name for name in DEGREES if name in settings and not settings[name].known]
    if open_ended:
        return f"{open_ended[0].replace('_', '-')} degree is not known here"
    split = degrees["tensor_parallel"] * degrees["pipeline_parallel"] > 1
    if split and (arch.kind not in MODELLED_KINDS or arch.parts or arch.number("attention_layers")):
        return f"tensor and pipeline parallel layouts of {arch.kind} models with several stacks are not modelled"
    if split and stack.model_code not in CODES:
        return f"tensor and pipeline parallelism of {stack.model_code} is not modelled"
    stage = settings.value("pipeline_stage")
    if stage is not None and stage >= degrees["pipeline_parallel"]:
        return f"there is no stage {stage} of {degrees['pipeline_parallel']}, they count from 0"
    devices = settings.value("devices")
    ranks = degrees["tensor_parallel"] * degrees["pipeline_parallel"] * degrees["context_parallel"]
    if devices and devices % ranks and not is_naive(settings):
        return f"{devices} devices are no multiple of {ranks}, the product of the degrees"
    return ""


def is_naive(settings: Settings) -> bool:
    """Layers of one process lie on several devices (``device_map``): no pipeline, one micro batch at a time."""
    found: Setting | None = settings.get("pipeline_parallel")
    return found is not None and found.origin.key in ("CUDA_VISIBLE_DEVICES", "device_map")


def _parallel(settings: Settings, stack: Stack, arch: Architecture, degrees: dict[str, int]) -> Parallel:
    code = CODES.get(stack.model_code, CODES["transformers"])
    tensor, stages, experts = degrees["tensor_parallel"], degrees["pipeline_parallel"], degrees["expert_parallel"]
    sequence, vocabulary = settings.value("sequence_parallel"), settings.value("vocab_parallel")
    whole = stack.model_code == "torchtitan" and experts == 1  # torchtitan 0.2.2 job_config.py: no degree of their own without ep
    base = Parallel(
        tensor=tensor,
        pipeline=stages,
        context=degrees["context_parallel"],
        expert=min(experts, arch.experts) if arch.experts else 1,
        expert_tensor=tensor if whole else settings.value("expert_tensor_parallel") or tensor,
        sequence=tensor > 1 and (code.sequence if sequence is None else bool(sequence)),
        embedding=code.embedding or bool(vocabulary),
        logits=code.logits if vocabulary is None else bool(vocabulary),
        partition=bool(settings.value("recompute_partition", False)),
        step=code.step,
        schedule="naive" if is_naive(settings) else str(settings.value("pipeline_schedule", "1f1b")).lower(),
        chunks=settings.value("virtual_stages") or 1,
        chunk_layers=settings.value("layers_per_virtual_stage") or 0,
        micro_batches=settings.value("grad_accum"),
        first=settings.value("pipeline_first_layers"),
        last=settings.value("pipeline_last_layers"),
        sent=_sent(settings, stack, tensor) if stages > 1 else 0,
        only=settings.value("pipeline_stage"),
        lighter=(int(bool(settings.value("pipeline_counts_embedding"))), int(bool(settings.value("pipeline_counts_head")))),
    )
    return _as_torchtitan(base, settings) if stack.model_code == "torchtitan" and stages > 1 else base


def _sent(settings: Settings, stack: Stack, tensor: int) -> int:
    """DeepSpeed 0.18.6 runtime/pipe/engine.py ``_exec_forward_pass`` keeps its rank's part of each output; Megatron-LM before 2.6 kept
    it whole (schedules.py ``output_tensors``; then ``deallocate_output_tensor``)."""
    if stack.model_code != "megatron":
        return 0
    if "deepspeed" in stack.releases or "zero_bucket" in settings:
        return tensor
    return int(stack.at_least("megatron", "2.0") is True and stack.at_least("megatron", "2.6") is False)


def _as_torchtitan(base: Parallel, settings: Settings) -> Parallel:
    """torchtitan 0.2.2 distributed/pipeline_parallel.py: the local batch is cut into micro batches, and the first and the last stage
    have a layer less."""
    size, batch = settings.value("pipeline_micro_batch"), settings.value("micro_batch")
    cut = replace(base, micro_size=size, micro_batches=max(1, batch // size)) if size and batch else base
    return replace(cut, lighter=(1, 1))


def _noted(found: Parallel, arch: Architecture, notes: Notes) -> Parallel:
    if found.pipeline > 1 and found.micro_batches is None and found.schedule != "naive":
        notes.assume("the micro batches of a step are not stated: the pipeline is full", "grad_accum")
    if found.schedule == "naive":
        notes.assume(
            "device_map places layers by their size; here each device has as many, and one micro batch runs at a time", "device_map"
        )
    elif found.pipeline > 1 and found.first is None and found.last is None and (arch.layers + sum(found.lighter)) % found.pipeline:
        notes.assume(f"{arch.layers} layers on {found.pipeline} stages: the first stages have one more", "pipeline_parallel")
    if found.expert > 1:
        notes.assume("tokens spread evenly over the experts; the high end has twice as many on one rank", "expert_parallel")
    return found
