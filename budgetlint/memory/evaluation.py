"""An evaluation beside the training: a forward without a gradient, so nothing is kept from layer to layer but what the model gives back.

Sources: transformers 4.36.2 to 5.24.0 trainer.py ``evaluation_loop`` (``model.eval()``) and ``prediction_step`` (``torch.no_grad``);
modeling_llama.py ``LlamaForCausalLM.forward``: where the head makes the logits, the hidden states of the last layer are the only ones left
(``hidden_states = self.norm(hidden_states)`` lets go of those before), and dropout passes its input on (torch nn/functional.py ``dropout``
without ``training``). So the phase is the higher of two moments: one layer's tensors come and go, or the logits and the loss are made.

What a call is given may be more, and the high end counts it (`may_be_more`):

- keys and values of every layer, where ``use_cache`` is on as checkpoints have it (modeling_llama.py ``DynamicCache``; nothing but training
  with checkpoints switches it off). From 5.0 on the Trainer says ``model.config.use_cache = args.use_cache``, off by default (trainer.py
  ``__init__``); TRL's SFTTrainer says so in each call from 0.22 on (sft_trainer.py ``compute_loss``).
- the logits under Liger's fused loss: its forward leaves them out where ``self.training`` (liger_kernel 0.3.1 to 0.6.4
  transformers/model/llama.py), and of an evaluation only where the trainer asks for it and keeps no logits (transformers 5.15.0 trainer.py
  ``prediction_step``, 5.10.2 does not; TRL 1.0.0 sft_trainer.py ``compute_loss``, 0.27.0 does not).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.memory import activations, buffers, loss, sharded
from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Phase
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.memory.saved import Saved, norm_output_bytes, residual_bytes
from budgetlint.memory.static import Trainable
from budgetlint.memory.term import Bucket, Part, Term, tensor
from budgetlint.settings.run import Settings, Stack

if TYPE_CHECKING:
    from budgetlint.memory.step import Step

PHASE, ONE_LAYER, LOGITS = "eval", "one layer", "the logits"
PASSING, CACHE = "passing", "evaluation.keys-and-values"
WHY = ("eval_batch", "seq_len")

CERTAIN, OPEN = "on", "open"
"""`Plan.eval_cache`: keys and values are kept, or may be."""


def moments(step: Step) -> Iterator[tuple[str, tuple[Part, ...]]]:
    """The moments that decide: nothing is kept, no gradient exists (``zero_grad`` came before)."""
    plan = evaluated(step.plan)
    layer = pick(plan).layer(plan)
    lasting = (*step.resting, *_copies(plan, step.train), *sharded.parameters(plan, layers=1), *_cache(plan))
    yield ONE_LAYER, (*lasting, _residual(plan), *_passing(plan, layer), *buffers.folded_experts(plan, 1), *buffers.dequantised(plan))
    if plan.makes_logits:
        yield LOGITS, (*lasting, *_hidden(plan), *pick(plan).loss_forward(plan))


def evaluated(plan: Plan) -> Plan:
    """The plan of one batch of the evaluation."""
    return replace(plan, batch=plan.eval_batch, recompute=Recompute())


# -- what passes ---------------------------------------------------------------------------------------------------------------


def _passing(plan: Plan, layer: Iterable[Saved]) -> tuple[Part, ...]:
    """The larger half of a layer: what it would keep of its attention or of its MLP for a backward. At most so much is alive at a time:
    each is freed after its last use, where a backward would hold it."""
    rows = [row for row in layer if not _for_training(row)]
    halves = ([row for row in rows if activations.is_freed_by_the_mlp(row) == of_mlp] for of_mlp in (False, True))
    return (max((activations.passing_layer(plan, half, WHY) for half in halves), key=lambda half: half.bytes),)


def _for_training(row: Saved) -> bool:
    """Masks of dropout, and the copies of inputs that an adapter keeps for its factors' gradients."""
    return row.part in ("adapter", "dropout") or row.id.endswith(("-mask", ".masks"))


