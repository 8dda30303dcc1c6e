"""typer: functions whose signatures are commands of click (typer 0.9 to 0.29 ``main.py``, ``params.py``)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from budgetlint.program.calling import Call, Frame
from budgetlint.program.objects import Function, Handler, Object
from budgetlint.program.packages.parsers.annotations import Shape, literal, shape_of, unknown
from budgetlint.program.packages.parsers.clicked import Convert, Param, not_known, read, real, text, values, whole, yes_or_no
from budgetlint.program.packages.parsers.options import refuse_words, refused, text_of_word
from budgetlint.program.state import NOWHERE, Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, NONE, TRUE, Items, Known, Map, Opaque, Open, Value

_APP, _INFO = "typer.Typer", "typer.<info>"
_NOT_FOLLOWED = ("callback", "parser", "click_type", "prompt", "is_eager", "count", "default_factory", "formats")


def _info(positional: bool) -> Handler:
    """``typer.Option(...)``, ``typer.Argument(...)``."""

    def made(it: Interpreter, call: Call) -> Value:
        one = Object(_INFO)
        one.data = (call, positional)
        return one

    return made


def _params(it: Interpreter, function: Function) -> list[Param] | None:
    """The parameters of a command; None where one is made in a way that is not known."""
    spec = function.node.args
    if spec.vararg or spec.kwarg:
        return None
    found = [_param(it, function, one) for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    return None if None in found else [one for one in found if one is not None]


def _param(it: Interpreter, function: Function, one: ast.arg) -> Param | None:
    shape = shape_of(it, one.annotation, function.names)
    default = function.defaults.get(one.arg, ABSENT)
    info = next((value for node in shape.metadata if _is_info(value := it.evaluate(node, Frame(function.names)))), None)
    decls: list[Value] = []
    if info is not None:
        call, positional = info.data  # type: ignore[attr-defined]
        decls = list(call.positional)
    elif isinstance(default, Object) and default.kind == _INFO:
        call, positional = default.data  # type: ignore[misc]
        decls, default = list(call.positional[1:]), call.get("default", 0) or ABSENT
        default = ABSENT if isinstance(default, Known) and default.value is ... else default
    else:
        call, positional = Call((), {}, None, NOWHERE, Frame(function.names)), default is ABSENT
    if call.rest is not None or shape.kinds == ("class",) or any(name in call.keywords for name in _NOT_FOLLOWED):
        return None
    return _made(it, function, one, shape, default, decls, call, positional)


def _is_info(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == _INFO


def _made(
    it: Interpreter, function: Function, one: ast.arg, shape: Shape, default: Value, decls: list[Value], call: Call, positional: bool
) -> Param | None:
    place = it.place(one, Frame(function.names))
    flags, off = _flags(one.arg, shape, [text_of(word) or "" for word in decls])
    kind = "flag" if shape.is_flag and not positional else "value"
    given = call.get("envvar")
    variables: tuple[str, ...] | None = () if given is None else (name,) if (name := text_of(given)) is not None else None
    required = default is ABSENT
    if shape.several and shape.several not in {"list"}:
        return None  # a tuple takes a number of words
    nargs = -1 if positional and shape.several else 1
    kept = ABSENT if required else default
    return Param(
        one.arg, () if positional else flags, () if positional else off, kept, place, kind, _convert(shape, call, default), nargs,
        bool(shape.several) and not positional, required, variables,
        shape.several or "tuple",
    )  # fmt: skip


def _flags(name: str, shape: Shape, decls: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The flags that are declared, else those that typer makes of the name."""
    plain = name.lower().replace("_", "-")
    written = [one for one in decls if one.startswith("-") or "/" in one] or (
        [f"--{plain}/--no-{plain}"] if shape.is_flag else [f"--{plain}"]
    )
    pairs = [one.partition("/") for one in written]
    return tuple(on.strip() for on, _, _ in pairs if on.strip()), tuple(no.strip() for _, _, no in pairs if no.strip())


def _convert(shape: Shape, call: Call, default: Value) -> Convert:
    kinds = [one for one in shape.kinds if one != "None"]
    if any(name in call.keywords for name in ("min", "max", "clamp", "case_sensitive", "path_type")) or len(kinds) != 1:
        return (
            _limited(shape, call)
            if len(kinds) == 1 and not any(name in call.keywords for name in ("clamp", "case_sensitive", "path_type"))
            else not_known
        )
    if kinds == ["enum"] and shape.cls is not None:
        return _enumeration(shape)
    if kinds == ["literal"]:
        return lambda it, word: literal(shape, word)
    return {"int": whole, "float": real, "str": text, "bool": yes_or_no}.get(kinds[0], not_known)


def _limited(shape: Shape, call: Call) -> Convert:
    """A number between bounds."""
    low, high = call.get("min") or NONE, call.get("max") or NONE

    def convert(it: Interpreter, word: Known) -> Value | None:
        made = (whole if "int" in shape.kinds else real)(it, word)
        if not isinstance(made, Known) or not isinstance(low, Known) or not isinstance(high, Known):
            return made if made is None else unknown(word)
        under = low.value is not None and made.value < low.value  # type: ignore[operator]
        return None if under or (high.value is not None and made.value > high.value) else made  # type: ignore[operator]

    return convert


def _enumeration(shape: Shape) -> Convert:
    """The member whose value is written so."""

    def convert(it: Interpreter, word: Known) -> Value | None:
        members = shape.cls.attributes.get("__members__") if shape.cls is not None else None
        if not isinstance(members, Items) or members.more is not None:
            return unknown(word)
        found = [
            one
            for one in members.items
            if isinstance(one, Object) and isinstance(value := one.attributes.get("value"), Known) and str(value.value) == word.value
        ]
        return (
            found[0]
            if found
            else None
            if all(isinstance(one, Object) and isinstance(one.attributes.get("value"), Known) for one in members.items)
            else unknown(word)
        )

    return convert


