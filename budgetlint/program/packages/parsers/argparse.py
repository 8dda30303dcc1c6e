"""`argparse`: options that the program adds, and the namespace that a launch makes of them (CPython 3.11 to 3.14 ``argparse.py``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.options import (
    SUPPRESSED,
    Acted,
    Option,
    Parsed,
    defaults,
    flag_origin,
    refuse,
    refuse_words,
    text_of_word,
)
from budgetlint.program.packages.parsers.reading import Manners, read_words
from budgetlint.program.state import Call, Exits, Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import (
    ABSENT,
    FALSE,
    NONE,
    TRUE,
    Class,
    External,
    Function,
    Handler,
    Items,
    Known,
    Map,
    Object,
    Opaque,
    Open,
    Origin,
    Value,
)

PARSER, GROUP, SUBPARSERS, NAMESPACE, ACTION = (
    "argparse.ArgumentParser", "argparse._ArgumentGroup", "argparse._SubParsersAction", "argparse.Namespace", "argparse.Action",
)  # fmt: skip
_OPTIONAL = {"BooleanOptionalAction", "argparse.BooleanOptionalAction"}


def parser(it: Interpreter, call: Call) -> Value:
    made = Object(PARSER)
    made.attributes = {"options": Items(()), "defaults": Map(), "subparsers": NONE, "groups": Items(())}
    for name, otherwise in (
        ("argument_default", NONE),
        ("allow_abbrev", TRUE),
        ("prefix_chars", Known("-")),
        ("fromfile_prefix_chars", NONE),
        ("add_help", TRUE),
    ):
        made.attributes[name] = call.get(name) or otherwise
    parents = call.get("parents")
    for one in parents.items if isinstance(parents, Items) else ():
        if isinstance(one, Object) and one.kind == PARSER:
            _inherit(it, made, one)
    if parents is not None and (not isinstance(parents, Items) or parents.more is not None):
        _open(it, made)
    return made


def _inherit(it: Interpreter, made: Object, parent: Object) -> None:
    add(it, made, current(parent))
    for name in ("defaults", "groups"):
        held, more = made.attributes[name], parent.attributes.get(name)
        if isinstance(held, Map) and isinstance(more, Map):
            held.items.update(more.items)
        elif isinstance(held, Items) and isinstance(more, Items):
            made.attributes[name] = Items((*held.items, *more.items))
    options = parent.attributes.get("options")
    if isinstance(options, Items) and options.more is not None:
        _open(it, made)


def options_of(parser: Object) -> Sequence[Object]:
    """The actions that were added, in order."""
    found = parser.attributes.get("options")
    return [one for one in found.items if isinstance(one, Object)] if isinstance(found, Items) else []


def current(parser: Object) -> list[Option]:
    """The options, with the defaults that they have now."""
    found = []
    for one in options_of(parser):
        if isinstance(one.data, Option):
            required = one.attributes.get("required")
            asked = truth(required) if required is not None else None
            found.append(
                one.data._replace(
                    default=one.attributes.get("default", one.data.default), required=one.data.required if asked is None else asked
                )
            )
    return found


def add(it: Interpreter, parser: Object, options: Sequence[Option]) -> None:
    held = parser.attributes["options"]
    if isinstance(held, Items):
        it.heap.write(held, None, Items((*held.items, *map(_action_of, options)), "list", held.more))


def _action_of(option: Option) -> Object:
    made = Object(ACTION)
    made.data = option
    made.attributes = {
        "dest": Known(option.dest), "default": option.default, "required": Known(option.required),
        "option_strings": Items([Known(flag) for flag in option.flags]),
    }  # fmt: skip
    return made


def _add_argument(it: Interpreter, base: Value, call: Call) -> Value:
    parser = _home(base)
    names = [text_of(one) for one in call.positional]
    if parser is None or call.rest is not None or any(name is None for name in names):
        _open(it, parser)
        return Opaque("an option that is not known")
    option = _option(it, [name for name in names if name is not None], call, parser)
    if isinstance(base, Object) and base.kind == GROUP and "exclusive" in base.attributes:
        option = option._replace(exclusive=base)
    add(it, parser, [option])
    return options_of(parser)[-1] if options_of(parser) else NONE


def _open(it: Interpreter, parser: Object | None) -> None:
    held = parser.attributes.get("options") if parser is not None else None
    if isinstance(held, Items):
        it.heap.write(held, None, Items(held.items, "list", Opaque("an option that is not known")))


def _option(it: Interpreter, names: list[str], call: Call, parser: Object) -> Option:
    prefixes = _prefixes(parser)
    flags = tuple(name for name in names if name[:1] in prefixes and name)
    long = next((name for name in flags if name[1:2] in prefixes and len(name) > 1), flags[0] if flags else "")
    dest = text_of(call.get("dest")) or (long.lstrip(prefixes).replace("-", "_") if flags else names[0] if names else "")
    action, own = _action(call.get("action"))
    if action == "boolean":
        flags = tuple(one for flag in flags for one in ((flag, f"--no-{flag[2:]}") if flag.startswith("--") else (flag,)))
    place = it.place(call.node, call.frame)
    count = _count(call.get("nargs"))
    default = _default(call, action, Origin("option", place, dest), parser, dest)
    required = call.get("required")
    is_required = (required is not None and truth(required) is True) or (not flags and count not in ("?", "*", "...", 0))
    return Option(dest, flags, default, place, action, count, call.get("type"), call.get("const"), call.get("choices"), is_required, own)


def _prefixes(parser: Object) -> str:
    return text_of(parser.attributes.get("prefix_chars")) or "-"


def _count(nargs: Value | None) -> int | str:
    if isinstance(nargs, Known) and isinstance(nargs.value, int | str):
        return nargs.value
    return "" if nargs is None or (isinstance(nargs, Known) and nargs.value is None) else "*"


def _action(given: Value | None) -> tuple[str, Class | None]:
    """What an action is called; the program's own class, where it says all that it does."""
    if given is None:
        return "store", None
    if isinstance(given, External) and given.name in _OPTIONAL:
        return "boolean", None
    if (
        isinstance(given, Class)
        and given.kind == ACTION
        and isinstance(given.find("__call__"), Function)
        and given.find("__init__") is None
    ):
        return "own", given
    return text_of(given) or "unknown", None


