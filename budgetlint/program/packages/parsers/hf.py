"""transformers' ``HfArgumentParser`` and TRL's ``TrlParser``: dataclasses from words, and from YAML and JSON files.

Sources: transformers 4.40 to 5.2 ``hf_argparser.py``; TRL 0.9 ``commands/cli_utils.py`` (TrlParser, YamlConfigParser), 0.12 to 0.26
``scripts/utils.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence

from budgetlint.documents.scalars import Loader
from budgetlint.program.dataclass import Field, default_of, fields_of
from budgetlint.program.enumeration import is_enum
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.interface import Interface, Sought
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.config import read_config
from budgetlint.program.packages.parsers.argparse import METHODS_OF_PARSERS, current, parser
from budgetlint.program.packages.parsers.argparse import add as add_options
from budgetlint.program.packages.parsers.fields import class_fields, is_list, is_text, may_have
from budgetlint.program.packages.parsers.options import Option, defaults, flag_origin, refuse, refuse_words, refused, text_of_word
from budgetlint.program.packages.parsers.reading import read_words
from budgetlint.program.reads import whole
from budgetlint.program.state import Call, Dead, Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import (
    ABSENT,
    FALSE,
    NONE,
    TRUE,
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
_LONGEST = 2_000
_TRUE, _FALSE = frozenset({"yes", "true", "t", "y", "1"}), frozenset({"no", "false", "f", "n", "0"})


def _parser(kind: str) -> Handler:
    def made(it: Interpreter, call: Call) -> Value:
        one = parser(it, call._replace(positional=()))
        assert isinstance(one, Object)
        given = call.get("dataclass_types", 0)
        types = given if isinstance(given, Items) else Items([given]) if given is not None and truth(given) is not False else Items(())
        one.kind, one.attributes["dataclass_types"] = kind, types
        for cls in types.items:
            add_options(it, one, _options(it, cls))
        return one

    return made


def _types(parser: Value) -> list[Value] | None:
    """The classes of a parser; None where they are not known."""
    found = parser.attributes.get("dataclass_types") if isinstance(parser, Object) else None
    return list(found.items) if isinstance(found, Items) and found.more is None else None


# options of dataclasses


def _options(it: Interpreter, cls: Value) -> list[Option]:
    """The options of one class; none for a package's class, which takes what no other does."""
    if not isinstance(cls, Class):
        return []
    return [option for field in fields_of(cls) if field.init for option in (option_of(it, field), *_off(it, field))]


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
    choices = choices_of(field.annotation)
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
    return Option(field.name, flags, default, field.place, nargs="+" if _is_list(words) else "", type=_type(words), required=required)


def _off(it: Interpreter, field: Field) -> list[Option]:
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
    values = [keyword.value for keyword in settings if keyword.arg == "aliases"]
    for keyword in settings:
        if keyword.arg == "metadata" and isinstance(keyword.value, ast.Dict):
            values += [
                value
                for key, value in zip(keyword.value.keys, keyword.value.values, strict=True)
                if isinstance(key, ast.Constant) and key.value == "aliases"
            ]
    found = [one.value for value in values for one in ast.walk(value) if isinstance(one, ast.Constant)]
    return [text for text in found if isinstance(text, str) and text.startswith("-")]


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


# words to objects


def _from_words(it: Interpreter, base: Value, call: Call) -> Value:
    words = _words(it, call.get("args", 0))
    files = [one for one in (call.get("args_filename", 3), call.get("args_file_flag", 4)) if one is not None and truth(one) is not False]
    if files and words is not None:
        words = (Open("word", "*"), *words)
    asked = call.get("return_remaining_strings", 1)
    return _objects(it, base, words, call, keeps=asked is not None and truth(asked) is not False)


def _words(it: Interpreter, given: Value | None) -> Sequence[Value] | None:
    if given is None or (isinstance(given, Known) and given.value is None):
        return it.launched.words
    if isinstance(given, Items):
        return given.items if given.more is None else (*given.items, Open("word", "*"))
    return (Open("word", "*"),)


def _objects(it: Interpreter, base: Value, words: Sequence[Value] | None, call: Call, *, keeps: bool, under: Map | None = None) -> Value:
    """One object for each class: given by flags, else by a file of defaults (``under``), else by default."""
    types = _types(base)
    if types is None or not isinstance(base, Object):
        return made_of(base, *(words or ()))
    file = {str(key): value for key, value in under.items.items()} if under is not None else {}
    if under is not None:
        whole(it, under)
    it.interfaces.append(_interface(base, types))
    options = [option._replace(default=file[option.dest], required=False) if option.dest in file else option for option in current(base)]
    parsed = read_words(it, options, words or ())
    is_open = parsed.open or (under is not None and under.rest is not None) or _is_open(base)
    values = dict(defaults(it, options, parsed._replace(open=is_open), words is not None))
    foreign, left = _foreign(parsed.left)
    foreign = {**{name: _of_file(name, value) for name, value in file.items()}, **foreign}
    foreign = {name: value for name, value in foreign.items() if name not in values}
    _refuse_foreign(it, types, foreign, left, parsed.open or keeps, call, file)
    made = [_made(it, cls, values, foreign, is_open, call) for cls in types]
    more = _namespace(types, options, values)
    return Items([*made, *more, Items(left)] if keeps else [*made, *more], "tuple")


