"""Whose code runs the model: transformers, LitGPT, Megatron, torchtitan, torchtune, or a trainer's own.

Everything the estimator asks of it is a method or an attribute of `base.ModelCode`; each code that was read has a module with its
answers, loaded when a run uses it. Only this module compares names.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from budgetlint.base.record import replace
from budgetlint.memory.code.base import ModelCode
from budgetlint.memory.plan import Plan
from budgetlint.settings.run import Settings, Stack

CLASSES = {
    "transformers": "Transformers",
    "litgpt": "LitGPT",
    "megatron": "Megatron",
    "torchtitan": "Torchtitan",
    "torchtune": "Torchtune",
}
"""The codes that were read: a module of this package, and the class in it."""


def pick(of: Plan | Stack) -> ModelCode:
    """The code that runs a plan or a stack; one that nobody read is `ModelCode` itself."""
    return _made(of.model_code)


@lru_cache(maxsize=32)
def _made(name: str) -> ModelCode:
    if name not in CLASSES:
        return ModelCode()
    found: type[ModelCode] = getattr(import_module(f"{__name__}.{name}"), CLASSES[name])
    return found()


def was_read(plan: Plan) -> bool:
    """Whether a module here tells what its code does; if not, it is priced as others and nobody says where it stands."""
    return plan.model_code in CLASSES


def with_code(settings: Settings, stack: Stack) -> Stack:
    """The stack with the code that runs the model: the budget's word, else what the trainer's reader says."""
    named = settings.value("model_code", "transformers")
    return replace(stack, model_code=named) if stack.model_code == "transformers" else stack
