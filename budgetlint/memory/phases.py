"""The step moment by moment: what is live together, and which moment of each phase is the highest.

Phases are load, rollout (where the run writes what it trains on), forward, backward, step and eval; saving gathers on the host and
adds nothing here. Backward has four moments: the loss, the last layer, the first layer and the embedding; each is linear in the number
of layers, so the ends decide. Formulas: `docs/memory.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.base.record import replace
from budgetlint.memory import activations, buffers, gradients, local_ddp, roles, rollouts, sharded, static
from budgetlint.memory.code import pick
from budgetlint.memory.estimate import Phase
from budgetlint.memory.plan import Plan, Recompute
from budgetlint.memory.step import Step
from budgetlint.memory.term import Bucket, Term

if TYPE_CHECKING:
    from budgetlint.memory.two_stacks import Encoder


def step_of(plan: Plan) -> Step:
    train = static.trainable(plan)
    beside = (*roles.held(plan), *rollouts.always(plan))
    fixed = (*static.weights(plan, train), *beside, *static.optimizer(plan, train))
    resting = (*fixed, *buffers.workspaces(plan), *buffers.data_parallel(plan, train))
    layer = pick(plan).layer(plan)
    stored = gradients.in_backward(plan, train)
    flying = (*activations.in_flight(plan, layer, stored.bytes), *roles.in_the_backward(plan), *local_ddp.left_behind(plan, train))
    front = _front(plan)
    seen = _seen(plan) if front is None else (*front.held, *front.copies(train))
    return Step(plan, train, layer, resting, stored, (*flying, *seen), seen, front)


def _front(plan: Plan) -> Encoder | None:
    if plan.shape.encoder is None:
        return None
    from budgetlint.memory import two_stacks

    return two_stacks.encoder(plan)


def _seen(plan: Plan) -> tuple[Term, ...]:
    if plan.vision is None:
        return ()
    from budgetlint.memory import vision

    return tuple(vision.kept(plan))


Moment = tuple[str, tuple[Term, ...]]
"""Where in a phase, and what is live together there."""


def phases(step: Step) -> tuple[Phase, ...]:
    """The highest moment of every phase, in the order of the step; evaluation where the run has one."""
    return tuple(_highest(name, moments) for name, moments in courses(step))


def courses(step: Step) -> Iterator[tuple[str, tuple[Moment, ...]]]:
    """Every phase with the moments that decide it."""
    yield "load", (("the weights", tuple(term for term in step.resting if term.bucket is Bucket.WEIGHTS)),)
    if step.plan.rollout:
        yield "rollout", tuple(rollouts.moments(step))
    if step.plan.scoring:
        from budgetlint.memory import scoring

        yield "scoring", tuple(scoring.moment(step))
    yield "forward", (_forward(step),)
    yield "backward", (_loss_backward(step), *_layer_backward(step), _embedding_backward(step), *_tower_backward(step))
    yield "step", (_optimizer_step(step),)
    if step.plan.eval_batch:
        yield "eval", (_evaluation(step),)


def _highest(name: str, moments: tuple[Moment, ...]) -> Phase:
    """A term below zero is a bug, at which every test stops (`tests/conftest.py`); of nothing less than nothing is live."""
    moment, terms = max(moments, key=lambda item: sum([term.bytes for term in item[1]]))
    return Phase(name, tuple(term for term in terms if term.bytes > 0), moment)


def before_the_logits(step: Step) -> tuple[Moment, Moment]:
    """The forward at its first layer and after its last: what the logits come on top of, so never the highest moment."""
    plan = step.plan
    rest = (*step.resting, *step.carried, *step.flying, *sharded.parameters(plan, layers=0))
    layers = _cast_layers(plan)
    copies = (*buffers.casts(plan, step.train, layers, head=False), *buffers.folded_experts(plan, 0 if plan.recompute.on else layers))
    return ("the first layer", rest), ("the last layer", (*rest, *step.kept, *copies))


def _forward(step: Step) -> tuple[str, tuple[Term, ...]]:
    plan = step.plan
    return "the logits", (
        *step.resting,
        *step.carried,
        *step.flying,
        *step.kept,
        *activations.outside_layers(plan),
        *activations.last_hidden_state(plan),
        *pick(plan).loss_forward(plan),
        *pick(plan).head_copies(plan),
        *buffers.casts(plan, step.train, _cast_layers(plan), head=True),
        *buffers.folded_experts(plan, 0 if plan.recompute.on else plan.shape.layers),
        *sharded.parameters(plan, layers=0),
    )


def _cast_layers(plan: Plan) -> int:
    """Layers whose 16-bit copies live to the end of the forward: all, also under checkpointing; traced BERT layers keep none
    there."""
    return 0 if plan.arch.kind == "encoder" and plan.recompute.on else plan.shape.layers


def _loss_backward(step: Step) -> tuple[str, tuple[Term, ...]]:
    plan = step.plan
    layers = 0 if plan.recompute.on else plan.shape.layers
    return "the loss", (
        *step.resting,
        *step.carried,
        *step.flying,
        *step.kept,
        *activations.outside_layers(plan),
        *pick(plan).loss_backward(plan),
        *pick(plan).head_copies(plan),
        *buffers.casts(plan, step.train, layers, head=True),
        *buffers.folded_experts(plan, layers),
        *sharded.parameters(plan, layers=sharded.backward_layers(plan) - 1),
    )


def _layer_backward(step: Step) -> Iterator[tuple[str, tuple[Term, ...]]]:
    plan = step.plan
    last, first = gradients.at_last_layer(plan, step.train), gradients.at_first_layer(plan, step.train)
    rest = (
        *step.resting,
        *step.flying,
        *gradients.before_it_is_added(plan),
        *sharded.parameters(plan, layers=sharded.backward_layers(plan)),
        *buffers.dequantised(plan),
    )
    front = () if step.front is None else (step.front.output_gradient(),)
    for moment, flight, freed, more in (
        ("MLP", activations.mlp_backward(plan), False, ()),
        ("attention", activations.attention_backward(plan), True, (gradients.of_this_mlp(plan),)),
    ):
        held, one = _held_at_the_last(step, freed), tuple(_held_at_the_first(step, freed))
        working = tuple(_working_set(step, moment.lower(), flight, freed))
        yield f"the last layer's {moment}", (*rest, *held, *working, *last, *more, *_casts(step, plan.shape.layers))
        yield f"the first layer's {moment}", (*rest, *one, *front, *working, *first, *more, *_casts(step, 1))


def _held_at_the_last(step: Step, freed: bool) -> tuple[Term, ...]:
    """What is still held when the last layer runs backward; a layer that is made again frees nothing of it."""
    if not freed or step.plan.recompute.on:
        return step.kept
    return tuple(activations.kept_layers(step.plan, step.layer, freed))


def _held_at_the_first(step: Step, freed: bool) -> Iterator[Term]:
    """What is still held when the first layer runs backward: its own tensors, or its checkpoint; under FSDP1 with reentrant
    checkpointing over frozen layers every checkpoint, and more."""
    plan = step.plan
    more = tuple(sharded.held_outputs(plan))
    if more:
        yield from (*_held_at_the_last(step, freed), *more)
    elif plan.recompute.on:
        yield from () if plan.recompute.offload else activations.checkpoints(plan, 1)
    else:
        rows = zip(step.layer, step.one_layer, strict=True)
        yield from (term for row, term in rows if not (freed and activations.is_freed_by_the_mlp(row)))


def _working_set(step: Step, moment: str, flight: int, freed: bool) -> Iterator[Term]:
    plan = step.plan
    if plan.recompute.on:
        yield from activations.recomputed_layer(plan, step.layer, freed=freed)
    yield Term(Bucket.ACTIVATIONS, flight, f"in-flight.gradients-in-{moment}", plan.because("micro_batch", "seq_len"))


def _casts(step: Step, layers: int) -> Iterator[Term]:
    count = 1 if step.plan.recompute.on else layers
    yield from buffers.casts(step.plan, step.train, count, head=False)
    yield from buffers.folded_experts(step.plan, count)


def _embedding_backward(step: Step) -> tuple[str, tuple[Term, ...]]:
    """Every gradient, and the embedding's twice where it is tied; under FSDP the root unit's are still whole."""
    plan = step.plan
    if plan.sharding.is_fsdp and plan.full and plan.optimizer_in_backward:
        return "the embedding", (*step.resting, *sharded.root_reduction(plan))
    if plan.sharding.is_fsdp and plan.full:
        stored = gradients.stored(plan, step.train.elements - plan.shape.root)
        return "the embedding", (*step.resting, *_beside_the_tower(step), stored, *sharded.root_reduction(plan))
    return "the embedding", (*step.resting, *_beside_the_tower(step), step.gradients, gradients.tied_twice(plan))


def _beside_the_tower(step: Step) -> tuple[Term, ...]:
    return step.flying[: len(step.flying) - len(step.seen)]


def _tower_backward(step: Step) -> Iterator[Moment]:
    """A vision tower that learns runs backward last, over every gradient of the decoder."""
    plan = step.plan
    if step.front is not None:
        from budgetlint.memory import two_stacks

        yield from two_stacks.backward(step.front, plan, step.train, (*step.resting, *_beside_the_tower(step)))
    if plan.vision is None or not plan.vision.learns or not step.seen:
        return
    from budgetlint.memory import vision

    gradient, work = gradients.at_the_tower(plan, step.train), vision.one_block(plan, backward=True)
    yield "the vision tower", (*step.resting, *step.flying, gradient, *work)


def _evaluation(step: Step) -> tuple[str, tuple[Term, ...]]:
    """No gradients, nothing kept: one layer's tensors come and go, the logits are made, upcast and, where the caller keeps
    them, kept (transformers trainer.py evaluation_loop; batch 8 by default)."""
    plan = replace(step.plan, batch=step.plan.eval_batch, recompute=Recompute())
    layer = step.layer if step.front is None else pick(plan).layer(plan)
    return "the logits", (
        *step.resting,
        *activations.passing_layer(plan, layer, plan.because("eval_batch", "seq_len")),
        *pick(plan).loss_forward(plan),
        *sharded.parameters(plan, layers=1),
    )


def _optimizer_step(step: Step) -> tuple[str, tuple[Term, ...]]:
    """Nothing but the state where each parameter stepped in the backward already."""
    others = tuple(term for term in step.flying if term.bucket is Bucket.GRADIENTS)
    if step.plan.optimizer_in_backward:
        return "the last update", (*step.resting, *others, step.gradients)
    return "the update", (*step.resting, *others, step.gradients, *static.step_temporaries(step.plan, step.train))
