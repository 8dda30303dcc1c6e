"""Logits and loss: the tensors of vocabulary width, in the forward and in the loss backward.

Sources: transformers 5.24 loss/loss_utils.py ``ForCausalLMLoss`` (``logits.float()``, labels shifted: 2+4+4 forward, 4+4+4
backward), 4.46 to 4.48 the same file (a shifted fp32 copy beside: 2+4+4+4; 4.49 shifts the labels instead), 4.45.2
modeling_mistral.py (``.float()`` at once: 4+4+4), 4.48.1 modeling_gpt_bigcode.py (no ``.float()``: the cross entropy of 16-bit
logits); megatron-core 0.14.0 tensor_parallel/cross_entropy.py (in place of one fp32 copy: 2+4, 4+2); torch 2.9
distributed/tensor/parallel/loss.py (``loss_parallel``: each operation apart, 2+4+4+4, 4+4+4+4); Liger
``ops/fused_linear_cross_entropy.py``; TRL ``chunked_nll`` (256 tokens at a time).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record, replace
from budgetlint.catalog.families import family_of
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket, Dims, Term, tensor

CHUNK = 256


@record
class Recipe:
    """Tensors of vocabulary width that are live together, as bytes an element and name (``logits.NAME`` on the bill): ``forward`` and
    ``backward`` parts, for 16-bit logits; ``forward32`` and ``backward32`` where the model computes in fp32 (empty: the same)."""

    forward: tuple[tuple[int, str], ...]
    backward: tuple[tuple[int, str], ...]
    forward32: tuple[tuple[int, str], ...]
    backward32: tuple[tuple[int, str], ...] = ()


_BACKWARD = ((4, "log-probabilities"), (4, "gradient-of-loss"), (4, "gradient-of-log-softmax"))
_FORWARD32 = ((4, "output"), (4, "log-softmax"))
_SHIFTED32 = ((4, "output"), (4, "shifted-copy"), (4, "log-softmax"))
_PLAIN = ((2, "output"), (2, "log-softmax"))
_PLAIN_BACKWARD = ((2, "log-probabilities"), (2, "gradient-of-loss"), (2, "gradient-of-log-softmax"))

RECIPES = {
    "full-dtensor": Recipe(
        ((2, "output"), (4, "fp32-copy"), (4, "shifted-copy"), (4, "exponentials-or-log-softmax")),
        (*_BACKWARD, (4, "exponentials")),
        ((4, "output"), (4, "shifted-copy"), (4, "exponentials-or-log-softmax")),
    ),
    "full-split": Recipe(
        ((2, "output"), (4, "softmax")),
        ((4, "softmax-then-gradient"), (2, "gradient")),
        ((4, "softmax"),),
        ((4, "softmax-then-gradient"),),
    ),
    "full": Recipe(((2, "output"), (4, "fp32-copy"), (4, "log-softmax")), _BACKWARD, _FORWARD32),
    "full-shifted": Recipe(
        ((2, "output"), (4, "fp32-copy"), (4, "shifted-copy"), (4, "log-softmax")),
        ((2, "output"), *_BACKWARD),
        _SHIFTED32,
        ((4, "output"), *_BACKWARD),
    ),
    "in-place": Recipe(((2, "output"),), ((2, "then-gradient"),), ((4, "then-gradient"),), ((4, "then-gradient"),)),
    "plain": Recipe(_PLAIN, _PLAIN_BACKWARD, _FORWARD32, _BACKWARD),
    "plain-held": Recipe(_PLAIN, ((2, "output"), *_PLAIN_BACKWARD), _FORWARD32, ((4, "output"), *_BACKWARD)),
    "full-upcast": Recipe(((4, "fp32-copy"), (4, "shifted-copy"), (4, "log-softmax")), _BACKWARD, _SHIFTED32),
}


"""``plain``: a loop's own cross entropy of the logits as the model gives them; ``plain-held``: the loop is known to hold them in the
backward."""

OWN = ("plain", "plain-held")
IN_PLACE = ("in-place", "in-place-copied")
_COPIED = Recipe(((2, "output"), (4, "fp32-copy")), ((2, "then-gradient"),), ((4, "then-gradient"),), ((4, "then-gradient"),))
"""``in-place-copied``: a forward that keeps its 16-bit logits for a gradient in their place and returns them, to whom autocast gives
fp32 copies of all outputs (accelerate 1.15.0 utils/operations.py ``convert_outputs_to_fp32``); the trainer drops them before the backward
(transformers 4.40 trainer.py ``compute_loss``). Unsloth 2024.3 to 2024.11.7 models/llama.py ``CausalLM_fast_forward``."""


_MASKED16 = Recipe(
    ((2, "output"), (2, "log-softmax")),
    ((2, "log-probabilities"), (2, "gradient-of-loss"), (2, "gradient-of-log-softmax")),
    _FORWARD32,
)
_MASKED_AUTOCAST = Recipe(
    ((2, "output"), (2, "rows"), (4, "fp32-copy"), (4, "log-softmax")),
    ((4, "log-probabilities"), (4, "gradient-of-loss"), (2, "gradient")),
    _FORWARD32,
)
"""``ForMaskedLMLoss`` takes the cross entropy of the logits as they are: in 16 bit, or in fp32 where autocast casts it; so do T5, BART
and Whisper (transformers 5.24.0 modeling_t5.py, modeling_bart.py, modeling_whisper.py ``CrossEntropyLoss``), in 16 bit."""

_PLAIN16 = Recipe(
    ((2, "output"), (2, "shifted-copy"), (2, "log-softmax")),
    ((2, "output"), (2, "log-probabilities"), (2, "gradient-of-loss"), (2, "gradient-of-log-softmax")),
    _SHIFTED32,
    ((4, "output"), *_BACKWARD),
)
_PLAIN_AUTOCAST = Recipe(
    ((2, "output"), (2, "shifted-copy"), (4, "fp32-copy"), (4, "log-softmax")),
    ((2, "output"), *_BACKWARD),
    _PLAIN16.forward32,
)
_OWN_AUTOCAST = Recipe(((2, "output"), (4, "fp32-copy"), (4, "log-softmax")), _BACKWARD, _FORWARD32)
_PLAIN_FUSED = ((2, "output"), (2, "shifted-copy-then-gradient"), (2, "gradient"))
"""``full-plain``: what GPT-2 and its relatives did until `Family.logits_plain_until`; autocast runs the cross entropy in fp32."""

_SCALED32 = ((4, "logits in fp32"), (4, "logits at the sampling temperature, fp32"))
_SCALED16 = ((2, "logits at the sampling temperature"), (2, "log-softmax"))
_LOGPS = {
    (4, False): Recipe(_SCALED32, ((4, "logits, fp32"), (4, "gradients of each sequence, fp32"), (4, "gradient")), _SCALED32),
    (4, True): Recipe(_SCALED32, ((4, "logits, fp32"), (12, "the logsumexp's gradient and its parts, fp32")), _SCALED32),
    (2, False): Recipe(_SCALED16, ((2, "gradients of each sequence"), (2, "gradient of the logits")), _SCALED32),
    (2, True): Recipe(_SCALED16, ((2, "log-softmax"), (2, "its gradient"), (2, "gradient of the logits")), _SCALED32),
}
"""``logps``, by bytes of a logit and whether the batch is one sequence: TRL's ``selective_log_softmax`` before 1.15 (0.24
trainer/utils.py), log-probabilities of one token each. In fp32 (autocast: accelerate gives fp32 outputs) a logsumexp sequence by
sequence keeps the logits; in 16 bit each sequence's log-softmax is kept and freed as it is used. The backward stacks the sequences'
gradients. ``logits / temperature`` is a new tensor. (torch 2.13 on CPU: 8, 12 and 16 B; 4, 4 and 6 B.)"""


_GIVEN = ((2, "output"), (2, "gradient-of-output"), (2, "gradient"))
_GIVEN32 = ((4, "output"), (4, "gradient-of-output"), (4, "gradient"))
_FUSED = {
    "step": Recipe(((2, "output"),), ((2, "then-gradient"),), ((4, "output"),), ((4, "then-gradient"),)),
    "apart": Recipe(((2, "output"),), ((2, "output"), (2, "gradient")), ((4, "output"),), ((4, "output"), (4, "gradient"))),
    "returned": Recipe(((2, "output"),), _GIVEN, ((4, "output"),), _GIVEN32),
    "returned-in-fp32": Recipe(((2, "output"), (4, "fp32-output")), ((2, "output"), (4, "gradient-of-output")), ((4, "output"),), _GIVEN32),
}
"""A compiled loss fuses upcast, log-softmax and loss: none of them is ever made, two rows of statistics are (torch 2.6.0 and 2.13.0,
traced; `compiled.py`). ``step``: a graph that gives no logits back writes the gradient into them (``donated_buffer``). ``returned``: a
gradient of zeros comes in for logits that the graph gives back (pytorch issue 131794). ``returned-in-fp32``: accelerate 1.15.0 casts all
outputs under autocast (utils/operations.py ``convert_outputs_to_fp32``), and so its zeros are; the gradient takes their place."""


def _compiled(plan: Plan) -> Recipe | None:
    """The recipe of a compiled loss over all logits; fused kernels, chunks and TRL's own losses are not it."""
    compiled = plan.compiled
    if not compiled.loss or not plan.loss.startswith(("full", "plain")) or plan.loss in ("full-split", "full-dtensor"):
        return None
    if "cross_entropy" in plan.kernels or plan.masked or plan.shape.encoder is not None:
        return None
    if compiled.loss == "apart":
        return _FUSED["apart"]
    if compiled.returned and plan.loss in OWN:  # the loop's own, outside
        return None
    if not compiled.returned:
        return _FUSED["step"]
    return _FUSED["returned-in-fp32" if plan.precision.autocast else "returned"]


