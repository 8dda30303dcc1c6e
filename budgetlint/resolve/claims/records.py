"""Records that a program writes when a run has ended: they repeat its settings, and nobody starts a run from them.

Source: transformers 4.57 ``trainer_utils.py`` speed_metrics and ``trainer.py`` (``total_flos``, ``log_history``): the Trainer measures
these, so no config can hold them.
"""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile

_MEASURED = expression(
    r"""["']?\b(?:train|eval)_(?:runtime|samples_per_second|steps_per_second)["']?\s*:|["'](?:total_flos|log_history)["']\s*:"""
)
_WORDS = ("_runtime", "_per_second", "total_flos", "log_history")


def is_record(source: SourceFile) -> bool:
    """Does a file hold what only a run that has ended can tell?"""
    return any(map(source.mentions, _WORDS)) and _MEASURED.search(source.text) is not None
