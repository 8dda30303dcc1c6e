"""What a word of a command assigns: ``NAME=value``, lists and their elements, what ``declare`` changes, numbers that are counted.

Source: bash 5.2 manual 3.4, 4.2 (declare, let), 6.7 (arrays).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_assignment import Assignment
from budgetlint.documents.shell_tokens import Array
from budgetlint.documents.shell_words import Literal, RawWord

_OF_LIST = expression(r"([A-Za-z_]\w*)\[")
_SET = expression(r"(?:^|[\s;&])([A-Za-z_]\w*)(?:[-+*/%]?=|\+\+|--)")
_COUNTED = expression(r"\$\(\(\s*([A-Za-z_]\w*)\s*(?:[-+*/%]?=(?!=)|\+\+|--)")
"""``$((X++))`` and ``$((X = 1))``."""


def names_set(text: str) -> list[str]:
    """Names that a text of ``eval`` or ``let`` gives a value."""
    return [str(name) for name in _SET.findall(text)]


def counted_in(text: str, start: int, end: int) -> Iterator[Assignment]:
    """Names that ``$((X++))`` changes by the way: what they hold from there on is not known."""
    return (Assignment(found[1], None, conditional=True, at=found.start()) for found in _COUNTED.finditer(text, start, end))


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
    if "A" in options:
        empty = [
            Assignment(word.bare, (), conditional, is_list=True, at=word.span.start)
            for word in words
            if isinstance(word, RawWord) and word.bare.isidentifier()
        ]
        found = [replace(one, is_map=True) for one in (*empty, *found)]
    return [replace(one, words=None) for one in found] if set(options) & set("ilun") else found


def assignment_of(word: RawWord | Array, conditional: bool) -> Assignment | None:
    """``NAME=value``, ``NAME+=value``, ``NAME[key]=value`` or an array, else None."""
    if isinstance(word, Array):
        return Assignment(word.name, word.items, conditional, word.appends, is_list=True, at=word.span.start)
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Literal) or first.quoted:
        return None
    name, equals, rest = first.text.partition("=")
    if (one := _OF_LIST.match(first.text)) is not None:
        return _item(one[1], word, first, one.end(), conditional)
    appends, bare = name.endswith("+"), name.removesuffix("+")
    if not equals or not bare.isidentifier() or not bare.isascii():
        return None
    head = (Literal(rest, first.start + len(name) + 1),) if rest else ()
    value = RawWord((*head, *word.parts[1:]), Span(first.start + len(name) + 1, word.span.end))
    return Assignment(bare, (value,), conditional, appends, at=word.span.start)


def _item(name: str, word: RawWord, first: Literal, at: int, conditional: bool) -> Assignment | None:
    """``NAME[key]=value``; one whose key or value is not plain leaves the list unknown."""
    raw = RawWord((Literal(first.text[at - 1 :], first.start + at - 1), *word.parts[1:]), word.span)
    parts = keyed(raw)
    if parts is not None:
        return Assignment(name, (parts[1],), conditional, is_list=True, at=word.span.start, key=parts[0])
    is_set = any(isinstance(part, Literal) and not part.quoted and ("]=" in part.text or "]+=" in part.text) for part in raw.parts)
    return Assignment(name, None, conditional=True, is_list=True, at=word.span.start) if is_set else None


def keyed(raw: RawWord) -> tuple[RawWord, RawWord] | None:
    """``[key]=value`` of a list: its key and its value."""
    first = raw.parts[0] if raw.parts else None
    if not isinstance(first, Literal) or first.quoted or not first.text.startswith("["):
        return None
    rest = (Literal(first.text[1:], first.start + 1), *raw.parts[1:])
    for at, part in enumerate(rest):
        if isinstance(part, Literal) and not part.quoted and "]=" in part.text:
            cut = part.text.index("]=")
            inside = (*rest[:at], Literal(part.text[:cut], part.start)) if cut else rest[:at]
            behind = Literal(part.text[cut + 2 :], part.start + cut + 2)
            value = ((behind,) if behind.text else ()) + tuple(rest[at + 1 :])
            key = tuple(one for one in inside if not isinstance(one, Literal) or one.text)
            return RawWord(key, Span(first.start + 1, part.start + cut)), RawWord(value, Span(behind.start, raw.span.end))
    return None
