"""What a simple command does to the variables of its script: ``export``, ``read``, ``let``, ``printf -v``, a call of a function.

Sources: bash 5.2 manual 4.1 to 4.3, 6.5 (arithmetic).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.expression import expression
from budgetlint.base.source import Span
from budgetlint.documents.shell_assign import assignment_of, names_set
from budgetlint.documents.shell_assignment import Assignment
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_tokens import Array
from budgetlint.documents.shell_words import Literal, Opaque, RawWord, Variable

DECLARES = frozenset(("export", "declare", "local", "readonly", "typeset"))
READS = frozenset(("read", "unset", "mapfile", "readarray", "getopts"))
SUBMITTERS = ("sbatch", "qsub", "bsub", "oarsub")
_CALCULATED = expression(r"\s*([A-Za-z_]\w*)\s*(?:([-+*/%]?)=(?!=)\s*([^,=]+)|(\+\+|--))\s*")
_PREFIXED = expression(r"\s*(\+\+|--)\s*([A-Za-z_]\w*)\s*")


def calculated(body: str, span: Span, conditional: bool, shifts: int = 0) -> Assignment | None:
    """``X = A / 2``, ``X += 1`` and ``X++``, of ``let`` and ``((...))``; None for anything else."""
    found = _CALCULATED.fullmatch(body)
    if found is None:
        before = _PREFIXED.fullmatch(body)
        if before is None:
            return None
        name, value = before[2], f"{before[2]} {before[1][0]} 1"
    elif found[4]:
        name, value = found[1], f"{found[1]} {found[4][0]} 1"
    else:
        name, value = found[1], f"{found[1]} {found[2]} ({found[3].strip()})" if found[2] else found[3].strip()
    return Assignment(name, (RawWord((Opaque(f"$(({value}))", span, quoted=True, shifts=shifts),), span),), conditional, at=span.start)


def sets_by_the_way(name: str, rest: list[RawWord], conditional: bool, held: Iterable[str]) -> Iterator[Assignment]:
    """``: ${X:=a}`` gives one that has none a value, ``let X=…`` works it out, ``eval X=…`` sets what nobody can know."""
    at = rest[0].span.start
    if name == ":":
        known = set(held)
        for part in (part for word in rest[1:] for part in word.parts):
            if isinstance(part, Variable) and part.operator in (":=", "=") and part.name not in known:
                yield Assignment(part.name, (RawWord(part.default, part.span),), conditional, at=part.span.start)
    elif name == "let":
        for word in rest[1:]:
            text = "".join(part.text for part in word.parts if isinstance(part, Literal))
            told = calculated(text, word.span, conditional) if all(isinstance(part, Literal) for part in word.parts) else None
            yield from (told,) if told is not None else _unknown(names_set(text), at)
    elif name == "eval":
        yield from _unknown(
            [found for word in rest[1:] for part in word.parts if isinstance(part, Literal) for found in names_set(part.text)], at
        )
    elif name == "printf" and len(rest) > 2 and rest[1].bare == "-v":
        yield from _unknown([rest[2].bare], at)


def _unknown(names: Iterable[str], at: int) -> Iterator[Assignment]:
    return (Assignment(name, None, conditional=True, at=at) for name in names if name.isidentifier())


def read_names(rest: list[RawWord]) -> Iterator[Assignment]:
    """``read X Y``, ``unset X``: nobody knows what they hold."""
    return _unknown([word.bare for word in rest[1:]], rest[0].span.start)


def read_text(name: str, lexer: Lexer, conditional: bool) -> Assignment:
    """``read -r -d '' NAME <<EOF``: the text becomes the variable."""
    body = lexer.bodies[-1]
    return Assignment(name, (RawWord(lexer.within(body).default_parts(), body),), conditional, at=body.start)


def exported_names(name: str, assigned: list[Assignment], words: list[RawWord | Array], every: bool) -> list[tuple[str, int]]:
    """``export NAME``, ``declare -x NAME=value``, and every assignment behind ``set -a`` (bash 5.2 manual 4.1, 4.3.1)."""
    told = [word for word in words if isinstance(word, RawWord)]
    options = "".join(word.bare[1:] for word in told if word.bare.startswith("-"))
    if not (every or (name == "export" and "n" not in options) or (name in ("declare", "typeset") and "x" in options)):
        return []
    more = [one for word in words if (one := assignment_of(word, False)) is not None]
    named = [(one.name, one.at) for one in (*assigned, *more) if every or one in more]
    return [*named, *((word.bare, word.span.start) for word in told if word.bare.isidentifier())]


def exports_all(rest: list[RawWord], before: bool) -> bool:
    """Is every assignment exported behind this ``set``?"""
    options = [word.bare for word in rest[1:]]
    if any(one in ("-a", "-o") or (one[:1] == "-" and "a" in one) for one in options):
        return "-o" not in options or "allexport" in options or before
    return before and not any(one in ("+a", "+o") for one in options)


def submits(words: list[RawWord | Array]) -> Iterator[tuple[int, int]]:
    """``JOB=$(sbatch --parsable job.sh)``: where its command stands."""
    for part in (part for word in words if isinstance(word, RawWord) for part in word.parts):
        if isinstance(part, Opaque) and part.text.startswith("$(") and any(name in part.text for name in SUBMITTERS):
            yield part.span.start + 2, part.span.end - 1