def _default(call: Call, action: str, origin: Origin, parser: Object, dest: str) -> Value:
    """A default as it is given: it is converted when the words are read."""
    held = parser.attributes.get("defaults")
    given = call.get("default")
    if given is None:
        given = held.items.get(dest) if isinstance(held, Map) else None
    if given is None:
        general = parser.attributes.get("argument_default", NONE)
        given = None if isinstance(general, Known) and general.value is None else general
    if given is None:
        plain = {"store_true": FALSE, "store_false": TRUE}.get(action, NONE)
        return Known(plain.value, (origin,))
    return Known(given.value, (origin, *given.origins)) if isinstance(given, Known) else given


def _home(base: Value) -> Object | None:
    if isinstance(base, Object):
        return base.data if isinstance(base.data, Object) else base
    return None


def _group(it: Interpreter, base: Value, call: Call) -> Value:
    made = Object(GROUP)
    made.data = _home(base)
    return made


def _exclusive(it: Interpreter, base: Value, call: Call) -> Value:
    made = _group(it, base, call)
    required = call.get("required", 0)
    assert isinstance(made, Object)
    made.attributes["exclusive"] = TRUE
    parser = _home(base)
    held = parser.attributes.get("groups") if parser is not None else None
    if required is not None and truth(required) is True and isinstance(held, Items):
        it.heap.write(held, None, Items((*held.items, made)))
    return made


def _set_defaults(it: Interpreter, base: Value, call: Call) -> Value:
    """Changes the options that are there, and is asked by those that are added."""
    parser = _home(base)
    held = parser.attributes.get("defaults") if parser is not None else None
    if parser is None or not isinstance(held, Map):
        return NONE
    for name, value in call.keywords.items():
        it.heap.write(held, name, value)
        for one in options_of(parser):
            if isinstance(one.data, Option) and one.data.dest == name:
                it.heap.write(one, "default", value)
    if call.rest is not None:
        it.heap.write(held, None, call.rest, "rest")
    return NONE


def _subparsers(it: Interpreter, base: Value, call: Call) -> Value:
    made = Object(SUBPARSERS)
    dest = call.get("dest") or NONE
    made.attributes = {"choices": Map(), "dest": dest}
    parser = _home(base)
    if parser is not None:
        required = call.get("required")
        place = it.place(call.node, call.frame)
        is_required = required is not None and truth(required) is True
        add(it, parser, [Option(text_of(dest) or "", (), NONE, place, "parsers", "A...", required=is_required, below=made)])
    return made


