"""transformers' ``HfArgumentParser`` and TRL's ``TrlParser``: dataclasses from words, and from YAML and JSON files.

Sources: transformers 4.40 to 5.2 ``hf_argparser.py``; TRL 0.9 ``commands/cli_utils.py`` (TrlParser, YamlConfigParser), 0.12 to 0.26 ``scripts/utils.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from budgetlint.documents.scalars import Loader
from budgetlint.program.dataclass import Field, default_of, fields_of, finish
from budgetlint.program.enumeration import is_enum
from budgetlint.program.interface import Interface, Sought
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.config import read_config
from budgetlint.program.packages.parsers.fields import class_fields
from budgetlint.program.packages.parsers.options import Option, Parsed, flag_origin, read_words, refuse, refuse_words, text_of_word
from budgetlint.program.reads import whole
from budgetlint.program.state import Call, Dead, Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import (
    ABSENT,
    NONE,
    Choice,
    Class,
    External,
    Handler,
    Items,
    Known,
    Map,
    Native,
    Object,
    Opaque,
    Open,
    Origin,
    Place,
    Value,
    alternatives,
)

HF, TRL = "transformers.HfArgumentParser", "trl.TrlParser"
_TRUE, _FALSE = frozenset({"yes", "true", "t", "y", "1"}), frozenset({"no", "false", "f", "n", "0"})


def _parser(kind: str) -> Handler:
    def made(it: Interpreter, call: Call) -> Value:
        one = Object(kind)
        given = call.get("dataclass_types", 0)
        types = given if isinstance(given, Items) else Items([given]) if given is not None else Items(())
        one.attributes = {"dataclass_types": types, "options": Items(()), "defaults": Map(), "subparsers": NONE}
        return one

    return made


def _types(parser: Value) -> list[Value]:
    found = parser.attributes.get("dataclass_types") if isinstance(parser, Object) else None
    return list(found.items) if isinstance(found, Items) and found.more is None else []


# options of dataclasses


def _options(it: Interpreter, cls: Value) -> list[Option]:
    """The options of one class; none for a package's class, which takes what no other does."""
    if not isinstance(cls, Class):
        return []
    return [option_of(it, field) for field in fields_of(cls) if field.init]


def option_of(it: Interpreter, field: Field) -> Option:
    default = default_of(it, field)
    words = ast.unparse(field.annotation)
    flags = tuple(dict.fromkeys([f"--{field.name}", f"--{field.name.replace('_', '-')}", *_aliases(field)]))
    nargs: int | str = "+" if _is_list(words) else ""
    if _is_bool(words):
        return Option(field.name, flags, Known(False) if default is ABSENT else default, field.place, nargs="?", const=Known(True), type=Native("bool", _to_bool))
    return Option(field.name, flags, default, field.place, nargs=nargs, type=_type(it, field, words), required=default is ABSENT)


def _aliases(field: Field) -> list[str]:
    found = [one.value for keyword in (field.settings.keywords if field.settings else ()) if keyword.arg == "aliases" for one in ast.walk(keyword.value) if isinstance(one, ast.Constant)]
    return [text if text.startswith("-") else f"--{text}" for text in found if isinstance(text, str)]


def _is_bool(words: str) -> bool:
    return words.replace("Optional[", "").rstrip("]").replace(" | None", "").strip("'\"") == "bool"


def _is_list(words: str) -> bool:
    inner = words.replace("Optional[", "").replace("Union[", "").strip("'\"")
    return inner.startswith(("List[", "list[", "typing.List[", "Tuple[", "tuple[", "Sequence["))


def _to_bool(it: Interpreter, call: Call) -> Value:
    """``string_to_bool``."""
    word = call.positional[0]
    text = str(word.value).lower() if isinstance(word, Known) else ""
    if text not in _TRUE | _FALSE:
        raise Dead
    return Known(text in _TRUE, word.origins)


def _type(it: Interpreter, field: Field, words: str) -> Value | None:
    """What converts a word: a number type, an enumeration's values; a text stays as it is."""
    if _has(words, "int") and not _has(words, "str"):
        return Native("int", _number(int)) if not _has(words, "float") else Native("float", _number(float))
    if _has(words, "float") and not _has(words, "str"):
        return Native("float", _number(float))
    if _has(words, "dict") or _has(words, "Dict"):
        return Native("dict", lambda it, call: Opaque("a dict of a flag", origins=call.positional[0].origins))
    return None


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


# words to objects


