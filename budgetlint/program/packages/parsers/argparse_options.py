"""Options as a program adds them to an `argparse` parser: groups, sub-parsers, defaults (CPython 3.11 to 3.14 ``argparse.py``)."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.objects import Class, Function, Object
from budgetlint.program.packages.parsers.options import (
    Option,
)
from budgetlint.program.places import Origin
from budgetlint.program.registries import is_registry
from budgetlint.program.state import Interpreter, text_of
from budgetlint.program.stops import values_asked
from budgetlint.program.truth import truth
from budgetlint.program.values import FALSE, NONE, TRUE, External, Items, Known, Map, Opaque, Value

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
        it.heap.write(held, None, Items((*held.items, *map(action_of, options)), "list", held.more))


def action_of(option: Option) -> Object:
    made = Object(ACTION)
    made.data = option
    made.attributes = {
        "dest": Known(option.dest), "default": option.default, "required": Known(option.required),
        "option_strings": Items([Known(flag) for flag in option.flags]),
    }  # fmt: skip
    return made


def add_argument(it: Interpreter, base: Value, call: Call) -> Value:
    parser = home_of(base)
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
    prefixes = prefixes_of(parser)
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
    return Option(dest, flags, default, place, action, count, call.get("type"), call.get("const"), _choices(it, call), is_required, own)


def _choices(it: Interpreter, call: Call) -> Value | None:
    """``choices=list(REGISTRY)``: others may have registered themselves where nobody saw it."""
    node = next((one.value for one in getattr(call.node, "keywords", ()) if one.arg == "choices"), None)
    if node is not None and any(is_registry(it, one) for one in values_asked(it, node, call.frame)):
        return Opaque("what registers itself")
    return call.get("choices")


def prefixes_of(parser: Object) -> str:
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


def home_of(base: Value) -> Object | None:
    if isinstance(base, Object):
        return base.data if isinstance(base.data, Object) else base
    return None


def argument_group(it: Interpreter, base: Value, call: Call) -> Value:
    made = Object(GROUP)
    made.data = home_of(base)
    return made


def exclusive_group(it: Interpreter, base: Value, call: Call) -> Value:
    made = argument_group(it, base, call)
    required = call.get("required", 0)
    assert isinstance(made, Object)
    made.attributes["exclusive"] = TRUE
    parser = home_of(base)
    held = parser.attributes.get("groups") if parser is not None else None
    if required is not None and truth(required) is True and isinstance(held, Items):
        it.heap.write(held, None, Items((*held.items, made)))
    return made


def set_defaults(it: Interpreter, base: Value, call: Call) -> Value:
    """Changes the options that are there, and is asked by those that are added."""
    parser = home_of(base)
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


def add_subparsers(it: Interpreter, base: Value, call: Call) -> Value:
    made = Object(SUBPARSERS)
    dest = call.get("dest") or NONE
    made.attributes = {"choices": Map(), "dest": dest}
    parser = home_of(base)
    if parser is not None:
        required = call.get("required")
        place = it.place(call.node, call.frame)
        is_required = required is not None and truth(required) is True
        add(it, parser, [Option(text_of(dest) or "", (), NONE, place, "parsers", "A...", required=is_required, below=made)])
    return made


def add_parser(it: Interpreter, base: Value, call: Call) -> Value:
    made = parser(it, call)
    name, aliases = text_of(call.get("name", 0)), call.get("aliases")
    choices = base.attributes.get("choices") if isinstance(base, Object) else None
    if not isinstance(choices, Map):
        return made
    names = [name, *map(text_of, aliases.items if isinstance(aliases, Items) else ())]
    for one in names:
        it.heap.write(choices, one, made) if one is not None else it.heap.write(choices, None, Opaque("a subcommand"), "rest")
    return made
