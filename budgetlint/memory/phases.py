"""The step moment by moment: what is live together, and which moment of each phase is the highest.

Phases are load, rollout (where the run writes what it trains on), forward, backward, step and eval; saving gathers on the host and
adds nothing here. Backward has four moments: the loss, the last layer, the first layer and the embedding; each is linear in the number
of layers, so the ends decide. Formulas: `docs/memory.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.memory import activations, buffers, compiled, evaluation, gradients, local_ddp, roles, rollouts, sharded, static
from budgetlint.memory.body import BODY, GRADIENTS, LAYER, LOGITS, RESTING, TRAINABLE, cast_layers
from budgetlint.memory.estimate import Phase
from budgetlint.memory.parts import Parts
from budgetlint.memory.plan import Plan
from budgetlint.memory.step import Step
from budgetlint.memory.term import Bucket, Part, Term

if TYPE_CHECKING:
    from budgetlint.memory.two_stacks import Encoder


def step_of(plan: Plan, parts: Parts | None = None) -> Step:
    """``parts``: those that plans of a check share."""
    parts = Parts() if parts is None else parts
    train, layer, body = parts.of(TRAINABLE, plan), parts.of(LAYER, plan), parts.of(BODY, plan)
    static, alive = parts.of(RESTING, plan), parts.of(GRADIENTS, plan)
    resting = (*static.weights, *roles.held(plan), *rollouts.always(plan), *static.rest)
    stored = sum([part.bytes for part in alive.resting])
    flying = (*activations.in_flight(plan, layer, stored), *roles.in_the_backward(plan), *local_ddp.left_behind(plan, train))
    front = _front(plan)
    seen = _seen(plan) if front is None else (*front.held, *front.copies(train))
    return Step(plan, train, layer, resting, alive, body, parts, (*flying, *seen), seen, front)


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


Moment = tuple[str, tuple[Part, ...]]
"""Where in a phase, and what is live together there: `term.written` gives the terms."""


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
    if step.plan.runs_deepspeed:
        from budgetlint.memory import zero_phases

        yield "forward", tuple(zero_phases.forward(step))
        yield "backward", (*zero_phases.backward(step), *_tower_backward(step))
        yield "step", tuple(zero_phases.update(step))
    else:
        yield "forward", (_forward(step),)
        yield "backward", (_loss_backward(step), *_layer_backward(step), _embedding_backward(step), *_tower_backward(step))
        yield "step", (_optimizer_step(step),)
    if step.plan.eval_batch:
        yield evaluation.PHASE, tuple(evaluation.moments(step))


def _highest(name: str, moments: tuple[Moment, ...]) -> Phase:
    """A term below zero is a bug, at which every test stops (`tests/conftest.py`); of nothing less than nothing is live."""
    moment, parts = max(moments, key=lambda item: sum([part.bytes for part in item[1]]))
    return Phase(name, tuple([part for part in parts if part.bytes > 0]), moment)


def before_the_logits(step: Step) -> tuple[Moment, Moment]:
    """The forward at its first layer and after its last: what the logits come on top of, so never the highest moment."""
    plan = step.plan
    rest = (*step.resting, *step.gradients.carried, *step.flying, *sharded.parameters(plan, layers=0))
    layers = cast_layers(plan)
    copies = (*buffers.casts(plan, step.train, layers, head=False), *buffers.folded_experts(plan, 0 if plan.recompute.on else layers))
    return ("the first layer", rest), ("the last layer", (*rest, *step.body.kept, *copies))


def _forward(step: Step) -> Moment:
    body, before = step.body, (*step.resting, *step.gradients.carried, *step.flying)
    logits = step.parts.of(LOGITS, step.plan).forward
    return "the logits", (*before, *body.kept, *body.outside, *body.last_hidden_state, *logits, *body.at_the_logits)


def _loss_backward(step: Step) -> Moment:
    body, before = step.body, (*step.resting, *step.gradients.carried, *step.flying)
    return "the loss", (*before, *body.kept, *body.outside, *step.parts.of(LOGITS, step.plan).backward, *body.at_the_loss)


def _layer_backward(step: Step) -> Iterator[Moment]:
    body, alive = step.body, step.gradients
    rest = (*step.resting, *step.flying, *alive.added_next, *body.units)
    front = () if step.front is None else (step.front.output_gradient(),)
    for half, held, more in (("MLP", body.mlp, ()), ("attention", body.attention, alive.this_mlp)):
        yield f"the last layer's {half}", (*rest, *held.last, *held.working, *alive.last, *more, *body.at_the_last)
        yield f"the first layer's {half}", (*rest, *held.first, *front, *held.working, *alive.first, *more, *body.at_the_first)


def _embedding_backward(step: Step) -> Moment:
    plan = step.plan
    beside = () if plan.sharding.is_fsdp and plan.full and plan.optimizer_in_backward else _beside_the_tower(step)
    return "the embedding", (*step.resting, *beside, *step.gradients.embedding, *compiled.at_the_embedding(plan))


def _beside_the_tower(step: Step) -> tuple[Part, ...]:
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


def _optimizer_step(step: Step) -> Moment:
    """Nothing but the state where each parameter stepped in the backward already."""
    others = tuple(part for part in step.flying if part.bucket is Bucket.GRADIENTS)
    if step.plan.optimizer_in_backward:
        return "the last update", (*step.resting, *others, *step.gradients.resting)
    return "the update", (*step.resting, *others, *step.gradients.resting, *static.step_temporaries(step.plan, step.train))