# apps


def _app(it: Interpreter, call: Call) -> Value:
    made = Object(_APP)
    made.attributes = {
        "commands": Map(),
        "callback": call.get("callback") or NONE,
        "strange": Known(call.rest is not None or "cls" in call.keywords),
    }
    return made


def _decorator(is_callback: bool) -> Callable[[Interpreter, Value, Call], Value]:
    def made(it: Interpreter, base: Value, call: Call) -> Value:
        one = Object("typer.command()")
        one.data = base
        one.attributes = {
            "name": call.get("name", 0) or NONE,
            "callback": Known(is_callback),
            "alone": call.get("invoke_without_command") or NONE,
        }
        return one

    return made


def _decorate(it: Interpreter, base: Value, call: Call) -> Value:
    """``@app.command()`` on a function: the app starts it."""
    function = call.positional[0] if call.positional else NONE
    app = base.data if isinstance(base, Object) else None
    if not isinstance(app, Object) or not isinstance(base, Object):
        return function
    if truth(base.attributes["callback"]) is True:
        it.heap.write(app, "callback", function)
        it.heap.write(app, "alone", base.attributes["alone"])
        return function
    held = app.attributes["commands"]
    plain = text_of(base.attributes["name"]) or (function.name.lower().replace("_", "-") if isinstance(function, Function) else "")
    if isinstance(held, Map):
        it.heap.write(held, plain, function)
    return function


def _add_typer(it: Interpreter, base: Value, call: Call) -> Value:
    inner, name = call.get("typer_instance", 0), text_of(call.get("name"))
    held = base.attributes.get("commands") if isinstance(base, Object) else None
    if isinstance(base, Object) and isinstance(held, Map) and isinstance(inner, Object) and name:
        it.heap.write(held, name, inner)
        it.heap.write(base, "grouped", TRUE)
    elif isinstance(base, Object):
        it.heap.write(base, "strange", TRUE)
    return NONE


def _start(it: Interpreter, base: Value, call: Call) -> Value:
    given = call.get("args", 0)
    words = (
        it.launched.words
        if given is None or (isinstance(given, Known) and given.value is None)
        else given.items
        if isinstance(given, Items) and given.more is None
        else (Open("word", "*"),)
    )
    return _run_app(it, base, words, call) if isinstance(base, Object) else Opaque("an app")


def _run_app(it: Interpreter, app: Object, words: Sequence[Value] | None, call: Call) -> Value:
    held, callback = app.attributes.get("commands"), app.attributes.get("callback", NONE)
    if not isinstance(held, Map) or held.rest is not None or truth(app.attributes.get("strange", NONE)) is not False:
        return Opaque("what an app starts")
    commands = list(held.items.values())
    if len(commands) == 1 and not isinstance(callback, Function) and isinstance(commands[0], Function):
        return _run(it, commands[0], words, call)
    return _named(it, app, held, callback, words, call)


def _named(it: Interpreter, app: Object, commands: Map, callback: Value, words: Sequence[Value] | None, call: Call) -> Value:
    """The command that the first word names, after the callback."""
    params = _params(it, callback) if isinstance(callback, Function) else []
    if words is None or params is None:
        return Opaque("a command that nobody names")
    place = it.place(call.node, call.frame)
    found = read(it, params, words, place, interspersed=False)
    name = text_of_word(found.left[0]) if found.left else ""
    if name and name not in commands.items and not found.open and isinstance(found.left[0], Known):
        refused(it, place, f"no such command: {name}", found.left[0].origins)
    if isinstance(callback, Function):
        it.call(callback, Call((), values(it, params, found, launched=True), None, call.node, call.frame))
    chosen = commands.items.get(name)
    if isinstance(chosen, Function):
        return _run(it, chosen, found.left[1:], call)
    return (
        _run_app(it, chosen, found.left[1:], call)
        if isinstance(chosen, Object) and chosen.kind == _APP
        else Opaque("a command that nobody names")
    )


def _run(it: Interpreter, function: Function, words: Sequence[Value] | None, call: Call) -> Value:
    params = _params(it, function)
    if params is None:
        return it.call(function, Call((), {}, Open("flag", "*"), call.node, call.frame))
    place = it.place(call.node, call.frame)
    found = read(it, [*params, Param("", ("--help",), (), ABSENT, place, "help", text)], words or (), place)
    if found.left and not found.open:
        refuse_words(it, found.left, place)
    given = values(it, params, found, launched=words is not None)
    return it.call(function, Call((), given, None, call.node, call.frame))


def _run_function(it: Interpreter, call: Call) -> Value:
    function = call.get("function", 0)
    return _run(it, function, it.launched.words, call) if isinstance(function, Function) else Opaque("what typer runs")


FUNCTIONS: dict[str, Handler] = {
    "typer.Typer": _app, "typer.run": _run_function, "typer.Option": _info(positional=False), "typer.Argument": _info(positional=True),
    "typer.echo": lambda it, call: NONE, "typer.secho": lambda it, call: NONE,
}  # fmt: skip
METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    f"{_APP}.command": _decorator(is_callback=False), f"{_APP}.callback": _decorator(is_callback=True), f"{_APP}.add_typer": _add_typer,
    "typer.command().__call__": _decorate, f"{_APP}.__call__": _start,
}  # fmt: skip
