"""What a text finds set by the script around it: the body of a function or a loop, or the text of ``bash -c``.

A name that the script around may have changed is not known, which is not the same as not set: ``${X:-1}`` is 1 only for the latter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from budgetlint.base.record import open_record

if TYPE_CHECKING:
    from budgetlint.documents.shell_expand import Expander  # what is around a text is a script with variables of its own
    from budgetlint.documents.shell_words import Atom

SAME, OWN, UNKNOWN = "same", "own", "unknown"
"""Whose ``$1`` is: of the script around (a loop), of the text (a call that is known), of a call that nobody sees."""


@open_record
class Around:
    """``until``: where in the text around it runs, None where that says nothing."""

    expander: Expander
    until: int | None = None
    arguments: str = SAME

    def holds(self, name: str) -> bool:
        """May the name be set?"""
        if is_argument(name) and self.arguments != SAME:
            return self.arguments == UNKNOWN
        return self.expander.holds(name, self.until)

    def lists(self, name: str) -> tuple[tuple[Atom, ...], ...] | None:
        """What it holds; None where that is not known."""
        if is_argument(name) and self.arguments != SAME:
            return None
        return self.expander.held(name, self.until)

    def items(self, name: str) -> dict[str, tuple[Atom, ...]] | None:
        """The items of a list by their keys."""
        return self.expander.items_at(name, self.until)


def is_argument(name: str) -> bool:
    """``1``, ``#``, ``@`` and ``*``; behind the last two, how many have been shifted away."""
    return name.isdecimal() or name[:1] in ("@", "*", "#")