def _residual(plan: Plan) -> Term:
    """The stream beside the block that is added to it."""
    shape = (*plan.rows, ("hidden", plan.stream))
    return tensor(Bucket.ACTIVATIONS, "evaluation.residual", plan.because(*WHY), shape, residual_bytes(plan))


def _hidden(plan: Plan) -> Iterator[Term]:
    if plan.ends_here:
        shape = (*plan.rows, ("hidden", plan.stream))
        yield tensor(Bucket.ACTIVATIONS, "last-hidden-state", plan.because(*WHY), shape, norm_output_bytes(plan))


def _copies(plan: Plan, train: Trainable) -> Iterator[Term]:
    """16-bit copies that autocast caches to the end of the forward, without a gradient too: of weights that train (torch 2.13
    aten/src/ATen/autocast_mode.cpp ``cached_cast`` asks for ``requires_grad`` of a leaf, not for the mode)."""
    if plan.full or plan.precision.weights != 4:
        yield from buffers.casts(plan, train, plan.shape.layers, head=plan.full)


# -- what a call may keep ------------------------------------------------------------------------------------------------------


def _cache(plan: Plan) -> Iterator[Term]:
    if plan.eval_cache == CERTAIN:
        yield _keys_and_values(plan)


def _keys_and_values(plan: Plan) -> Term:
    shape = (("layer", plan.shape.layers), ("keys and values", 2), *plan.rows, ("width", plan.arch.kv_width))
    return tensor(Bucket.ACTIVATIONS, CACHE, plan.because("eval_batch", "seq_len", "use_cache"), shape, plan.precision.compute)


def may_be_less(phase: Phase) -> int:
    """Of what passes through a layer, at least half is alive at a time: a gated MLP makes its product of two of the four tensors that its
    backward keeps (modeling_llama.py ``LlamaMLP.forward``)."""
    if phase.name != PHASE or phase.moment != ONE_LAYER:
        return 0
    return sum(term.bytes for term in phase.terms if term.id.startswith(f"{PASSING}.") and term.id != "evaluation.residual") // 2


def may_be_more(plan: Plan, phase: Phase) -> int:
    """Keys and values that may be kept; the logits that Liger's loss may make, beside what is alive at the higher moment."""
    if phase.name != PHASE:
        return 0
    ahead = evaluated(plan)
    cache = _keys_and_values(ahead).bytes if plan.eval_cache == OPEN else 0
    made = sum(term.bytes for term in loss.forward(replace(ahead, loss=plan.eval_loss))) if plan.eval_loss and ahead.makes_logits else 0
    return cache + made


# -- what a plan says of it ----------------------------------------------------------------------------------------------------


def fields_of(settings: Settings, stack: Stack, arch: Architecture, kernels: frozenset[str]) -> dict[str, str]:
    """Fields of `Plan`; of a model under another framework's code nothing is known."""
    if not settings.value("eval_on") or not pick(stack).evaluates_with_a_trainer:
        return {}
    return {"eval_cache": _cached(settings, stack) if arch.kind == "decoder" else "", "eval_loss": _made(settings, stack, kernels)}


def _cached(settings: Settings, stack: Stack) -> str:
    cache = settings.get("use_cache")
    if cache is not None and cache.known and not cache.value:
        return ""
    if cache is not None and cache.known and stack.at_least("transformers", "5.0") is False:
        return CERTAIN
    off = stack.at_least("transformers", "5.0") or stack.at_least("trl", "0.22")
    return "" if off and cache is None else OPEN


LIGERS = frozenset({"rms_norm", "linear_cross_entropy"})


def _made(settings: Settings, stack: Stack, kernels: frozenset[str]) -> str:
    """The recipe of logits that Liger's forward may make; Unsloth's has kernels of its own (``lora``)."""
    if not kernels >= LIGERS or "lora" in kernels:
        return ""
    asks = stack.at_least("transformers", "5.15") or stack.at_least("trl", "1.0")
    return "" if asks and settings.value("prediction_loss_only") is True else "full"