def vocabulary_elements(plan: Plan) -> int:
    return plan.scored * plan.arch.vocab


def forward(plan: Plan) -> Iterator[Term]:
    """Live at the end of the forward."""
    if not plan.makes_logits:
        return
    if plan.loss in ("fused", "chunked"):
        yield from _chunked(plan)
        return
    yield from of_vocabulary(plan, (*_forward_of(plan, _compiled(plan) or _recipe(plan)), *_capped(plan)))


def backward(plan: Plan) -> Iterator[Term]:
    """Live at the peak of the loss backward, before the first weight gradient."""
    if not plan.makes_logits:
        return
    if plan.loss in ("fused", "chunked"):
        yield from _chunked(plan)
        return
    compiled = _compiled(plan)
    if compiled is not None:
        yield from of_vocabulary(plan, (*_backward_of(plan, compiled), *_capped(plan)))
        return
    recipe = _recipe(plan)
    in_place = "cross_entropy" in plan.kernels and plan.loss not in ("logps", *IN_PLACE)
    yield from of_vocabulary(plan, (*(_forward_of(plan, recipe) if in_place else _backward_of(plan, recipe)), *_capped(plan)))


def _forward_of(plan: Plan, recipe: Recipe) -> tuple[tuple[int, str], ...]:
    return recipe.forward if plan.precision.compute == 2 else recipe.forward32


