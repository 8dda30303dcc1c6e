"""`argparse`: options that the program adds, and the namespace that a launch makes of them (CPython 3.11 to 3.14 ``argparse.py``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.options import SUPPRESSED, Option, defaults, read_words, refuse_words, text_of_word
from budgetlint.program.state import Call, Exits, Interpreter, text_of
from budgetlint.program.values import (
    FALSE,
    NONE,
    TRUE,
    External,
    Handler,
    Items,
    Known,
    Map,
    Object,
    Opaque,
    Open,
    Origin,
    Value,
    alternatives,
)

PARSER, GROUP, SUBPARSERS, NAMESPACE, ACTION = (
    "argparse.ArgumentParser", "argparse._ArgumentGroup", "argparse._SubParsersAction", "argparse.Namespace", "argparse.Action",
)  # fmt: skip
_OPTIONAL = {"BooleanOptionalAction", "argparse.BooleanOptionalAction"}


def _parser(it: Interpreter, call: Call) -> Value:
    made = Object(PARSER)
    made.attributes = {"options": Items(()), "defaults": Map(), "subparsers": NONE}
    parents = call.get("parents")
    for one in parents.items if isinstance(parents, Items) else ():
        if isinstance(one, Object):
            _add(it, made, [option.data for option in options_of(one) if isinstance(option.data, Option)])
    return made


def options_of(parser: Object) -> Sequence[Object]:
    """The options that were added, in order."""
    found = parser.attributes.get("options")
    return [one for one in found.items if isinstance(one, Object)] if isinstance(found, Items) else []


def _add(it: Interpreter, parser: Object, options: Sequence[Option]) -> None:
    held = parser.attributes["options"]
    if isinstance(held, Items):
        added = []
        for option in options:
            one = Object(ACTION)
            one.data = option
            one.attributes = {"dest": Known(option.dest), "default": option.default}
            added.append(one)
        it.heap.write(held, None, Items((*held.items, *added), "list", held.more))


def _add_argument(it: Interpreter, base: Value, call: Call) -> Value:
    parser = _home(base)
    names = [text_of(one) for one in call.positional]
    if parser is None or call.rest is not None or any(name is None for name in names):
        _open(it, parser)
        return Opaque("an option that is not known")
    option = _option(it, [name for name in names if name is not None], call)
    _add(it, parser, [option])
    return options_of(parser)[-1] if options_of(parser) else NONE


def _open(it: Interpreter, parser: Object | None) -> None:
    held = parser.attributes.get("options") if parser is not None else None
    if isinstance(held, Items):
        it.heap.write(held, None, Items(held.items, "list", Opaque("an option that is not known")))


def _option(it: Interpreter, names: list[str], call: Call) -> Option:
    flags = tuple(name for name in names if name.startswith("-"))
    long = next((name for name in flags if name.startswith("--")), flags[0] if flags else "")
    dest = text_of(call.get("dest")) or (long.lstrip("-").replace("-", "_") if flags else names[0] if names else "")
    action = _action(call.get("action"))
    nargs = call.get("nargs")
    count: int | str = (
        nargs.value
        if isinstance(nargs, Known) and isinstance(nargs.value, int | str)
        else "*"
        if nargs is not None and nargs is not NONE
        else ""
    )
    place = it.place(call.node, call.frame)
    default = _default(it, call, action, Origin("option", place, dest))
    required = call.get("required")
    is_required = (isinstance(required, Known) and bool(required.value)) or (not flags and count in ("", "+"))
    const = call.get("const")
    return Option(dest, flags, default, place, action, count, call.get("type"), const, call.get("choices"), is_required)


def _action(given: Value | None) -> str:
    if given is None:
        return "store"
    if isinstance(given, External) and given.name in _OPTIONAL:
        return "boolean"
    return text_of(given) or "unknown"


def _default(it: Interpreter, call: Call, action: str, origin: Origin) -> Value:
    given = call.get("default")
    if given is None:
        plain = {"store_true": FALSE, "store_false": TRUE}.get(action, NONE)
        return Known(plain.value, (origin,))  # type: ignore[attr-defined]
    kind = call.get("type")
    ways = alternatives(given)
    if kind is not None and len(ways) == 1 and isinstance(given, Known) and isinstance(given.value, str):
        given = it.call(kind, Call((given,), {}, None, call.node, call.frame))  # argparse converts a default that is a text
    return Known(given.value, (origin, *given.origins)) if isinstance(given, Known) else given


def _home(base: Value) -> Object | None:
    if isinstance(base, Object):
        return base.data if isinstance(base.data, Object) else base
    return None


def _group(it: Interpreter, base: Value, call: Call) -> Value:
    made = Object(GROUP)
    made.data = _home(base)
    return made


def _set_defaults(it: Interpreter, base: Value, call: Call) -> Value:
    parser = _home(base)
    held = parser.attributes.get("defaults") if parser is not None else None
    if isinstance(held, Map):
        for name, value in call.keywords.items():
            it.heap.write(held, name, value)
        if call.rest is not None:
            it.heap.write(held, None, call.rest, "rest")
    return NONE


def _subparsers(it: Interpreter, base: Value, call: Call) -> Value:
    made = Object(SUBPARSERS)
    made.attributes = {"choices": Map(), "dest": call.get("dest") or NONE, "required": call.get("required") or FALSE}
    parser = _home(base)
    if parser is not None:
        it.heap.write(parser, "subparsers", made)
    return made


def _add_parser(it: Interpreter, base: Value, call: Call) -> Value:
    made = _parser(it, call)
    name = text_of(call.get("name", 0))
    choices = base.attributes.get("choices") if isinstance(base, Object) else None
    if isinstance(choices, Map) and name is not None:
        it.heap.write(choices, name, made)
    return made


def namespace(
    it: Interpreter, parser: Object, words: Sequence[Value] | None, call: Call, *, known_only: bool = False
) -> tuple[Object, tuple[Value, ...]]:
    """The namespace of a parser for these words (None: nobody starts the program here), and the words that it leaves."""
    options = [one.data for one in options_of(parser) if isinstance(one.data, Option)]
    options = [
        option._replace(default=one.attributes.get("default", option.default))
        for option, one in zip(options, options_of(parser), strict=False)
    ]
    optional = frozenset(flag for option in options if option.action == "boolean" for flag in option.flags)
    plain = [option._replace(action="store_true") if option.action == "boolean" else option for option in options]
    parsed = read_words(it, plain, words or (), booleans=optional)
    made = Object(NAMESPACE)
    held = parser.attributes.get("defaults")
    over = {str(name): value for name, value in held.items.items()} if isinstance(held, Map) else {}
    for dest, value in defaults(it, plain, parsed, words is not None):
        made.attributes[dest] = value if dest in parsed.given else over.get(dest, value)
    made.attributes.update({name: value for name, value in over.items() if name not in made.attributes})
    left = _below(it, parser, made, parsed.left, words is not None, call)
    options_held = parser.attributes.get("options")
    if isinstance(options_held, Items) and options_held.more is not None:
        made.rest = Opaque("an option that is not known")
    elif left and not known_only:
        refuse_words(it, left, it.place(call.node, call.frame), options)
    return made, left


def _below(it: Interpreter, parser: Object, made: Object, left: tuple[Value, ...], launched: bool, call: Call) -> tuple[Value, ...]:
    """The subcommand that the first loose word names, with the words behind it."""
    held = parser.attributes.get("subparsers")
    if not isinstance(held, Object) or held.kind != SUBPARSERS:
        return left
    choices, dest = held.attributes["choices"], text_of(held.attributes["dest"])
    name = text_of_word(left[0]) if left else ""
    chosen = choices.items.get(name) if isinstance(choices, Map) else None
    if dest:
        made.attributes[dest] = Known(name) if chosen is not None else Open("flag", dest) if not launched else NONE
    if not isinstance(chosen, Object):
        if not launched:
            made.rest = Opaque("an option of a subcommand that nobody names")
        return left
    inner, rest = namespace(it, chosen, left[1:], call, known_only=True)
    made.attributes.update(inner.attributes)
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
        made, left = namespace(it, parser, _words(it, call.get("args", 0)), call, known_only=known_only)
        into = call.get("namespace", 1)
        if isinstance(into, Object):
            for name, value in made.attributes.items():
                it.heap.write(into, name, value)
            made = into
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
    made.attributes = dict(call.keywords)
    made.rest = call.rest
    return made


def _nothing(it: Interpreter, base: Value, call: Call) -> Value:
    return NONE


_OF_PARSERS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    "add_argument": _add_argument, "add_argument_group": _group, "add_mutually_exclusive_group": _group, "set_defaults": _set_defaults,
    "add_subparsers": _subparsers, "parse_args": _parse(False), "parse_known_args": _parse(True), "get_default": _get_default, "error": _error, "exit": _error,
    "print_help": _nothing, "print_usage": _nothing, "register": _nothing, "parse_intermixed_args": _parse(False),
}  # fmt: skip

METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    **{f"{kind}.{name}": handler for kind in (PARSER, GROUP) for name, handler in _OF_PARSERS.items()},
    f"{SUBPARSERS}.add_parser": _add_parser,
}
FUNCTIONS: dict[str, Handler] = {PARSER: _parser, NAMESPACE: _namespace}
CONSTANTS: dict[str, Value] = {
    "argparse.SUPPRESS": SUPPRESSED, "argparse.REMAINDER": Known("*"), "argparse.OPTIONAL": Known("?"), "argparse.ZERO_OR_MORE": Known("*"),
    "argparse.ONE_OR_MORE": Known("+"),
}  # fmt: skip
