"""Texts of flags and configs that say no and that a program takes for true, as Python takes every text that is not empty."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from budgetlint.resolve.program_places import at
from budgetlint.settings.program import TextTakenForTrue

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files


def true_texts(followed: Followed, files: Files, text: Callable[[], Iterable[str]]) -> tuple[TextTakenForTrue, ...]:
    """``text`` gives all Python of the project: a program that has the word as a text of its own compares it somewhere."""
    return tuple(_of(followed, files, text))


def _of(followed: Followed, files: Files, text: Callable[[], Iterable[str]]) -> Iterator[TextTakenForTrue]:
    for one in followed.true_texts:
        word = re.compile(rf"""["']{re.escape(one.text)}["']""", re.IGNORECASE)
        if not any(word.search(whole) for whole in text()):
            yield TextTakenForTrue(one.origin.key, one.text, at(one.origin.place, files), at(one.place, files))