def _backward_of(plan: Plan, recipe: Recipe) -> tuple[tuple[int, str], ...]:
    return recipe.backward if plan.precision.compute == 2 else recipe.backward32 or recipe.backward


def _capped(plan: Plan) -> tuple[tuple[int, str], ...]:
    """Gemma-2 soft-caps the logits: the tanh is kept for the backward (modeling_gemma2.py)."""
    if _compiled(plan) is not None and plan.precision.autocast:  # one kernel casts, caps and sums them up
        return ()
    return ((plan.precision.compute, "soft-cap-tanh"),) if family_of(plan.arch.family).caps_logits else ()


def _recipe(plan: Plan) -> Recipe:
    if plan.loss == "logps":
        size = 4 if plan.precision.autocast or plan.precision.compute == 4 else 2
        return _LOGPS[size, (plan.batch or 1) == 1]
    recipe = RECIPES.get(plan.loss, RECIPES["full"])
    if plan.masked and plan.precision.compute == 2:
        recipe = _MASKED_AUTOCAST if plan.precision.autocast else _MASKED16
    if plan.shape.encoder is not None and plan.precision.compute == 2 and not plan.precision.autocast:
        recipe = _MASKED16
    if plan.loss == "full-plain":
        recipe = _PLAIN_AUTOCAST if plan.precision.autocast else _PLAIN16
        if "cross_entropy" in plan.kernels and recipe is _PLAIN16 and plan.precision.compute == 2:
            return Recipe(_PLAIN_FUSED, _PLAIN_FUSED, recipe.forward32)
    if plan.loss in OWN and plan.precision.autocast:
        held = plan.loss == "plain-held"
        return replace(_OWN_AUTOCAST, backward=((2, "output"), *_BACKWARD)) if held else _OWN_AUTOCAST
    if plan.loss == "in-place-copied":
        return _COPIED if plan.precision.autocast else RECIPES["in-place"]
    if "cross_entropy" not in plan.kernels or plan.loss == "in-place":
        return recipe
    # A fused cross entropy writes the gradient into the fp32 logits: the log-softmax is never made.
    kept, kept32 = (tuple(row for row in rows if row[1] != "log-softmax") for rows in (recipe.forward, recipe.forward32))
    kept = kept if len(kept) > 1 else (*kept, (4, "gradient"))
    return Recipe(kept, kept, kept32)


