"""Numbers that no run has are no settings, whichever reader made them: infinity, ``nan``, and integers beyond `LARGEST`.

Converters refuse them where a key table reads a value; readers also take values as the loader gives them, and packages bring readers
of their own. So each reading is looked at once more, before a rule or the estimate sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from budgetlint.base.numerals import LARGEST
from budgetlint.base.record import replace
from budgetlint.documents import Document
from budgetlint.settings.run import Misread, Reading, Setting, Settings


def soundly(read: Callable[[Document], Reading]) -> Callable[[Document], Reading]:
    """``read``, and what is no number of its settings as misreads."""
    return lambda document: sound(read(document))


def sound(reading: Reading) -> Reading:
    wrong = {name: fault for name, setting in reading.settings.items() if (fault := _fault(setting.value))}
    if not wrong:
        return reading
    kept = Settings(setting for name, setting in reading.settings.items() if name not in wrong)
    misreads = (_misread(reading.settings[name], fault) for name, fault in wrong.items())
    return replace(reading, settings=kept, misreads=(*reading.misreads, *misreads))


def _misread(setting: Setting, fault: str) -> Misread:
    return Misread(f"{setting.origin.key or setting.name}: {fault}", "write a number that a run can have", setting.origin)


def _fault(value: object) -> str:
    """What is wrong with a value, or with one in a tuple; empty where nothing is."""
    if type(value) is float and not isfinite(value):
        return "not a finite number"
    if type(value) is int and not -LARGEST <= value <= LARGEST:
        return "a whole number larger than any run has"
    return next(filter(None, map(_fault, value)), "") if type(value) is tuple else ""
