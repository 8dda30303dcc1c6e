"""Options that a parser makes of annotations and that `argparse` reads: what `datargs` and `tap` have alike."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead
from budgetlint.program.objects import Native, Object
from budgetlint.program.packages.parsers.annotations import Shape, literal, number, unknown
from budgetlint.program.packages.parsers.options import Option, defaults, refuse_words
from budgetlint.program.packages.parsers.reading import read_words
from budgetlint.program.state import Interpreter, text_of
from budgetlint.program.values import ABSENT, NONE, Items, Known, Open, Value


def words_of(it: Interpreter, given: Value | None) -> Sequence[Value] | None:
    """The words that a parser reads: those it is handed, else those of the launch; None where nobody starts the program here."""
    if given is None or (isinstance(given, Known) and given.value is None):
        return it.launched.words
    return given.items if isinstance(given, Items) and given.more is None else (Open("word", "*"),)


def values_of(
    it: Interpreter, options: Sequence[Option], words: Sequence[Value] | None, call: Call, *, known_only: bool = False
) -> dict[str, Value]:
    """What these words make of the options, by destination. Words of no option end the program, unless they are allowed."""
    shown = Option("", ("-h", "--help"), NONE, it.place(call.node, call.frame), "help")
    parsed = read_words(it, [*options, shown], words or ())
    if parsed.left and not parsed.open and not known_only:
        refuse_words(it, parsed.left, it.place(call.node, call.frame), [flag for option in options for flag in option.flags])
    return dict(defaults(it, options, parsed, words is not None))


def plain(shape: Shape) -> str:
    """The one kind that a word of this field is of, beside None; empty where there are more, or none that is known."""
    kinds = [one for one in shape.kinds if one != "None"]
    return kinds[0] if len(kinds) == 1 and not shape.metadata else ""


def reader(shape: Shape) -> Native | None:
    """What reads a word of a field of one kind; None where it stays the text that it is."""
    kind = plain(shape)
    return (
        None if kind == "str" else Native(f"a word as {kind or 'what is not known'}", lambda it, call: _as(shape, kind, call.positional[0]))
    )


def _as(shape: Shape, kind: str, word: Value) -> Value:
    if not isinstance(word, Known):
        return word
    found: Value | None = unknown(word)
    if kind in {"int", "float"}:
        found = number(int if kind == "int" else float, word)
    elif kind == "literal":
        found = literal(shape, word)
    elif kind == "enum":
        found = _member(shape, word)
    if found is None:
        raise Dead
    return found


def _member(shape: Shape, word: Known) -> Value | None:
    """The member of an enumeration that has this name."""
    members = shape.cls.attributes.get("__members__") if shape.cls is not None else None
    if not isinstance(members, Items) or members.more is not None:
        return unknown(word)
    return next((one for one in members.items if isinstance(one, Object) and text_of(one.attributes.get("name")) == word.value), None)


def switch(option: Option, default: Value) -> Option | None:
    """A truth value that a flag without a word turns round; None where nobody knows what it is at first."""
    if default is ABSENT:
        return option._replace(action="store_true", default=Known(False), required=False)
    if not isinstance(default, Known):
        return None
    return option._replace(action="store_false" if default.value else "store_true", required=False)