def _from_words(remaining: bool) -> Callable[[Interpreter, Value, Call], Value]:
    def parse(it: Interpreter, base: Value, call: Call) -> Value:
        given = call.get("args", 0)
        words = given.items if isinstance(given, Items) and given.more is None else it.launched.words if given is None or given is NONE or (isinstance(given, Known) and given.value is None) else None
        asked = call.get("return_remaining_strings", 1)
        keeps = remaining or (asked is not None and truth(asked) is True)
        return _objects(it, base, words, call, keeps=keeps)

    return parse


def _objects(it: Interpreter, base: Value, words: Sequence[Value] | None, call: Call, *, keeps: bool, under: Map | None = None) -> Value:
    """One object for each class: given by flags, else by a file (``under``), else by default."""
    if under is not None:
        whole(it, under)
    types = _types(base)
    options = [option for cls in types for option in _options(it, cls)]
    own = {option.dest for option in options}
    it.interfaces.append(_interface(base, types, options))
    parsed = read_words(it, options, words or ())
    foreign, left = _foreign(parsed.left)
    made = [_made(it, cls, _options(it, cls), parsed, foreign, own, under, words is not None, call) for cls in types]
    takers = [cls for cls in types if not isinstance(cls, Class) or cls.kind]
    unknown = {name for name in foreign if not any(_takes(it, cls, name) for cls in takers)}
    if unknown and not keeps:
        words = [word for word in parsed.left if text_of_word(word).partition("=")[0][2:].replace("-", "_") in unknown]
        refuse_words(it, words, it.place(call.node, call.frame), options, names=[one for cls in takers for one in _fields(cls)])
    result = [one for one in made]
    return Items([*result, Items(left)] if keeps else result, "tuple")


def _interface(base: Value, types: Sequence[Value], options: Sequence[Option]) -> Interface:
    """What the parser takes of a file."""
    kinds = [cls.name if isinstance(cls, External) else cls.kind if isinstance(cls, Class) else "?" for cls in types]
    known = [class_fields(kind) for kind in kinds if kind]
    fields = None if any(one is None for one in known) else frozenset().union({option.dest for option in options}, *(one or () for one in known))
    required = frozenset(option.dest for option in options if option.required)
    return Interface(base.kind if isinstance(base, Object) else "", fields, required)


def _foreign(left: Sequence[Value]) -> tuple[dict[str, Value], list[Value]]:
    """Flags that no option of the repository takes, by name: those of the package's class."""
    found: dict[str, Value] = {}
    rest: list[Value] = []
    waiting = list(left)
    while waiting:
        word = waiting.pop(0)
        text = text_of_word(word)
        if not text.startswith("--"):
            rest.append(word)
            continue
        name, equals, value = text.partition("=")
        values = [Known(value, word.origins) if isinstance(word, Known) else Open("word", value, word.origins)] if equals else []
        while not equals and waiting and not text_of_word(waiting[0]).startswith("--"):
            values.append(waiting.pop(0))
        found[name[2:].replace("-", "_")] = _plain(values, flag_origin(word, name))
    return found, rest


def _plain(values: list[Value], origin: Origin) -> Value:
    if not values:
        return Known(True, (origin,))
    converted = [scalar(one, origin) for one in values]
    return converted[0] if len(converted) == 1 else Items(converted, "list", None, (origin,))


def scalar(word: Value, origin: Origin) -> Value:
    """A word for a field whose type is in the package: a number or switch where it reads as one, else a text."""
    if not isinstance(word, Known):
        return Open("word", text_of_word(word), word.origins or (origin,))
    text, origins = str(word.value), (Origin("flag", word.origins[0].place if word.origins else origin.place, origin.key),)
    if text.lower() in {"true", "false"}:
        return Known(text.lower() == "true", origins)
    for kind in (int, float):
        try:
            return Known(kind(text), origins)
        except ValueError:
            continue
    return Known(None if text == "None" else text, origins)


def _made(it: Interpreter, cls: Value, options: list[Option], parsed: Parsed, foreign: dict[str, Value], own: set[str], under: Map | None, launched: bool, call: Call) -> Value:
    """The object of one class."""
    file = {str(key): value for key, value in under.items.items()} if under is not None else {}
    fields: dict[str, Value] = {}
    for option in options:
        if option.dest in parsed.given:
            fields[option.dest] = parsed.given[option.dest]
        elif option.dest in file:
            fields[option.dest] = file[option.dest]
        elif parsed.open or (option.default is ABSENT and not launched) or (under is not None and under.rest is not None):
            fields[option.dest] = Open("flag", option.flags[0], (Origin("option", option.place, option.dest),))
        else:
            fields[option.dest] = option.default if option.default is not ABSENT else refuse(it, option, "is required", Origin("option", option.place, option.dest), "required")
    others = {name: value for name, value in {**file, **foreign}.items() if name not in own and _takes(it, cls, name)}
    return build(it, cls, fields, others, parsed.open or (under is not None and under.rest is not None), call)


