"""click: functions whose decorators make commands of them (click 8.1 to 8.5 ``decorators.py``, ``core.py`` Command, Group, Option)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.objects import Function, Handler, Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.parsers.clicked import Param, Words, by_type, not_known, read, text, values
from budgetlint.program.packages.parsers.options import refuse_words, refused, text_of_word
from budgetlint.program.state import Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, FALSE, NONE, TRUE, Items, Known, Map, Opaque, Open, Value

_PENDING, _COMMAND, _CONTEXT = "click.<pending>", "click.Command", "click.Context"
_SUFFIXES = ("_command", "_cmd", "_group", "_grp")
_NOT_FOLLOWED = ("cls", "callback", "prompt", "expose_value", "is_eager", "default_map")


class _Option(NamedTuple):
    """``param`` is None for an option that is not known."""

    param: Param | None


# decorators


def _decorator(positional: bool) -> Handler:
    def made(it: Interpreter, call: Call) -> Value:
        one = Object("click.option()")
        names = [told for value in call.positional if (told := text_of(value)) is not None]
        strange = (
            call.rest is not None or len(names) < len(call.positional) or any(name in call.keywords for name in ("cls", "expose_value"))
        )
        one.data = _Option(None if strange else _param(it, names, call, positional=positional))
        return one

    return made


def _param(it: Interpreter, names: list[str], call: Call, *, positional: bool) -> Param | None:
    flags, off, dest = _names(names, positional=positional)
    if not dest:
        return None
    place = it.place(call.node, call.frame)
    default = call.get("default") or ABSENT
    multiple, counts = _is(call, "multiple"), _is(call, "count")
    asked = call.get("flag_value")
    kind = "count" if counts else "constant" if asked is not None else "flag" if off or _is(call, "is_flag") else "value"
    strange = any(name in call.keywords for name in _NOT_FOLLOWED) or isinstance(default, Function)
    nargs = call.get("nargs")
    count = nargs.value if isinstance(nargs, Known) and isinstance(nargs.value, int) else 1
    required = _is(call, "required") or (positional and "required" not in call.keywords and default is ABSENT and count != -1)
    convert = not_known if strange else by_type(call.get("type"), default if not (multiple and default is NONE) else ABSENT)
    return Param(
        dest, flags, off, default if not (isinstance(default, Known) and default.value is None and multiple) else ABSENT, place, "unknown"
        if strange and kind == "value" else kind,
        convert, count, multiple, required, _variables(call), constant=made_of(asked) if asked is not None and not isinstance(asked,
        Known) else asked or NONE,
    )  # fmt: skip


def _is(call: Call, name: str) -> bool:
    found = call.get(name)
    return found is not None and truth(found) is True


def _names(names: list[str], *, positional: bool) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Flags, those that say no, and the parameter: a bare name, else the first long flag."""
    bare = next((name for name in names if name.isidentifier()), "")
    if positional:
        plain = names[0] if names else ""
        return (), (), plain.replace("-", "_").lower() if not plain.startswith("-") else ""
    flags: list[str] = []
    off: list[str] = []
    for name in names:
        if name != bare:
            on, _, no = name.partition(";" if name.startswith("/") else "/")
            flags += [on.strip()] if on.strip() else []
            off += [no.strip()] if no.strip() else []
    first = max(flags, key=lambda flag: len(flag) - len(flag.lstrip("-")), default="")
    return tuple(flags), tuple(off), bare or first.lstrip("-").replace("-", "_").lower()


def _variables(call: Call) -> tuple[str, ...] | None:
    given = call.get("envvar")
    if given is None or (isinstance(given, Known) and given.value is None):
        return ()
    told = [text_of(one) for one in given.items] if isinstance(given, Items) and given.more is None else [text_of(given)]
    return None if any(one is None for one in told) else tuple(one for one in told if one is not None)


def _pending(function: Value) -> Object:
    """A function with what decorators said of it so far."""
    if isinstance(function, Object) and function.kind == _PENDING:
        return function
    held = Object(_PENDING)
    held.attributes = {"function": function, "options": Items(()), "passes": Items(())}
    return held


def _add_option(it: Interpreter, base: Value, call: Call) -> Value:
    """The decorated function, with this option before those that were added: decorators are called from below."""
    held = _pending(call.positional[0] if call.positional else NONE)
    options = held.attributes["options"]
    if isinstance(base, Object) and isinstance(options, Items):
        one = Object("click.option()")
        one.data = base.data
        it.heap.write(held, "options", Items((one, *options.items)))
    return held