def _interface(base: Object, types: Sequence[Value]) -> Interface:
    """What the parser takes of a file."""
    known = [
        class_fields(kind) if isinstance(cls, External | Class) else None
        for cls in types
        for kind in [_kind_of(cls) or "?"]
        if kind != "?" or not isinstance(cls, Class)
    ]
    options = current(base)
    fields = (
        None if any(one is None for one in known) else frozenset().union({option.dest for option in options}, *(one or () for one in known))
    )
    return Interface(base.kind, fields, frozenset(option.dest for option in options if option.required))


def _is_open(parser: Object) -> bool:
    held = parser.attributes.get("options")
    return isinstance(held, Items) and held.more is not None


def _namespace(types: Sequence[Value], options: Sequence[Option], values: dict[str, Value]) -> list[Value]:
    """What was added beside the classes."""
    taken = {field.name for cls in types if isinstance(cls, Class) for field in fields_of(cls)}
    rest = {option.dest: values[option.dest] for option in options if option.dest not in taken and option.dest in values}
    if not rest:
        return []
    made = Object("argparse.Namespace")
    made.attributes.update(rest)
    return [made]


def _refuse_foreign(
    it: Interpreter,
    types: Sequence[Value],
    foreign: dict[str, Value],
    left: Sequence[Value],
    keeps: bool,
    call: Call,
    keys: Collection[str],
) -> None:
    """Flags and keys that no class has; ``keys`` are those of a file."""
    takers = [_kind_of(cls) for cls in types if _kind_of(cls) or not isinstance(cls, Class)]
    nobody = [name for name in foreign if not any(not kind or _may_take(kind, name, start=name not in keys) for kind in takers)]
    loose = [word for word in left if isinstance(word, Known)]
    if (nobody or (loose and len(loose) == len(left))) and not keeps:
        own = [field.name for cls in types if isinstance(cls, Class) for field in fields_of(cls) if field.init]
        _refuse_names(it, nobody, foreign, loose, takers, call, keys, own)


def _refuse_names(
    it: Interpreter,
    nobody: Sequence[str],
    foreign: dict[str, Value],
    loose: Sequence[Value],
    takers: Sequence[str],
    call: Call,
    keys: Collection[str],
    own: Sequence[str],
) -> None:
    place = it.place(call.node, call.frame)
    words = [Known(f"--{name}", foreign[name].origins) for name in nobody if name not in keys]
    mine = [flag for option in it.flags.values() for flag in option]
    refuse_words(
        it,
        [*words, *loose],
        place,
        mine,
        names=[f"--{one}" for kind in takers for one in sorted(class_fields(kind) or ())],
        error="ValueError",
    )
    known = (*own, *(field for kind in takers for field in sorted(class_fields(kind) or ())))
    kind = "unfamiliar" if takers else "unrecognized"
    for name in nobody:
        if name in keys:
            refused(it, place, f"unrecognized arguments: {name}", foreign[name].origins, "ValueError", kind, known)


def _may_take(kind: str, name: str, *, start: bool) -> bool:
    return may_have(kind, name, start=start) or (start and may_have(kind, name.removeprefix("no_"), start=True))


def _kind_of(cls: Value) -> str:
    return cls.name if isinstance(cls, External) else cls.kind if isinstance(cls, Class) else ""


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
        values: list[Value] = (
            [Known(value, word.origins) if isinstance(word, Known) else Open("word", value, word.origins)] if equals else []
        )
        while not equals and waiting and not text_of_word(waiting[0]).startswith("--"):
            values.append(waiting.pop(0))
        plain = name[2:].replace("-", "_")
        if plain.startswith("no_") and not values and plain not in _NO:
            found[plain[3:]] = Known(False, (flag_origin(word, name),))
        else:
            found[plain] = _plain(plain, values, flag_origin(word, name))
    return found, rest


_NO = frozenset({"no_cuda"})


def _of_file(name: str, value: Value) -> Value:
    """A text of a file of defaults is read as a word is; all else is what YAML makes of it."""
    if not isinstance(value, Known) or not isinstance(value.value, str) or is_text(name):
        return value
    made = scalar(value, value.origins[0] if value.origins else Origin("config", Place("", 0), name))
    return Known(made.value, value.origins) if isinstance(made, Known) else made


def _plain(name: str, values: list[Value], origin: Origin) -> Value:
    if not values:
        return Known(True, (origin,))
    if is_text(name) and len(values) == 1:
        word = values[0]
        return Known(word.value, (origin,)) if isinstance(word, Known) else Open("word", text_of_word(word), word.origins or (origin,))
    converted = [scalar(one, origin) for one in values]
    if any(not isinstance(one, Known) for one in converted[1:]) or (is_list(name) and not isinstance(converted[0], Known)):
        return made_of(*converted)
    return converted[0] if len(converted) == 1 and not is_list(name) else Items(converted, "list", None, (origin,))


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


