"""What a Python program gives the Trainer that it builds."""

from __future__ import annotations

import re

from budgetlint.base import numerals
from budgetlint.readers.python_script import classes
from budgetlint.rule import PYTHON, DocumentContext, Entry, Location, Mapping, RunContext, Setting, Span, names

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


def handed_on_at(document: DocumentContext, setting: Setting) -> Location | None:
    """Where a program itself writes the keyword of an argument whose value comes from an option or a config of its own, which may be called
    what it likes; None where the value stands at the keyword, and where the program writes none (its parser fills the class)."""
    source, at = document.reading.document.source, setting.origin
    if document.format not in PYTHON or at.source is None or at.span is None:
        return None
    pattern = rf"""(?m)(?:^[ \t]*|[(,{{][ \t]*)(?P<name>{setting.name}=(?!=)|["']{setting.name}["'][ ]?:)"""
    callers = ("", "dict", at.key.partition(".")[0])
    places = [one.span("name") for one in re.finditer(pattern, source.text) if _called(source.text, one.start("name")) in callers]
    if len(places) != 1 or (at.source.path == source.path and places[0][0] <= at.span.start <= places[0][1] + 1):
        return None
    return source.locate(Span(*places[0]))


_FARTHEST = 5_000
_NAME = re.compile(r"\w*$")


def _called(text: str, at: int) -> str:
    """What the brackets around a place are of: the name in front of them; empty for the braces of a dict."""
    depth = 0
    for place in range(at - 1, max(at - _FARTHEST, -1), -1):
        if text[place] in ")]}":
            depth += 1
        elif text[place] in "([{":
            depth -= 1
            if depth < 0:
                found = _NAME.search(text, max(0, place - 100), place)
                return found[0] if found is not None and text[place] == "(" else ""
    return "?"
