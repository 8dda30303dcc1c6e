"""One assignment of a script, and what it does to what the variable held before."""

from __future__ import annotations

from budgetlint.base.record import record
from budgetlint.documents.shell_words import Atom, Literal, Opaque, Part, RawWord, Variable


@record
class Assignment:
    """``words`` is None where the value cannot be known (``read``, a loop that nobody follows)."""

    name: str
    words: tuple[RawWord, ...] | None
    conditional: bool = False
    appends: bool = False
    is_list: bool = False
    at: int = 0
    """Where it stands: what is written in front of it does not have the value yet."""
    asked: bool = False
    """Only an argument of the script brings it about."""
    key: RawWord | None = None
    """Which item of a list it sets."""
    is_map: bool = False
    """``declare -A``: its keys are texts."""


def adds(one: Assignment) -> bool:
    """Does it keep what the variable held before?"""
    return one.words is not None and (one.appends or _own(one))


def _own(one: Assignment) -> bool:
    """``ARGS="$ARGS --x"``: only where the value begins with the variable itself, has it once, and nothing is asked of it."""
    if one.is_list or one.words is None or len(one.words) != 1:
        return False
    written = [part for part in one.words[0].parts if not (isinstance(part, Literal) and not part.text)]
    own = [part for part in written if isinstance(part, Variable) and part.name == one.name]
    return len(own) == 1 and own[0] is written[0] and not own[0].operator


def adds_words(one: Assignment) -> bool:
    """Does it keep the words that the variable held, and put others behind them?"""
    return adds(one) and (one.is_list or bool(gap_before(one, 0)))


def settles(one: Assignment) -> bool:
    """Is what the variable held before of no matter?"""
    if one.conditional or one.appends or one.key is not None or by_argument(one):
        return False
    return one.words is None or not any(_mentions(part, one.name) for raw in one.words for part in raw.parts)


def _mentions(part: Part, name: str) -> bool:
    if isinstance(part, Opaque):
        return name in part.text
    return isinstance(part, Variable) and (name in (part.name + part.rest) or any(_mentions(one, name) for one in part.default))


def by_argument(one: Assignment) -> bool:
    """Does a branch take the value from the script's own arguments, quoted or not?"""
    if one.asked:
        return True
    raw = one.words[0].parts if one.conditional and one.words and len(one.words) == 1 and not one.is_list else ()
    parts = [part for part in raw if not (isinstance(part, Literal) and not part.text)]  # quotes leave an empty text
    return bool(parts) and all(isinstance(part, Variable) and (part.name.isdecimal() or part.name == "OPTARG") for part in parts)


def gap_before(unsure: Assignment, at: int) -> tuple[Atom, ...]:
    """``ARGS+=" --x"``: a text that may grow by more words."""
    parts = unsure.words[0].parts if unsure.words and not unsure.is_list else ()
    first = next((part.text for part in parts if isinstance(part, Literal) and part.text), "")
    return (Atom(" ", at),) if first[:1].isspace() else ()