def _made(it: Interpreter, cls: Value, values: dict[str, Value], foreign: dict[str, Value], is_open: bool, call: Call) -> Value:
    """The object of one class."""
    names = [field.name for field in fields_of(cls) if field.init] if isinstance(cls, Class) else []
    fields = {name: values[name] for name in names if name in values}
    others = {name: value for name, value in foreign.items() if _takes(cls, name)}
    return build(it, cls, fields, others, is_open, call)


def _takes(cls: Value, name: str) -> bool:
    kind = _kind_of(cls)
    known = class_fields(kind)
    return bool(kind) and (known is None or name in known)


def build(it: Interpreter, cls: Value, fields: dict[str, Value], others: dict[str, Value], is_open: bool, call: Call) -> Value:
    """An object of a dataclass with these fields; those of a package's base go to the sink that it is."""
    rest = Open("flag", "", ()) if is_open else None
    if isinstance(cls, External):
        return it.call(cls, call._replace(positional=(), keywords=others, rest=rest))
    if not isinstance(cls, Class):
        return Opaque("an object of a class that is not known")
    if not cls.kind and is_enum(cls):
        return made_of(*fields.values())
    made = it.call(cls, call._replace(positional=(), keywords={**fields, **others}, rest=rest))
    if isinstance(made, Object) and rest is not None:
        made.rest = rest
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
    """``parse_dict``: values stay as they are; a key of no class is an error, unless that is allowed."""
    types = _types(base)
    if types is None:
        return made_of(base, given)
    under = given if isinstance(given, Map) else Map(None, made_of(given))
    whole(it, under)
    if isinstance(base, Object):
        it.interfaces.append(_interface(base, types))
    file = {str(key): value for key, value in under.items.items()}
    own = {field.name for cls in types if isinstance(cls, Class) for field in fields_of(cls) if field.init}
    foreign = {name: value for name, value in file.items() if name not in own}
    allowed = call.get("allow_extra_keys", 1)
    _refuse_foreign(
        it,
        types,
        {name: value for name, value in foreign.items() if not perhaps_absent(value)},
        (),
        allowed is not None and truth(allowed) is not False,
        call,
        file,
    )
    return Items([_of_keys(it, cls, file, foreign, under.rest is not None, call) for cls in types], "tuple")


def _of_keys(it: Interpreter, cls: Value, file: dict[str, Value], foreign: dict[str, Value], is_open: bool, call: Call) -> Value:
    fields: dict[str, Value] = {}
    for field in fields_of(cls) if isinstance(cls, Class) else ():
        if field.init:
            fields[field.name] = _of_key(it, field, file.get(field.name, ABSENT), is_open)
    others = {name: value for name, value in foreign.items() if _takes(cls, name)}
    return build(it, cls, fields, others, is_open, call)


def _of_key(it: Interpreter, field: Field, given: Value, is_open: bool) -> Value:
    if not perhaps_absent(given):
        return given
    origin = Origin("option", field.place, field.name)
    default = default_of(it, field)
    if is_open or given is not ABSENT:
        return Open("field", field.name, (origin,))
    return default if default is not ABSENT else refuse(it, option_of(it, field), "is required", origin, "required")


def _trl(it: Interpreter, base: Value, call: Call) -> Value:
    """``parse_args_and_config``: a file of defaults that ``--config`` names, flags over it."""
    words = _words(it, call.get("args", 0))
    it.sought.append(Sought("--config", Loader.PYYAML.value))
    asked = call.get("return_remaining_strings", 1)
    keeps = asked is not None and truth(asked) is not False
    fails = call.get("fail_with_unknown_args", 2)
    found = next((at for at, word in enumerate(words or ()) if text_of_word(word) == "--config"), None)
    if words is None or found is None or found + 1 == len(words):
        return _objects(it, base, words, call, keeps=keeps)
    file = read_config(it, words[found + 1], Loader.PYYAML)
    under = under_without(file if isinstance(file, Map) else Map(None, made_of(file)), "env")
    kept = [*words[:found], *words[found + 2 :]]
    return _objects(it, base, kept, call, keeps=keeps or (fails is not None and truth(fails) is not True), under=under)


def under_without(under: Map, name: str) -> Map:
    made = Map({key: value for key, value in under.items.items() if key != name}, under.rest, under.origins)
    made.loader = under.loader
    return made


_SHARED = ("add_argument", "add_argument_group", "add_mutually_exclusive_group", "set_defaults")
_OF_HF: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    "parse_args_into_dataclasses": _from_words, "parse_json_file": _from_file("json"), "parse_yaml_file": _from_file("yaml"),
    "parse_dict": _from_dict,
}  # fmt: skip
METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    **{f"{kind}.{name}": handler for kind in (HF, TRL) for name, handler in _OF_HF.items()},
    **{f"{kind}.{name}": METHODS_OF_PARSERS[name] for kind in (HF, TRL) for name in _SHARED},
    f"{TRL}.parse_args_and_config": _trl,
}
FUNCTIONS: dict[str, Handler] = {HF: _parser(HF), TRL: _parser(TRL)}
__all__ = ["FUNCTIONS", "METHODS", "Choice", "alternatives", "build", "scalar", "text_of"]