def _add_parser(it: Interpreter, base: Value, call: Call) -> Value:
    made = parser(it, call)
    name, aliases = text_of(call.get("name", 0)), call.get("aliases")
    choices = base.attributes.get("choices") if isinstance(base, Object) else None
    if not isinstance(choices, Map):
        return made
    names = [name, *map(text_of, aliases.items if isinstance(aliases, Items) else ())]
    for one in names:
        it.heap.write(choices, one, made) if one is not None else it.heap.write(choices, None, Opaque("a subcommand"), "rest")
    return made


# words to a namespace


def namespace(
    it: Interpreter, parser: Object, words: Sequence[Value] | None, call: Call, *, known_only: bool = False, into: Object | None = None
) -> tuple[Object, tuple[Value, ...]]:
    """The namespace of a parser for these words (None: nobody starts the program here), and the words that it leaves."""
    options = current(parser)
    parsed = read_words(it, [*options, *_help(parser, call, it)], words or (), _manners(parser))
    held = parser.attributes.get("options")
    unknown = isinstance(held, Items) and held.more is not None
    made = into if into is not None else Object(NAMESPACE)
    for dest, value in defaults(it, options, parsed, words is not None):
        if dest in parsed.given or made.attributes.get(dest, ABSENT) is ABSENT:
            it.heap.write(made, dest, value)
    for name, value in _over(parser).items():
        if made.attributes.get(name, ABSENT) is ABSENT:
            it.heap.write(made, name, value)
    _act(it, parser, made, parsed.acted, call)
    left = (*parsed.left, *_below(it, options, made, parsed, words is not None, call))
    _groups(it, parser, parsed, words is not None)
    if unknown or (parsed.open and any(one.action == "parsers" for one in options)):
        made.rest = Opaque("an option that is not known")
    elif left and not known_only and not parsed.open:
        refuse_words(it, left, it.place(call.node, call.frame), [flag for option in options for flag in option.flags])
    return made, left


def _help(parser: Object, call: Call, it: Interpreter) -> list[Option]:
    if truth(parser.attributes.get("add_help", TRUE)) is not True or any(
        "-h" in one.flags or "--help" in one.flags for one in current(parser)
    ):
        return []
    first = _prefixes(parser)[0] if "-" not in _prefixes(parser) else "-"
    return [Option("", (f"{first}h", f"{first * 2}help"), SUPPRESSED, it.place(call.node, call.frame), "help")]


def _manners(parser: Object) -> Manners:
    abbreviates = truth(parser.attributes.get("allow_abbrev", TRUE)) is not False
    return Manners(_prefixes(parser), abbreviates, text_of(parser.attributes.get("fromfile_prefix_chars")) or "")


def _over(parser: Object) -> dict[str, Value]:
    held = parser.attributes.get("defaults")
    return {str(name): value for name, value in held.items.items()} if isinstance(held, Map) else {}


def _act(it: Interpreter, parser: Object, made: Object, acted: Sequence[Acted], call: Call) -> None:
    """The program's own actions, each with the namespace in its hands."""
    for option, value, flag in acted:
        assert option.own is not None
        method = option.own.find("__call__")
        action = Object(ACTION, option.own)
        action.attributes = {
            **_action_of(option).attributes, "const": option.const or NONE, "type": option.type or NONE, "choices": option.choices or NONE,
            "nargs": Known(option.nargs or None),
        }  # fmt: skip
        if isinstance(method, Function):
            it.call(method.of(action), Call((parser, made, value, Known(flag)), {}, None, call.node, call.frame))


def _groups(it: Interpreter, parser: Object, parsed: Parsed, launched: bool) -> None:
    """A group of which one has to be given."""
    held = parser.attributes.get("groups")
    for group in held.items if isinstance(held, Items) and launched and not parsed.open else ():
        members = [one for one in current(parser) if one.exclusive is group]
        if members and not any(one.exclusive is group for one in parsed.seen):
            refuse(
                it, members[0], f"or another of {len(members)} is required", Origin("option", members[0].place, members[0].dest), "words"
            )


