"""`argparse`: options that the program adds, and the namespace that a launch makes of them (CPython 3.11 to 3.14 ``argparse.py``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from budgetlint.program.calling import Call
from budgetlint.program.ends import Exits
from budgetlint.program.noted import Dropped
from budgetlint.program.objects import Function, Handler, Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.argparse_options import (
    ACTION,
    GROUP,
    NAMESPACE,
    PARSER,
    SUBPARSERS,
    action_of,
    add_argument,
    add_parser,
    add_subparsers,
    argument_group,
    current,
    exclusive_group,
    home_of,
    options_of,
    parser,
    prefixes_of,
    set_defaults,
)
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
from budgetlint.program.places import Origin
from budgetlint.program.state import Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, NONE, TRUE, Items, Known, Map, Opaque, Open, Value

# words to a namespace


def namespace(
    it: Interpreter, parser: Object, words: Sequence[Value] | None, call: Call, *, known_only: bool = False, into: Object | None = None
) -> tuple[Object, tuple[Value, ...]]:
    """The namespace of a parser for these words (None: nobody starts the program here), and the words that it leaves."""
    options = current(parser)
    parsed = read_words(it, [*options, *help_of(parser, call, it)], words or (), _manners(parser))
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
    elif left and known_only and not parsed.open:
        it.slips.dropped.append(Dropped(left, it.place(call.node, call.frame)))
    return made, left


def help_of(parser: Object, call: Call, it: Interpreter) -> list[Option]:
    """``--help``, where the parser adds it."""
    if truth(parser.attributes.get("add_help", TRUE)) is not True or any(
        "-h" in one.flags or "--help" in one.flags for one in current(parser)
    ):
        return []
    first = prefixes_of(parser)[0] if "-" not in prefixes_of(parser) else "-"
    return [Option("", (f"{first}h", f"{first * 2}help"), SUPPRESSED, it.place(call.node, call.frame), "help")]


def _manners(parser: Object) -> Manners:
    abbreviates = truth(parser.attributes.get("allow_abbrev", TRUE)) is not False
    return Manners(prefixes_of(parser), abbreviates, text_of(parser.attributes.get("fromfile_prefix_chars")) or "")


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
            **action_of(option).attributes, "const": option.const or NONE, "type": option.type or NONE, "choices": option.choices or NONE,
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
        parser = home_of(base)
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
    parser = home_of(base)
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
    "add_argument": add_argument, "add_argument_group": argument_group, "add_mutually_exclusive_group": exclusive_group,
    "set_defaults": set_defaults,
    "add_subparsers": add_subparsers, "parse_args": _parse(False), "parse_known_args": _parse(True), "get_default": _get_default,
    "error": _error, "exit": _error,
    "print_help": _nothing, "print_usage": _nothing, "register": _nothing, "parse_intermixed_args": _parse(False),
}  # fmt: skip

METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    **{f"{kind}.{name}": handler for kind in (PARSER, GROUP) for name, handler in METHODS_OF_PARSERS.items()},
    f"{SUBPARSERS}.add_parser": add_parser,
}
FUNCTIONS: dict[str, Handler] = {PARSER: parser, NAMESPACE: _namespace}
CONSTANTS: dict[str, Value] = {
    "argparse.SUPPRESS": SUPPRESSED, "argparse.REMAINDER": Known("..."), "argparse.OPTIONAL": Known("?"),
    "argparse.ZERO_OR_MORE": Known("*"),
    "argparse.ONE_OR_MORE": Known("+"), "argparse.PARSER": Known("A..."),
}  # fmt: skip
