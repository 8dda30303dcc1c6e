"""Does a run's setting hold what an assert demands of it?"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from budgetlint.base.numerals import exact
from budgetlint.base.record import replace
from budgetlint.language.tree import Value
from budgetlint.memory.layout import SPLITTING
from budgetlint.rule import Origin, OriginKind, RunContext, Setting

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
}

_EXACT = 10**12
"""Decimal fractions are compared as whole numbers of 10^-12."""


def asked(run: RunContext, name: str) -> Setting | None:
    """The setting that an assert asks for; a global batch is worked out where nobody states it."""
    setting = run.setting(name)
    if name == "global_batch" and (setting is None or not setting.known):
        return _global_batch(run) or setting
    return setting


def _global_batch(run: RunContext) -> Setting | None:
    parts = [run.setting(name) for name in ("micro_batch", "grad_accum", "devices")]
    known = [part for part in parts if part is not None and part.known]
    if len(known) < len(parts) or any((other := run.setting(name)) is not None and not other.known for name in SPLITTING):
        return None
    split = prod(int(run.value(name, 1) or 1) for name in SPLITTING)
    total = prod(int(part.value) for part in known) // split
    text = f"{total} = {' x '.join(str(part.value) for part in known)}" + (f" / {split}" if split > 1 else "")
    return Setting("global_batch", total, Origin(OriginKind.DERIVED, note="micro batch x accumulation x data-parallel devices"), text)


def holds(setting: Setting, comparison: str, wanted: Value) -> bool | None:
    """None where the value is not known here, or where the versions that it depends on disagree."""
    values = (setting.value,) if setting.known else setting.readings
    answers = {_compare(value, comparison, wanted) for value in values}
    return answers.pop() if len(answers) == 1 else None


def read_as(setting: Setting) -> Setting:
    """A setting whose readings all break an assert, with the first of them as its value."""
    return setting if setting.known else replace(setting, value=setting.readings[0])


def _compare(value: Any, comparison: str, wanted: Value) -> bool | None:
    if isinstance(value, bool):
        return COMPARE[comparison](int(value), int(wanted.content in ("on", "true", "yes")))
    if isinstance(value, (int, float)):
        left, right = exact(str(value)), exact(wanted.text.rstrip("%"))
        return None if left is None or right is None else COMPARE[comparison](int(left * _EXACT), int(right * _EXACT))
    return (str(value) == wanted.content) is (comparison == "==")