def _below(it: Interpreter, options: Sequence[Option], made: Object, parsed: Parsed, launched: bool, call: Call) -> tuple[Value, ...]:
    """The subcommand that a word names, with the words behind it."""
    option = next((one for one in options if one.action == "parsers"), None)
    if option is None or option.below is None:
        return ()
    if not launched or (parsed.open and not parsed.below):
        made.rest = Opaque("an option of a subcommand that nobody names")
        if option.dest:
            it.heap.write(made, option.dest, Open("flag", option.dest))
        return ()
    if not parsed.below:
        if option.required:
            refuse(it, option, "is required", Origin("option", option.place, option.dest), "required")
        if option.dest and made.attributes.get(option.dest, ABSENT) is ABSENT:
            it.heap.write(made, option.dest, NONE)
        return ()
    return _chosen(it, option, made, parsed.below, call)


def _chosen(it: Interpreter, option: Option, made: Object, words: tuple[Value, ...], call: Call) -> tuple[Value, ...]:
    assert option.below is not None
    choices = option.below.attributes["choices"]
    word = words[0]
    if option.dest:
        it.heap.write(made, option.dest, word)
    chosen = choices.items.get(text_of_word(word)) if isinstance(choices, Map) and isinstance(word, Known) else None
    if not isinstance(chosen, Object):
        made.rest = Opaque("an option of a subcommand that is not known")
        if isinstance(word, Known) and isinstance(choices, Map) and choices.rest is None:
            refuse(it, option, f"{word.value!r} is no subcommand", flag_origin(word, option.dest), "words")
        return ()
    inner, rest = namespace(it, chosen, words[1:], call, known_only=True)
    for name, value in inner.attributes.items():
        it.heap.write(made, name, value)
    made.rest = inner.rest if inner.rest is not None else made.rest
    return rest


def _words(it: Interpreter, given: Value | None) -> Sequence[Value] | None:
    """The words that a parser reads: those it is handed, else those of the launch."""
    if given is None or (isinstance(given, Known) and given.value is None):
        return it.launched.words
    if isinstance(given, Items):
        return given.items if given.more is None else (*given.items, Open("word", "*"))
    return None


def _parse(known_only: bool) -> Callable[[Interpreter, Value, Call], Value]:
    def parse(it: Interpreter, base: Value, call: Call) -> Value:
        parser = _home(base)
        if parser is None or "options" not in parser.attributes:
            return made_of(base)
        into = call.get("namespace", 1)
        made, left = namespace(
            it, parser, _words(it, call.get("args", 0)), call, known_only=known_only, into=into if isinstance(into, Object) else None
        )
        return Items([made, Items(left)], "tuple") if known_only else made

    return parse


def _get_default(it: Interpreter, base: Value, call: Call) -> Value:
    name = text_of(call.get("dest", 0))
    parser = _home(base)
    found = [one for one in options_of(parser) if one.attributes["dest"] == Known(name)] if parser is not None else []
    return found[0].attributes["default"] if found else Opaque("the default of an option")


def _error(it: Interpreter, base: Value, call: Call) -> Value:
    raise Exits


def _namespace(it: Interpreter, call: Call) -> Value:
    made = Object(NAMESPACE)
    made.attributes.update(call.keywords)
    made.rest = call.rest
    return made


def _nothing(it: Interpreter, base: Value, call: Call) -> Value:
    return NONE


METHODS_OF_PARSERS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    "add_argument": _add_argument, "add_argument_group": _group, "add_mutually_exclusive_group": _exclusive, "set_defaults": _set_defaults,
    "add_subparsers": _subparsers, "parse_args": _parse(False), "parse_known_args": _parse(True), "get_default": _get_default,
    "error": _error, "exit": _error,
    "print_help": _nothing, "print_usage": _nothing, "register": _nothing, "parse_intermixed_args": _parse(False),
}  # fmt: skip

METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    **{f"{kind}.{name}": handler for kind in (PARSER, GROUP) for name, handler in METHODS_OF_PARSERS.items()},
    f"{SUBPARSERS}.add_parser": _add_parser,
}
FUNCTIONS: dict[str, Handler] = {PARSER: parser, NAMESPACE: _namespace}
CONSTANTS: dict[str, Value] = {
    "argparse.SUPPRESS": SUPPRESSED, "argparse.REMAINDER": Known("..."), "argparse.OPTIONAL": Known("?"),
    "argparse.ZERO_OR_MORE": Known("*"),
    "argparse.ONE_OR_MORE": Known("+"), "argparse.PARSER": Known("A..."),
}  # fmt: skip
