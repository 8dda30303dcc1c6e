"""Schedules of a learning rate that a loop of the program's own makes, with a warm-up and a length that are both known.

Sources: transformers 4.53.2 and diffusers 0.31.0 ``optimization.py``: ``get_scheduler`` (``constant``, ``piecewise_constant`` and
``reduce_lr_on_plateau`` do without a warm-up), ``get_*_schedule_with_warmup(optimizer, num_warmup_steps, num_training_steps)``;
pytorch-transformers 1.0 to 1.2 ``optimization.py``: ``WarmupLinearSchedule(optimizer, warmup_steps, t_total)``.
"""

from __future__ import annotations

import ast

from budgetlint.program.calling import Call
from budgetlint.program.noted import Schedule
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Known, Opaque, Value

_PACKAGES = ("transformers.", "diffusers.", "pytorch_transformers.")
_FIRST = frozenset({"WarmupLinearSchedule", "WarmupCosineSchedule", "WarmupCosineWithHardRestartsSchedule"})
"""What they were called first."""
_WITHOUT = frozenset({"constant", "piecewise_constant", "reduce_lr_on_plateau"})
_PROCESSES = frozenset({"num_processes", "world_size"})


class PerProcess(Opaque):
    """A number of steps times the number of processes, as accelerate's schedulers are stepped."""

    __slots__ = ("number", "unit")

    def __init__(self, number: Known, unit: str) -> None:
        super().__init__(f"{number!r} times {unit}", None, "", number.origins)
        self.number, self.unit = number, unit


def times_processes(node: ast.BinOp, left: Value, right: Value, made: Value) -> Value:
    """``args.max_train_steps * accelerator.num_processes``: what it comes to is not known, what is multiplied is."""
    if not isinstance(node.op, ast.Mult) or not isinstance(made, Opaque):
        return made
    for number, other in ((left, node.right), (right, node.left)):
        if isinstance(number, Known) and isinstance(number.value, int) and isinstance(other, ast.Attribute) and other.attr in _PROCESSES:
            return PerProcess(number, ast.unparse(other))
    return made


def scheduled(it: Interpreter, name: str, call: Call) -> None:
    """A call of this name, if it makes a schedule that the program surely uses."""
    last = name.rpartition(".")[2]
    plain, first = last == "get_scheduler", last in _FIRST
    makes = plain or first or last.endswith("_schedule_with_warmup")
    if not name.startswith(_PACKAGES) or not makes or it.conditions or call.rest is not None:
        return
    kind = call.get("name", 0) if plain else None
    if plain and (not isinstance(kind, Known) or kind.value in _WITHOUT):
        return
    own = name.startswith("diffusers.") and plain  # ``step_rules`` stands between
    warmup = call.get("warmup_steps" if first else "num_warmup_steps", None if own else 2 if plain else 1)
    total = call.get("t_total" if first else "num_training_steps", None if own else 3 if plain else 2)
    pair = _numbers(warmup, total)
    if pair is not None:
        it.schedules.append(Schedule(*pair, it.place(call.node, call.frame)))


def _numbers(warmup: Value | None, total: Value | None) -> tuple[Known, Known] | None:
    """Both in one unit."""
    if isinstance(warmup, PerProcess) and isinstance(total, PerProcess) and warmup.unit == total.unit:
        return warmup.number, total.number
    if isinstance(warmup, Known) and isinstance(total, Known) and _is_number(warmup) and _is_number(total):
        return warmup, total
    return None


def _is_number(value: Known) -> bool:
    return isinstance(value.value, int | float) and not isinstance(value.value, bool)