def _takes(it: Interpreter, cls: Value, name: str) -> bool:
    known = class_fields(_kind(cls))
    return bool(_kind(cls)) and (known is None or name in known)


def _kind(cls: Value) -> str:
    return cls.name if isinstance(cls, External) else cls.kind if isinstance(cls, Class) else ""


def _fields(cls: Value) -> list[str]:
    return [f"--{name}" for name in sorted(class_fields(_kind(cls)) or ())]


def build(it: Interpreter, cls: Value, fields: dict[str, Value], others: dict[str, Value], is_open: bool, call: Call) -> Value:
    """An object of a dataclass with these fields; those of a package's base go to the sink that it is."""
    rest = Open("flag", "", ()) if is_open else None
    if isinstance(cls, External):
        return it.call(cls, call._replace(positional=(), keywords=others, rest=rest))
    if not isinstance(cls, Class):
        return Opaque("an object of a class that is not known")
    if not cls.kind and is_enum(cls):
        return made_of(*fields.values())
    made = Object(cls.kind, cls)
    made.attributes = dict(fields)
    made.rest = rest
    if cls.kind:
        it.parts.sink(it, cls.kind, call._replace(positional=(), keywords={**fields, **others}, rest=rest), made)
    made.attributes = {**made.attributes, **fields, **others}
    finish(it, made, cls, call)
    return made


# files to objects


def _from_file(loader: str) -> Callable[[Interpreter, Value, Call], Value]:
    def parse(it: Interpreter, base: Value, call: Call) -> Value:
        path = call.get("json_file" if loader == "json" else "yaml_file", 0) or NONE
        if not isinstance(path, Known):
            it.sought.append(Sought("", (Loader.JSON if loader == "json" else Loader.PYYAML).value))
        return it.each(path, lambda one: _of_map(it, base, read_config(it, one, Loader.JSON if loader == "json" else Loader.PYYAML), call))

    return parse


def _from_dict(it: Interpreter, base: Value, call: Call) -> Value:
    return it.each(call.get("args", 0) or NONE, lambda one: _of_map(it, base, one, call))


def _of_map(it: Interpreter, base: Value, given: Value, call: Call) -> Value:
    if not isinstance(given, Map):
        opened = Map(None, made_of(given))
        return _objects(it, base, (), call, keeps=False, under=opened)
    return _objects(it, base, (), call, keeps=False, under=given)


def _trl(it: Interpreter, base: Value, call: Call) -> Value:
    """``parse_args_and_config``: a file of defaults that ``--config`` names, flags over it."""
    given = call.get("args", 0)
    words = given.items if isinstance(given, Items) and given.more is None else it.launched.words if given is None or (isinstance(given, Known) and given.value is None) else None
    it.sought.append(Sought("--config", Loader.PYYAML.value))
    options = [Option("config", ("--config",), NONE, Place("", 0))]
    config = read_words(it, options, [*(words or ())]).given.get("config")
    kept = _without_config(words or ())
    asked = call.get("return_remaining_strings", 1)
    keeps = asked is not None and truth(asked) is True
    if config is None:
        return _objects(it, base, words, call, keeps=keeps)
    file = read_config(it, config, Loader.PYYAML)
    under = file if isinstance(file, Map) else Map(None, made_of(file))
    under = under_without(under, "env")
    return _objects(it, base, kept, call, keeps=keeps, under=under)


def under_without(under: Map, name: str) -> Map:
    made = Map({key: value for key, value in under.items.items() if key != name}, under.rest, under.origins)
    made.loader = under.loader
    return made


def _without_config(words: Sequence[Value]) -> list[Value]:
    kept: list[Value] = []
    skip = False
    for word in words:
        text = text_of_word(word)
        if skip:
            skip = False
        elif text == "--config":
            skip = True
        elif not text.startswith("--config="):
            kept.append(word)
    return kept


_OF_HF: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    "parse_args_into_dataclasses": _from_words(False), "parse_json_file": _from_file("json"), "parse_yaml_file": _from_file("yaml"), "parse_dict": _from_dict,
}  # fmt: skip
METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    **{f"{kind}.{name}": handler for kind in (HF, TRL) for name, handler in _OF_HF.items()},
    f"{TRL}.parse_args_and_config": _trl,
    f"{TRL}.parse_args_into_dataclasses": _from_words(False),
}
FUNCTIONS: dict[str, Handler] = {HF: _parser(HF), TRL: _parser(TRL)}
__all__ = ["FUNCTIONS", "METHODS", "Choice", "alternatives", "build", "scalar", "text_of"]
