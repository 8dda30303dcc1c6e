"""What a word of a command assigns: ``NAME=value``, lists and their elements, what ``declare`` changes, numbers that are counted.

Source: bash 5.2 manual 3.4, 4.2 (declare, let), 6.7 (arrays).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_expand import Assignment
from budgetlint.documents.shell_lexer import Array
from budgetlint.documents.shell_words import Literal, RawWord

_ELEMENT = expression(r"\[[^]]*\]=")
_OF_LIST = expression(r"([A-Za-z_]\w*)\[[^]]*\]\+?=")
_SET = expression(r"(?:^|[\s;&])([A-Za-z_]\w*)(?:[-+*/%]?=|\+\+|--)")
_COUNTED = expression(r"\(\(\s*([A-Za-z_]\w*)\s*(?:[-+*/%]?=(?!=)|\+\+|--)")
"""``((X++))`` and ``((X = 1))``."""


def names_set(text: str) -> list[str]:
    """Names that a text of ``eval`` or ``let`` gives a value."""
    return [str(name) for name in _SET.findall(text)]


def counted_in(text: str, start: int, end: int) -> Iterator[str]:
    """Names that ``((X++))`` changes."""
    return (found[1] for found in _COUNTED.finditer(text, start, end))


def leading(words: list[RawWord | Array], conditional: bool) -> tuple[int, list[Assignment]]:
    """How many assignments stand in front, and which."""
    found: list[Assignment] = []
    for word in words:
        one = assignment_of(word, conditional)
        if one is None:
            break
        found.append(one)
    return len(found), found


def declared(words: list[RawWord | Array], conditional: bool) -> list[Assignment]:
    """``declare -i``, ``-l``, ``-u`` and ``-n`` change what is assigned."""
    found = [one for word in words if (one := assignment_of(word, conditional)) is not None]
    options = "".join(word.bare[1:] for word in words if isinstance(word, RawWord) and word.bare.startswith("-"))
    return [replace(one, words=None) for one in found] if set(options) & set("ilun") else found


def assignment_of(word: RawWord | Array, conditional: bool) -> Assignment | None:
    """``NAME=value``, ``NAME+=value`` or an array, else None."""
    if isinstance(word, Array):
        numbered = any(item.parts and isinstance(item.parts[0], Literal) and _ELEMENT.match(item.parts[0].text) for item in word.items)
        return Assignment(word.name, None if numbered else word.items, conditional, word.appends, is_list=True, at=word.span.start)
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Literal) or first.quoted:
        return None
    name, equals, rest = first.text.partition("=")
    if (one := _OF_LIST.match(first.text)) is not None:  # one element of a list, which is then not what it was
        return Assignment(one[1], None, conditional=True, is_list=True, at=word.span.start)
    appends, bare = name.endswith("+"), name.removesuffix("+")
    if not equals or not bare.isidentifier() or not bare.isascii():
        return None
    head = (Literal(rest, first.start + len(name) + 1),) if rest else ()
    value = RawWord((*head, *word.parts[1:]), Span(first.start + len(name) + 1, word.span.end))
    return Assignment(bare, (value,), conditional, appends, at=word.span.start)
