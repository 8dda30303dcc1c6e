"""The textbook formulas beside ours: what each says for this run, and by how much it is off."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import gib
from budgetlint.memory import textbook
from budgetlint.memory.estimate import Estimate
from budgetlint.memory.plan import Plan
from budgetlint.memory.term import Bucket
from budgetlint.memory.textbook import Textbook
from budgetlint.report.style import PLAIN, TerminalStyle, wrapped
from budgetlint.rules_api.context import RunContext


def render(context: RunContext, style: TerminalStyle = PLAIN) -> str:
    """The comparison for one run; ends with a line end."""
    plan, estimate = context.plan, context.estimate
    if plan is None or estimate is None:
        return "  textbook: no model, nothing to compare\n"
    lines = [style.ink("  the textbook beside ours", "bold")]
    for row, ours, what in rows(plan, estimate):
        lines.append(f"  {row.name:<25} {gib(row.bytes):>12}  ours {gib(ours):>12} {_difference(row.bytes, ours):>8}  {what}")
        lines += [style.ink(line, "dim") for line in wrapped(row.formula, style.width, first=" " * 6, rest=" " * 8)]
    return "\n".join(lines) + "\n"


def _difference(theirs: int, ours: int) -> str:
    return f"{(theirs - ours) * 100 / ours:+.0f} %" if ours else ""


def rows(plan: Plan, estimate: Estimate) -> Iterator[tuple[Textbook, int, str]]:
    """Each formula, our figure for the same thing, and what that thing is."""
    yield _static(plan), estimate.static_bytes, "weights, gradients, optimizer"
    if plan.batch is None or plan.seq is None:
        return
    arch = plan.arch
    layers = textbook.korthikanti(plan.seq, plan.batch, arch.hidden, arch.heads, arch.layers)
    shape = f"{arch.layers} x {plan.seq:,} x {plan.batch} x {arch.hidden:,} x (34 + 5 x {arch.heads} x {plan.seq:,} / {arch.hidden:,})"
    formula = f"L s b h (34 + 5 a s / h) = {shape}, Korthikanti et al. 2022"
    ours = max((phase.buckets[Bucket.ACTIVATIONS] for phase in estimate.phases), default=0)
    yield Textbook("activations (Korthikanti)", formula, layers), ours, "activations"
    yield _checkpointing(plan)


def _static(plan: Plan) -> Textbook:
    total, per = plan.shape.total, textbook.MIXED_ADAM
    over = plan.sharding.states_over if plan.sharding.params_over > 1 else 1
    split = f" / {over} ranks" if over > 1 else ""
    return Textbook(
        "static state (16 B/param)",
        f"{total:,} parameters x {per} B{split}, Rajbhandari et al. 2019",
        textbook.static_bytes(total, per, over),
    )


def _checkpointing(plan: Plan) -> tuple[Textbook, int, str]:
    layers = plan.arch.layers
    every = textbook.best_checkpoint_every(layers)
    saved = plan.tokens * plan.arch.hidden * plan.precision.compute
    cost = textbook.checkpoint_cost(layers, every)
    row = Textbook(
        "best checkpointing", f"m(k) = L/k + k = {cost} at k = {every} of {layers} layers (sqrt(L)), Chen et al. 2016", cost * saved
    )
    return row, layers * saved, "an input kept for every layer"
