"""Options of the fields of a dataclass, as transformers' ``HfArgumentParser`` makes them.

Source: transformers 4.40 to 5.2 ``hf_argparser.py`` _parse_dataclass_field.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from budgetlint.program.calling import Call, Frame
from budgetlint.program.dataclass import Field, default_of
from budgetlint.program.ends import Dead
from budgetlint.program.objects import Handler, Native, Object
from budgetlint.program.packages.parsers.annotations import shape_of
from budgetlint.program.packages.parsers.options import Option
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, FALSE, NONE, TRUE, External, Items, Known, Opaque, Value

_LONGEST = 2_000


_TRUE, _FALSE = frozenset({"yes", "true", "t", "y", "1"}), frozenset({"no", "false", "f", "n", "0"})


def option_of(it: Interpreter, field: Field) -> Option:
    default = default_of(it, field)
    words = _written(field)
    flags = tuple(dict.fromkeys([f"--{field.name}", f"--{field.name.replace('_', '-')}", *_aliases(field)]))
    required = default is ABSENT
    if _is_bool(words):
        optional = words != "bool" and (required or (isinstance(default, Known) and default.value is None))
        nargs, const = ("", None) if optional else ("?", TRUE)
        return Option(
            field.name,
            flags,
            FALSE if required and not optional else NONE if required else default,
            field.place,
            nargs=nargs,
            const=const,
            type=Native("bool", _to_bool),
        )
    choices = choices_of(field.annotation) or _values(it, field)
    if choices is not None:
        return Option(
            field.name,
            flags,
            default,
            field.place,
            type=Native("choice", _choice(choices)),
            choices=Items(choices, "tuple"),
            required=required,
        )
    several = "+" if _is_list(words) else ""
    told = _told(it, field)
    kind = External("pathlib.Path") if _is_path(shape_of(it, field.annotation, field.owner.names).kinds) else _type(words)
    return Option(field.name, flags, default, field.place, nargs=several, type=kind, choices=told, required=required)


def off_options(it: Interpreter, field: Field) -> list[Option]:
    """``--no_x`` of a truth value that is True."""
    default = default_of(it, field) if field.factory is None else ABSENT
    if not (_is_bool(_written(field)) and isinstance(default, Known) and default.value is True):
        return []
    flags = (f"--no_{field.name}", f"--no-{field.name.replace('_', '-')}")
    return [Option(field.name, tuple(dict.fromkeys(flags)), FALSE, field.place, "store_false")]


def _written(field: Field) -> str:
    """An annotation in its words."""
    one = field.annotation
    return one.value.strip() if isinstance(one, ast.Constant) and isinstance(one.value, str) else ast.unparse(one)


def choices_of(annotation: ast.expr) -> list[Value] | None:
    """The values of ``Literal[...]``, also where it is optional."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value[:_LONGEST], mode="eval").body
        except SyntaxError:
            return None
    for one in ast.walk(annotation):
        if isinstance(one, ast.Subscript) and ast.unparse(one.value).rpartition(".")[2] == "Literal":
            found = one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice]
            return [Known(part.value) for part in found] if all(isinstance(part, ast.Constant) for part in found) else None  # type: ignore[attr-defined]
    return None


def _values(it: Interpreter, field: Field) -> list[Value] | None:
    """The values of an enumeration of the repository, also where it is optional."""
    shape = shape_of(it, field.annotation, field.owner.names)
    members = shape.cls.attributes.get("__members__") if shape.cls is not None and "enum" in shape.kinds and not shape.several else None
    found = [one.attributes["value"] for one in members.items if isinstance(one, Object)] if isinstance(members, Items) else []
    return found if found and all(isinstance(one, Known) for one in found) else None


def _told(it: Interpreter, field: Field) -> Value | None:
    """``choices`` of the metadata, which becomes words of ``add_argument``; None where there are none, or nobody knows them."""
    written = next(_of_metadata(field, "choices"), None)
    if written is None:
        return None
    try:
        found = it.evaluate(written, Frame(field.owner.names))
    except Dead:
        return None
    return found if isinstance(found, Items) and found.more is None else None