def _passes(what: str) -> Handler:
    def made(it: Interpreter, call: Call) -> Value:
        held = _pending(call.positional[0] if call.positional else NONE)
        before = held.attributes["passes"]
        it.heap.write(held, "passes", Items((Known(what), *(before.items if isinstance(before, Items) else ()))))
        return held

    return made


def _command(is_group: bool) -> Handler:
    """``@click.command()``, or ``@click.command`` on the function itself."""

    def made(it: Interpreter, call: Call) -> Value:
        maker = Object("click.command()")
        maker.attributes = {
            "name": call.get("name", 0) or NONE,
            "group": Known(is_group),
            "alone": call.get("invoke_without_command") or FALSE,
        }
        maker.attributes["strange"] = Known("cls" in call.keywords or call.rest is not None or "context_settings" in call.keywords)
        if call.positional and isinstance(call.positional[0], Function | Object):
            maker.attributes["name"] = NONE
            return _as_command(it, maker, call)
        return maker

    return made


def _as_command(it: Interpreter, base: Value, call: Call) -> Value:
    held = _pending(call.positional[0] if call.positional else NONE)
    made = Object(_COMMAND)
    made.attributes = {"pending": held, "commands": Map(), **(base.attributes if isinstance(base, Object) else {})}
    home = base.data if isinstance(base, Object) else None
    if isinstance(home, Object):
        _register(it, home, made, text_of(made.attributes.get("name")))
    return made


def _register(it: Interpreter, home: Object, made: Object, name: str | None) -> None:
    commands = home.attributes.get("commands")
    if not isinstance(commands, Map):
        return
    pending = made.attributes.get("pending")
    function = pending.attributes["function"] if isinstance(pending, Object) else None
    plain = function.name.lower() if isinstance(function, Function) else ""
    short = next((plain.removesuffix(one) for one in _SUFFIXES if plain.endswith(one)), plain)
    for one in [name] if name else dict.fromkeys([plain.replace("_", "-"), short.replace("_", "-")]):
        it.heap.write(commands, one, made)


def _of_group(is_group: bool) -> Callable[[Interpreter, Value, Call], Value]:
    def made(it: Interpreter, base: Value, call: Call) -> Value:
        maker = _command(is_group)(
            it, call._replace(positional=call.positional if call.positional and text_of(call.positional[0]) is not None else ())
        )
        if isinstance(maker, Object):
            maker.data = base
            if call.positional and isinstance(call.positional[0], Function | Object):
                return _as_command(it, maker, call)
        return maker

    return made


def _add_command(it: Interpreter, base: Value, call: Call) -> Value:
    command, name = call.get("cmd", 0), call.get("name", 1)
    if isinstance(base, Object) and isinstance(command, Object) and command.kind == _COMMAND:
        _register(it, base, command, text_of(name) or text_of(command.attributes.get("name")))
    elif isinstance(base, Object):
        base.attributes["strange"] = TRUE
    return NONE


# a start


def _start(it: Interpreter, base: Value, call: Call) -> Value:
    given = call.get("args", 0)
    words = (
        it.launched.words
        if given is None or (isinstance(given, Known) and given.value is None)
        else given.items
        if isinstance(given, Items) and given.more is None
        else (Open("word", "*"),)
    )
    context = Object(_CONTEXT)
    obj = call.get("obj")
    context.attributes = {"obj": obj if obj is not None else NONE, "params": Map(), "invoked_subcommand": NONE}
    return run(it, base, words, context, call) if isinstance(base, Object) else made_of(base)


def run(it: Interpreter, command: Object, words: Sequence[Value] | None, context: Object, call: Call) -> Value:
    """A command with these words; of a group, the command below that a word names."""
    pending = command.attributes.get("pending")
    params = params_of(pending) if isinstance(pending, Object) else None
    if not isinstance(pending, Object) or params is None or truth(command.attributes.get("strange", FALSE)) is not False:
        return _opened(it, pending, context, call)
    is_group = truth(command.attributes["group"]) is True
    place = it.place(call.node, call.frame)
    found = read(it, [*params, _help(params, place)], words or (), place, interspersed=not is_group)
    if found.left and not is_group and not found.open:
        refuse_words(it, found.left, place)
    given = values(it, params, found, launched=words is not None)
    below = _below(it, command, found, context, call) if is_group else None
    result = it.call(pending.attributes["function"], Call(_passed(pending, context), given, None, call.node, call.frame))
    if not is_group:
        return result
    inner = Object(_CONTEXT)
    inner.attributes = dict(context.attributes)
    if below is None:
        return result if truth(command.attributes["alone"]) is True else Opaque("a command that nobody names")
    return run(it, below, found.left[1:], inner, call)


