"""The questions that the estimator asks of the code that runs a model, with the answers for code that nobody read.

Such code (LLM Foundry's, OLMo-core's, a loop of one's own) is priced as transformers, in a wider range. The other modules of this
package override what is different in theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from budgetlint.base.record import record, replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.families import family_of
from budgetlint.catalog.family import Basis
from budgetlint.catalog.module_names import FUSED_EXPERTS_SINCE
from budgetlint.memory import loss
from budgetlint.memory.families import layer_saved
from budgetlint.memory.parallel import Parallel
from budgetlint.memory.plan import Compiled, Plan
from budgetlint.memory.saved import Saved
from budgetlint.memory.sequence import split_stream
from budgetlint.memory.term import Source, Term
from budgetlint.settings.run import Settings, Stack

PACKED = Basis(900_000, "a quantised base under another framework's code: measured runs of LitGPT need more than its tensors", exact=False)
UNMEASURED = Basis(400_000, "the model code of another framework, priced as that of transformers", exact=False)


@record
class Splits:
    """What tensor parallelism splits beside the linears of the layers. ``sequence``: what lies between the blocks, by positions;
    ``embedding`` and ``logits``: the table's rows, the logits' columns. ``step``: each rank's part of the vocabulary is padded to a
    multiple of it."""

    sequence: bool
    embedding: bool
    logits: bool
    step: int = 1


@record
class CodePlaces:
    """Where one code makes its tensors: pattern of their ids (``*`` stands for anything), file, function; the first that fits counts."""

    framework: str
    version: str
    rows: tuple[tuple[str, str, str], ...]

    def find(self, name: str) -> Source | None:
        found = next(((file, function) for pattern, file, function in self.rows if fnmatchcase(name, pattern)), None)
        return Source(self.framework, self.version, *found) if found else None


PEFT = Source("peft", "0.21.2", "tuners/lora/layer.py")


def is_adapters(name: str) -> bool:
    """A tensor of an adapter on a linear: its factors', the copy that dropout makes, DoRA's."""
    return ".lora_" in name or (name.endswith((".dropout-mask", ".before-magnitude")) and "_proj" in name)


class ModelCode:
    """One code that runs models. It has no state; whatever depends on the run comes as an argument."""

    measured: bool = False
    """Whether estimates of it were held against measured runs; if not, the logits are as unsure as the activations."""

    splits: Splits | None = None
    """None where the layout of its tensor and pipeline parallelism is not modelled."""

    gradient_buffer: bool = False
    """Gradients lie in one buffer from the start, whichever micro batch it is."""

    casts_gradients: bool = False
    """The step makes fp32 copies of 16-bit gradients beside an fp32 master copy, without DeepSpeed."""

    drops_embedding: bool = False
    """Dropout follows the embedding, outside every checkpoint, and keeps its mask: a byte an element."""

    flat_blocks: bool = False
    """An FSDP unit is a whole block, frozen weights among it: its gradient has a place for each of them."""

    reshards_in_pipeline: bool = True
    """FSDP's default gives gathered parameters back after the forward, also where a pipeline runs it for each micro batch."""

    evaluates_with_a_trainer: bool = False
    """Its evaluation is the Trainer's over a whole model of transformers, which may give its keys and values back."""

    # -- the architecture, as it builds it --------------------------------------------------------------------------------

    def as_built(self, arch: Architecture) -> Architecture:
        """The architecture of its own modules: LitGPT ties no tables."""
        return arch

    def stacks_experts(self, stack: Stack) -> bool:
        """Experts and routers may be parameters, which PEFT's linears do not reach: transformers 5 modeling_mixtral.py
        ``MixtralExperts``. An unknown version counts as the newest."""
        return stack.at_least("transformers", FUSED_EXPERTS_SINCE) is not False

    def loops_experts(self, stack: Stack) -> bool:
        """Experts run one after the other, not in one grouped matmul: transformers' before it stacked them."""
        return stack.at_least("transformers", FUSED_EXPERTS_SINCE) is False

    def lora_roles(self, arch: Architecture, targets: tuple[str, ...], roles: set[str]) -> set[str]:
        """Which roles LoRA adapts, where ``targets`` name the linears of ``roles`` in transformers' modules."""
        return roles

    def widens_embedding(self, stack: Stack) -> bool:
        """Its trainer keeps an 8-bit optimizer's states of the embedding in 32 bit, for certain."""
        return False

    # -- what a layer keeps -----------------------------------------------------------------------------------------------

    def layer(self, plan: Plan) -> tuple[Saved, ...]:
        """What one layer keeps from its forward to its backward on one rank, in bytes per token, without checkpoints."""
        return split_stream(plan, layer_saved(plan))

    def basis(self, plan: Plan) -> Basis:
        """What the bytes of activations rest on, and how far off they may be."""
        return PACKED if plan.quant else UNMEASURED

    def repeats_keys(self, settings: Settings, arch: Architecture, stack: Stack) -> bool:
        """A fused attention kernel gets a copy of grouped keys and values for every query head."""
        return False

    def checkpoints(self, kind: str, every: int) -> tuple[str, int, int]:
        """What a recomputation of that kind, asked for with that number, is: the kind, each how many layers are checkpointed, how
        many layers share a checkpoint."""
        return kind, every, 1

    def selective_bytes(self, plan: Plan) -> int:
        """Bytes per token that selective checkpointing keeps of a layer beside its input and what attention gives."""
        return 0

    # -- torch.compile ----------------------------------------------------------------------------------------------------

    compiles: tuple[str, ...] = ("model",)
    """What is compiled where a run says no more than that it is (`compiled.compiled_of`)."""

    loss_inside: bool = False
    """The model's own forward makes the loss, beside logits that it gives back."""

    def compiled(self, settings: Settings, stack: Stack) -> Compiled:
        """What of a run is compiled."""
        if not settings.value("compile", False) and "compile_parts" not in settings:
            return Compiled()
        from budgetlint.memory.compiled import compiled_of  # few runs are compiled

        return compiled_of(settings, self.compiles, loss_inside=self.loss_inside)

    loss_compiled_since: str = ""
    """From this release of its own, which the stack calls as the code, the loss is compiled where a run says no more than that it compiles;
    "" where it always was, or never."""

    def compiled_readings(self, plan: Plan, stack: Stack) -> tuple[Compiled, ...]:
        """What is compiled under each release that the stack leaves open, the newest first."""
        found = plan.compiled
        if found.loss != "apart" or "compile_parts" in plan.origins or not self.loss_compiled_since:
            return (found,)
        newer, early = stack.at_least(stack.model_code, self.loss_compiled_since), replace(found, loss="")
        return (found,) if newer else (early,) if newer is False else (found, early)

    # -- the loss ---------------------------------------------------------------------------------------------------------

    def loss_recipe(self, plan: Plan, stack: Stack) -> str:
        """Which recipe of `loss.RECIPES` a plan's loss is under these versions. transformers 4.46 and 4.49 loss/loss_utils.py; 4.45
        modeling_*.py upcast and shift for themselves; families that called no ``loss_function`` yet did not upcast."""
        if plan.loss != "full" or plan.shape.encoder is not None:
            return plan.loss
        upcast_since = family_of(plan.arch.family).logits_plain_until
        if upcast_since and stack.at_least("transformers", upcast_since) is False:
            return "full-plain"
        if stack.at_least("transformers", "4.49") is not False:
            return "full"
        return "full-shifted" if stack.at_least("transformers", "4.46") else "full-upcast"

    def loss_forward(self, plan: Plan) -> Iterator[Term]:
        """The tensors of vocabulary width that are live at the end of the forward."""
        return loss.forward(plan)

    def loss_backward(self, plan: Plan) -> Iterator[Term]:
        """The same at the peak of the loss backward, before the first weight gradient."""
        return loss.backward(plan)

    def head_copies(self, plan: Plan) -> Iterator[Term]:
        """Copies of the head's weight that autocast makes beside the first (`buffers.casts`)."""
        return iter(())

    sums_in_place: bool = False
    """A tied table's two gradients become one in place: the first is a sum already, which nothing else holds (torch 2.13 csrc/autograd/
    input_buffer.cpp ``can_accumulate_inplace``)."""

    # -- gradients --------------------------------------------------------------------------------------------------------

    def accumulates_unreduced(self, settings: Settings, stack: Stack) -> bool:
        """FSDP keeps the gradients of all micro batches but the last unreduced (``no_sync``)."""
        return False

    def knows_accumulation(self, stack: Stack) -> bool:
        """The trainer behind the code is known, so that `accumulates_unreduced` is no guess."""
        return stack.at_least("transformers", "4.0") is not None

    def unreduced_gradients(self, plan: Plan, elements: int) -> tuple[int, int]:
        """How many elements of what bytes those gradients are, where ``elements`` train: of the dtype of the gathered parameters (torch
        2.13 distributed/fsdp/_runtime_utils.py, _fully_shard/_fsdp_param_group.py)."""
        return elements, plan.precision.compute

    def reduce_scatter_bytes(self, plan: Plan) -> int:
        """Bytes of an element in FSDP2's reduce-scatter where no setting says: the compute dtype's (torch MixedPrecisionPolicy's own
        default, and accelerate 1.15 utils/dataclasses.py)."""
        return plan.precision.compute

    def leaves_gradients(self, stack: Stack, size: int) -> bool:
        """Its data-parallel wrapper leaves gradients of ``size`` bytes an element beside those of the next step (`local_ddp.py`)."""
        return False

    # -- model parallelism ------------------------------------------------------------------------------------------------

    def expert_tensor(self, settings: Settings, tensor: int, experts: int) -> int:
        """Over how many ranks each expert is split, where the rest is over ``tensor`` and the experts are dealt to ``experts``."""
        return settings.value("expert_tensor_parallel") or tensor

    def pipelined(self, parallel: Parallel, settings: Settings) -> Parallel:
        """The degrees of a run with pipeline stages, as its schedule cuts batch and layers."""
        return parallel

    def kept_outputs_over(self, settings: Settings, stack: Stack, tensor: int) -> int:
        """Over how many ranks an output is split that a pipeline stage keeps after sending it; 0: it keeps none."""
        return 0

    # -- where it stands --------------------------------------------------------------------------------------------------

    def place_in_layer(self, name: str, plan: Plan) -> Source | None:
        """The code that makes a tensor of a layer or of the final norm, by the id that it has there; None where nobody looked it up."""
        return None

    def place(self, slug: str, plan: Plan) -> Source | None:
        """The code that makes any other term, where it is not the one that others run (`budgetlint.memory.sources`)."""
        return None