def _choice(choices: Sequence[Value]) -> Handler:
    """``make_choice_type_function``: the choice that is written so."""

    def convert(it: Interpreter, call: Call) -> Value:
        word = call.positional[0]
        if not isinstance(word, Known):
            return word
        found = next((one for one in choices if isinstance(one, Known) and str(one.value) == word.value), word)
        return Known(found.value, word.origins)

    return convert


def _aliases(field: Field) -> list[str]:
    """Further flags, as they are written in the metadata; ``HfArg(aliases=...)`` too."""
    settings = field.settings.keywords if field.settings else ()
    values = [*(keyword.value for keyword in settings if keyword.arg == "aliases"), *_of_metadata(field, "aliases")]
    found = [one.value for value in values for one in ast.walk(value) if isinstance(one, ast.Constant)]
    return [text for text in found if isinstance(text, str) and text.startswith("-")]


def _of_metadata(field: Field, name: str) -> Iterator[ast.expr]:
    """What the metadata of a field has under a name, as it is written."""
    for keyword in field.settings.keywords if field.settings else ():
        if keyword.arg == "metadata" and isinstance(keyword.value, ast.Dict):
            pairs = zip(keyword.value.keys, keyword.value.values, strict=True)
            yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name)
        elif keyword.arg == "metadata" and isinstance(keyword.value, ast.Call) and ast.unparse(keyword.value.func) == "dict":
            yield from (one.value for one in keyword.value.keywords if one.arg == name)


def _is_bool(words: str) -> bool:
    return _bare(words) == "bool"


def _bare(words: str) -> str:
    """What an optional annotation is of."""
    for name in ("typing.Optional[", "Optional["):
        if words.startswith(name) and words.endswith("]"):
            return words[len(name) : -1]
    return words.removesuffix(" | None").removeprefix("None | ")


def _is_list(words: str) -> bool:
    return _bare(words).startswith(("List[", "list[", "typing.List["))


def _to_bool(it: Interpreter, call: Call) -> Value:
    """``string_to_bool``."""
    word = call.positional[0]
    text = str(word.value).lower() if isinstance(word, Known) else ""
    if text not in _TRUE | _FALSE:
        raise Dead
    return Known(text in _TRUE, word.origins)


def _is_path(kinds: Sequence[str]) -> bool:
    """Whether it takes a path for the type: of a union the part that it keeps goes by the order of the parts (4.40 to 5.2, "filter `str` in
    Union", "filter `NoneType` in Union")."""
    if len(kinds) == 1:
        return kinds[0] == "Path"
    beside = "None" if "None" in kinds else "str"
    return kinds[0 if kinds[1] == beside else 1] == "Path"


def _type(words: str) -> Value | None:
    """What converts a word: a number type; a text stays as it is, and of ``Optional`` unions with ``str`` the text is taken."""
    has_text = _has(words, "str") and (_bare(words) != words or _is_list(words) or _has(words, "None"))
    if _has(words, "bool") and not has_text:
        return Native("bool", lambda it, call: Opaque("a truth value of a flag", origins=call.positional[0].origins))
    if (_has(words, "dict") or _has(words, "Dict")) and not has_text:
        return Native("dict", lambda it, call: Opaque("a dict of a flag", origins=call.positional[0].origins))
    if _has(words, "str") or not (_has(words, "int") or _has(words, "float")):
        return None if has_text or not (_has(words, "int") or _has(words, "float")) else Native("a number or text", _perhaps_number)
    return Native("int", _number(int)) if not _has(words, "float") else Native("float", _number(float))


def _perhaps_number(it: Interpreter, call: Call) -> Value:
    """``Union[str, int]``: the real parser reads what is not ``str``, and refuses other words."""
    word = call.positional[0]
    return Opaque("a number or a text", origins=word.origins)


def _has(words: str, name: str) -> bool:
    return name in words.replace("[", " ").replace("]", " ").replace(",", " ").replace("|", " ").split()


def _number(kind: type[int] | type[float]) -> Handler:
    def convert(it: Interpreter, call: Call) -> Value:
        word = call.positional[0]
        try:
            return Known(kind(str(word.value)), word.origins) if isinstance(word, Known) else word
        except ValueError:
            raise Dead from None

    return convert