def _below(it: Interpreter, command: Object, found: Words, context: Object, call: Call) -> Object | None:
    commands = command.attributes.get("commands")
    if not found.left or not isinstance(commands, Map):
        return None
    name = text_of_word(found.left[0])
    it.heap.write(context, "invoked_subcommand", Known(name))
    below = commands.items.get(name)
    if below is None and isinstance(found.left[0], Known) and not found.open:
        refused(it, it.place(call.node, call.frame), f"no such command: {name}", found.left[0].origins)
    return below if isinstance(below, Object) else None


def params_of(pending: Object) -> list[Param] | None:
    """The parameters of a function; None where one is not known."""
    options = pending.attributes.get("options")
    found = (
        [one.data.param for one in options.items if isinstance(one, Object) and isinstance(one.data, _Option)]
        if isinstance(options, Items)
        else []
    )
    return None if None in found else [one for one in found if one is not None]


def _help(params: Sequence[Param], place: object) -> Param:
    return Param("", ("--help",), (), ABSENT, place, "help", text)  # type: ignore[arg-type]


def _passed(pending: Object, context: Object) -> tuple[Value, ...]:
    """What ``pass_context`` and ``pass_obj`` put before the parameters."""
    passes = pending.attributes.get("passes")
    names = [text_of(one) for one in passes.items] if isinstance(passes, Items) else []
    return tuple(context if name == "ctx" else context.attributes.get("obj", NONE) for name in names)


def _opened(it: Interpreter, pending: Value | None, context: Object, call: Call) -> Value:
    if not isinstance(pending, Object):
        return Opaque("a command")
    return it.call(pending.attributes["function"], Call(_passed(pending, context), {}, Open("flag", "*"), call.node, call.frame))


def _callback(it: Interpreter, base: Value, call: Call) -> Value:
    """The function itself, called by the program: ``train.callback(...)``."""
    pending = base.attributes.get("pending") if isinstance(base, Object) else None
    return it.call(pending.attributes["function"], call) if isinstance(pending, Object) else made_of(base)


def _ensure(it: Interpreter, base: Value, call: Call) -> Value:
    """``ctx.ensure_object(dict)``."""
    kind = call.get("object_type", 0)
    held = base.attributes.get("obj") if isinstance(base, Object) else None
    if isinstance(base, Object) and kind is not None and isinstance(held, Known) and held.value is None:
        held = it.call(kind, call._replace(positional=(), keywords={}))
        it.heap.write(base, "obj", held)
    return held if held is not None else made_of(base)


def _type(kind: str, *names: str) -> Handler:
    def made(it: Interpreter, call: Call) -> Value:
        one = Object(kind)
        one.attributes.update({**dict(zip(names, call.positional, strict=False)), **call.keywords})
        return one if call.rest is None and len(call.positional) <= len(names) else Object("click.<type>")

    return made


FUNCTIONS: dict[str, Handler] = {
    "click.option": _decorator(positional=False), "click.argument": _decorator(positional=True),
    "click.command": _command(is_group=False), "click.group": _command(is_group=True),
    "click.pass_context": _passes("ctx"), "click.pass_obj": _passes("obj"), "click.IntRange": _type("click.IntRange", "min", "max"),
    "click.FloatRange": _type("click.FloatRange", "min", "max"),
    "click.Choice": _type("click.Choice", "choices", "case_sensitive"), "click.Path": _type("click.Path"), "click.echo": lambda it,
    call: NONE,
    "click.secho": lambda it, call: NONE,
}  # fmt: skip
METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    "click.option().__call__": _add_option, "click.command().__call__": _as_command, f"{_COMMAND}.__call__": _start,
    f"{_COMMAND}.main": _start,
    f"{_COMMAND}.command": _of_group(is_group=False), f"{_COMMAND}.group": _of_group(is_group=True),
    f"{_COMMAND}.add_command": _add_command,
    f"{_COMMAND}.callback": _callback, f"{_CONTEXT}.ensure_object": _ensure,
}  # fmt: skip
