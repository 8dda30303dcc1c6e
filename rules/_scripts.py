"""What a Python program gives the Trainer that it builds."""

from __future__ import annotations

import re

from budgetlint.base import numerals
from budgetlint.readers.python_script import classes
from budgetlint.rule import Entry, Mapping, RunContext, Setting, names

BUILT_IN = names(
    """transformers.Trainer transformers.Seq2SeqTrainer trl.SFTTrainer trl.DPOTrainer trl.KTOTrainer trl.ORPOTrainer trl.GRPOTrainer
    trl.RewardTrainer"""
)
"""Classes that take their evaluation data from the caller."""
FIRST_PLACE = 4
"""``eval_dataset`` is the fifth argument at the earliest (transformers 5.24.0, TRL 0.24.0)."""


_DEFAULT = re.compile(r"\bdefault\s*=|^\w+\s*:\s*[^=]+=")
"""``add_argument("--save_steps", default=500)``, ``save_steps: int = 500``: of a flag, of a field."""


def is_literal(setting: Setting) -> bool:
    """Not the default of a program's flag or field, which is there for whoever says nothing. What stands in no program is what somebody
    wrote."""
    origin, source = setting.origin, setting.origin.source
    if source is None or origin.span is None or not source.path.endswith((".py", ".ipynb")):
        return True
    return not _DEFAULT.search(source.text[origin.span.start : origin.span.end])


def without_eval_data(run: RunContext) -> str:
    """The name of the Trainer that a Python program surely builds without ``eval_dataset``; empty where it may have one."""
    trainer = run.run.trainer
    name = classes.trainer_of(trainer.document) if trainer is not None else ""
    call = classes.block(trainer.document, name) if trainer is not None else None
    if call is None or classes.class_of(call) not in BUILT_IN or classes.is_partial(call) or classes.may_skip(call):
        return ""
    return "" if _has_eval_data(call) else name


def _has_eval_data(call: Mapping) -> bool:
    """By name, or by position behind the model, the arguments and the training data."""
    named = next((entry.value for entry in call.entries if entry.key.text == "eval_dataset"), None)
    return classes.is_given(named) or any(_place(entry) >= FIRST_PLACE for entry in call.entries)


def _place(entry: Entry) -> int:
    """Arguments by position are named by it; -1 for others."""
    place = numerals.small(entry.key.text)
    return -1 if place is None else place