def of_vocabulary(plan: Plan, rows: tuple[tuple[int, str], ...]) -> Iterator[Term]:
    """Bytes a logit, and names, as terms."""
    shape = (*plan.scored_rows, ("vocab", plan.arch.vocab))
    why = plan.because("micro_batch", *(("seq_len",) if plan.completion is None else ("completion_len",)), "model", "loss")
    for size, name in rows:
        yield tensor(Bucket.LOGITS, f"logits.{name}", why, shape, size)


def _chunked(plan: Plan) -> Iterator[Term]:
    tokens, vocab, hidden = plan.scored, plan.arch.vocab, plan.arch.hidden
    if plan.loss == "chunked":
        yield tensor(Bucket.LOGITS, "logits.one-chunk", plan.because("loss"), _of_a_chunk(min(CHUNK, tokens), vocab), 12)
        return
    why, size = plan.because("loss", "kernels"), plan.precision.compute
    yield tensor(Bucket.LOGITS, "logits.one-chunk", why, _of_a_chunk(_chunk(plan, tokens), vocab), _chunk_bytes(plan))
    workload = plan.because("loss", "micro_batch", "seq_len")
    yield tensor(Bucket.LOGITS, "logits.gradient-of-hidden-state", workload, (*plan.scored_rows, ("hidden", hidden)), size)
    if plan.full:
        yield tensor(Bucket.LOGITS, "logits.gradient-of-head", why, (("vocab", vocab), ("hidden", hidden)), size)


def may_be_more(plan: Plan, phase: str) -> int:
    """A loop that keeps its logits in a variable holds them while the backward runs."""
    unread = plan.loss == "plain" and phase == "backward" and plan.makes_logits and not _compiled(plan)
    return plan.precision.compute * vocabulary_elements(plan) if unread else 0


def _of_a_chunk(tokens: int, vocab: int) -> Dims:
    return ("token", tokens), ("vocab", vocab)


def _chunk(plan: Plan, tokens: int) -> int:
    """Tokens whose logits exist at a time. Liger's losses of RL trainers take one sequence (0.6.4 chunked_loss/fused_linear_ppo.py
    ``chunk_size: int = 1``), its cross entropy as many as make the logits no larger than the hidden states."""
    if plan.completion is not None:
        return min(tokens, plan.completion)
    return min(tokens, _next_power_of_two(-(-tokens // -(-plan.arch.vocab // plan.arch.hidden))))


def _chunk_bytes(plan: Plan) -> int:
    """Logits and fp32 log-probabilities (same file), and in the RL losses the gradients of both."""
    return plan.precision.compute + (4 if plan.completion is None else 12)


def _next_power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()
