"""Does an evaluation keep the logits? The Trainer that the script builds says so, over its arguments.

Source: transformers 4.36.2 to 5.24.0 trainer.py ``evaluate``: ``prediction_loss_only=True if self.compute_metrics is None else None``, and
None asks the arguments (``evaluation_loop``). Seq2SeqTrainer hands both on (trainer_seq2seq.py ``evaluate``), TRL's SFTTrainer and
DPOTrainer leave ``evaluate`` alone, GRPOTrainer takes no metrics (0.12.2 to 1.13.0). RewardTrainer of TRL 0.12 and before has metrics of
its own where none are given (reward_trainer.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base import numerals
from budgetlint.documents import Node, Scalar
from budgetlint.documents.python_marks import KEEPS_OUTPUTS, is_open
from budgetlint.readers.base import default, names
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes
from budgetlint.settings.run import Setting

TAKES_NONE = names("trl.GRPOTrainer")
AS_GIVEN = (
    names("transformers.Trainer transformers.Seq2SeqTrainer trl.SFTTrainer trl.DPOTrainer trl.KTOTrainer trl.ORPOTrainer") | TAKES_NONE
)
FIRST_PLACE = 6
"""``compute_metrics`` is the eighth argument (transformers 4.36.2 trainer.py, TRL 0.12.2 sft_trainer.py), later in others."""

_EVALUATE = "transformers Trainer.evaluate: {} compute_metrics"


def with_metrics(settings: list[Setting], top: Lookup, trainer: str) -> list[Setting]:
    """Without metrics the argument does not matter; with them it decides, and is off by default."""
    made = top.document.mapping or ()
    if any(name in made for name in KEEPS_OUTPUTS):  # an evaluation is whatever they make of it
        return settings
    found = list(read_metrics(top, trainer))
    off = [one for one in found if one.value is False]
    return [*off, *settings, *(one for one in found if one not in off)]


def read_metrics(top: Lookup, trainer: str) -> Iterator[Setting]:
    call = classes.block(top.document, trainer)
    if call is None or classes.class_of(call) not in AS_GIVEN or classes.is_partial(call):
        return
    if any((numerals.small(entry.key.text) or 0) >= FIRST_PLACE for entry in call.entries):
        return
    given = call.get("compute_metrics")
    if not classes.is_given(given):
        yield default("prediction_loss_only", True, _EVALUATE.format("the Trainer has no"))
    elif _is_sure(given):
        yield default("prediction_loss_only", False, f"{_EVALUATE.format('the Trainer has')}; TrainingArguments.prediction_loss_only")


def _is_sure(given: Node | None) -> bool:
    """A function, not what a condition or a call gives."""
    if not isinstance(given, Scalar) or " if " in given.text:
        return False
    return not is_open(given) or given.text.startswith("<function ")
