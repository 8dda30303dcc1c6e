"""The degrees of model parallelism that a run asks for, under the code that runs the model; and layouts that are not modelled, by name."""

from __future__ import annotations

from budgetlint.catalog.architecture import Architecture
from budgetlint.memory.code import pick
from budgetlint.memory.code.base import Splits
from budgetlint.memory.notes import Notes
from budgetlint.memory.parallel import ALONE, DEGREES, Parallel, is_naive
from budgetlint.settings.run import Settings, Stack

MODELLED_KINDS = ("decoder", "encoder")
WHOLE = Splits(sequence=False, embedding=False, logits=False)


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
    if split and pick(stack).splits is None:
        return f"tensor and pipeline parallelism of {stack.model_code} is not modelled"
    stage = settings.value("pipeline_stage")
    if stage is not None and stage >= degrees["pipeline_parallel"]:
        return f"there is no stage {stage} of {degrees['pipeline_parallel']}, they count from 0"
    devices = settings.value("devices")
    ranks = degrees["tensor_parallel"] * degrees["pipeline_parallel"] * degrees["context_parallel"]
    if devices and devices % ranks and not is_naive(settings):
        return f"{devices} devices are no multiple of {ranks}, the product of the degrees"
    return ""


def _parallel(settings: Settings, stack: Stack, arch: Architecture, degrees: dict[str, int]) -> Parallel:
    code = pick(stack)
    splits = code.splits or WHOLE
    tensor, stages, experts = degrees["tensor_parallel"], degrees["pipeline_parallel"], degrees["expert_parallel"]
    sequence, vocabulary = settings.value("sequence_parallel"), settings.value("vocab_parallel")
    base = Parallel(
        tensor=tensor,
        pipeline=stages,
        context=degrees["context_parallel"],
        expert=min(experts, arch.experts) if arch.experts else 1,
        expert_tensor=code.expert_tensor(settings, tensor, experts),
        sequence=tensor > 1 and (splits.sequence if sequence is None else bool(sequence)),
        embedding=splits.embedding or bool(vocabulary),
        logits=splits.logits if vocabulary is None else bool(vocabulary),
        partition=bool(settings.value("recompute_partition", False)),
        step=splits.step,
        schedule="naive" if is_naive(settings) else str(settings.value("pipeline_schedule", "1f1b")).lower(),
        chunks=settings.value("virtual_stages") or 1,
        chunk_layers=settings.value("layers_per_virtual_stage") or 0,
        micro_batches=settings.value("grad_accum"),
        first=settings.value("pipeline_first_layers"),
        last=settings.value("pipeline_last_layers"),
        sent=code.kept_outputs_over(settings, stack, tensor) if stages > 1 else 0,
        only=settings.value("pipeline_stage"),
        lighter=(int(bool(settings.value("pipeline_counts_embedding"))), int(bool(settings.value("pipeline_counts_head")))),
    )
    return code.pipelined(base, settings) if stages > 1 else base


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
