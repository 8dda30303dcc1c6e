"""transformers' ``HfArgumentParser`` and TRL's ``TrlParser``: dataclasses from words, and from YAML and JSON files.

Sources: transformers 4.40 to 5.2 ``hf_argparser.py``; TRL 0.9 ``commands/cli_utils.py`` (TrlParser, YamlConfigParser), 0.12 to 0.26
``scripts/utils.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from budgetlint.documents.scalars import Loader
from budgetlint.program.calling import Call
from budgetlint.program.dataclass import Field, default_of, fields_of
from budgetlint.program.enumeration import is_enum
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.interface import Interface, Sought
from budgetlint.program.noted import Begun
from budgetlint.program.objects import Class, Handler, Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.config import read_config
from budgetlint.program.packages.parsers.argparse import METHODS_OF_PARSERS, help_of
from budgetlint.program.packages.parsers.argparse_options import add as add_options
from budgetlint.program.packages.parsers.argparse_options import current, parser
from budgetlint.program.packages.parsers.fields import class_fields
from budgetlint.program.packages.parsers.hf_fields import off_options, option_of
from budgetlint.program.packages.parsers.hf_flags import foreign_flags, may_take, of_file
from budgetlint.program.packages.parsers.options import Option, defaults, refuse, refuse_words, refused, text_of_word
from budgetlint.program.packages.parsers.reading import read_words
from budgetlint.program.places import Origin
from budgetlint.program.reads import whole
from budgetlint.program.state import Interpreter
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, NONE, External, Items, Known, Map, Opaque, Open, Value

HF, TRL = "transformers.HfArgumentParser", "trl.TrlParser"


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
    return [option for field in fields_of(cls) if field.init for option in (option_of(it, field), *off_options(it, field))]


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
    parsed = read_words(it, [*options, *help_of(base, call, it)], words or ())
    is_open = parsed.open or (under is not None and under.rest is not None) or _is_open(base)
    values = dict(defaults(it, options, parsed._replace(open=is_open), words is not None))
    foreign, left = foreign_flags(parsed.left, values)
    foreign = {**{name: of_file(name, value) for name, value in file.items() if name not in values}, **foreign}
    _refuse_foreign(it, types, foreign, left, parsed.open or keeps, call, file)
    taken = {name: value for name, value in foreign.items() if not _is_nobodys(types, name, start=name not in file)}
    made = [_made(it, cls, values, taken, is_open, call) for cls in types]
    more = _namespace(types, options, values)
    return Items([*made, *more, _kept(types, foreign, left, parsed.left)] if keeps else [*made, *more], "tuple")


def _kept(types: Sequence[Value], foreign: dict[str, Value], left: Sequence[Value], words: Sequence[Value]) -> Value:
    """The words that no class takes; what a package's class may take is not told of the others."""
    if not any(_kind_of(cls) or not isinstance(cls, Class) for cls in types):
        return Items(words)
    return Items(left) if not foreign else Items((), "list", made_of(*words))


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
    takers = _takers(types)
    nobody = [name for name in foreign if _is_nobodys(types, name, start=name not in keys)]
    loose = [word for word in left if isinstance(word, Known)]
    if (nobody or (loose and len(loose) == len(left))) and not keeps:
        own = [field.name for cls in types if isinstance(cls, Class) for field in fields_of(cls) if field.init]
        _refuse_names(it, nobody, foreign, loose, takers, call, keys, own)


def _takers(types: Sequence[Value]) -> list[str]:
    """The packages' classes that may have fields of their own, empty for one that is not known."""
    return [_kind_of(cls) for cls in types if _kind_of(cls) or not isinstance(cls, Class)]


def _is_nobodys(types: Sequence[Value], name: str, *, start: bool) -> bool:
    return not any(not kind or may_take(kind, name, start=start) for kind in _takers(types))


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


def _kind_of(cls: Value) -> str:
    return cls.name if isinstance(cls, External) else cls.kind if isinstance(cls, Class) else ""


def _made(it: Interpreter, cls: Value, values: dict[str, Value], foreign: dict[str, Value], is_open: bool, call: Call) -> Value:
    """The object of one class."""
    names = [field.name for field in fields_of(cls) if field.init] if isinstance(cls, Class) else []
    fields = {name: values[name] for name in names if name in values}
    cut_short = {name: _begun(cls, name) for name in foreign if not _takes(cls, name)}
    it.slips.begun += [
        Begun(origin, full, _kind_of(cls))
        for name, full in cut_short.items()
        if len(full) > 1
        for origin in foreign[name].origins[:1]
        if origin.kind == "flag"
    ]
    others = {name: value for name, value in foreign.items() if _takes(cls, name)}
    others |= {full[0]: foreign[name] for name, full in cut_short.items() if len(full) == 1}
    return build(it, cls, fields, others, is_open or any(len(full) > 1 for full in cut_short.values()), call)


def _begun(cls: Value, name: str) -> tuple[str, ...]:
    """The fields of a package's class that a flag is the beginning of: argparse takes it for the one, and stops where several are."""
    known = class_fields(_kind_of(cls)) or ()
    return tuple(field for field in known if field.startswith(name))


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
