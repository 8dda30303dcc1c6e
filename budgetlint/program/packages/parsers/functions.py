"""Parsers that read a function's signature: click, typer, fire and tyro.

Sources: click 8.1 ``decorators.py``, ``core.py`` Option; typer 0.9 to 0.20 ``params.py``, ``main.py``; fire 0.7 ``core.py``, ``parser.py``; tyro 0.8 to 1.0
``_cli.py`` (dashes for underscores, ``--a.b`` for fields of a nested class).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from budgetlint.program.dataclass import default_of, fields_of, is_dataclass
from budgetlint.program.imports import lookup
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.words import value_of_text
from budgetlint.program.packages.parsers.hf import build, option_of, scalar
from budgetlint.program.packages.parsers.options import Option, defaults, flag_origin, read_words, refuse_words, text_of_word
from budgetlint.program.state import Call, Frame, Interpreter, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import (
    ABSENT,
    FALSE,
    NONE,
    TRUE,
    Class,
    Function,
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
)  # fmt: skip

_OPTION, _APP = "click.Option", "typer.Typer"


# click: options are decorators


def _click_option(positional: bool) -> Handler:
    def made(it: Interpreter, call: Call) -> Value:
        one = Object("click.option()")
        names = [text for value in call.positional if (text := text_of(value)) is not None]
        one.data = None if call.rest is not None or len(names) < len(call.positional) else _option(it, names, call, positional=positional)
        return one

    return made


def _option(it: Interpreter, names: list[str], call: Call, *, positional: bool) -> Option | None:
    flags = tuple(part for name in names for part in name.split("/") if part.startswith("-"))
    bare = [name for name in names if not name.startswith("-")]
    named = max((name.partition("/")[0] for name in names if name.startswith("--")), key=len, default=flags[0] if flags else "")
    dest = bare[0] if bare else named.lstrip("-").replace("-", "_").lower()
    if not dest:
        return None
    is_flag = (found := call.get("is_flag")) is not None and truth(found) is True
    flags = tuple(flag for flag in flags if not flag.startswith("--no-")) if any("/" in name for name in names) else flags
    action = "boolean" if is_flag or any("/" in name for name in names) else "store"
    place = it.place(call.node, call.frame)
    given = call.get("default")
    default = given if given is not None else FALSE if action == "boolean" else NONE
    default = Known(default.value, (Origin("option", place, dest),)) if isinstance(default, Known) else default
    required = (asked := call.get("required")) is not None and truth(asked) is True
    kind = call.get("type")
    if kind is None and isinstance(given, Known) and isinstance(given.value, int | float | bool):
        kind = Native("a default's type", lambda it, call: scalar(call.positional[0], Origin("flag", place, dest)))
    return Option(dest, () if positional else flags, default, place, action, "", _converter(kind, place, dest), None, None, required or (positional and given is None))


def _converter(kind: Value | None, place: Place, dest: str) -> Value | None:
    """click's own types convert as Python's do; a choice gives its text."""
    name = getattr(kind, "name", getattr(kind, "kind", "")) if kind is not None else ""
    if name.startswith("click."):
        return Native(name, lambda it, call: scalar(call.positional[0], Origin("flag", place, dest)) if name.endswith(("INT", "FLOAT", "BOOL", "IntRange", "FloatRange")) else call.positional[0])
    return kind


def _add_option(it: Interpreter, base: Value, call: Call) -> Value:
    """The decorated function, with this option among its own."""
    function = call.positional[0] if call.positional else NONE
    held = function if isinstance(function, Object) and function.kind == _OPTION else Object(_OPTION)
    if held is not function:
        held.attributes = {"function": function, "options": Items(())}
    options = held.attributes["options"]
    if isinstance(base, Object) and isinstance(options, Items):
        one = Object(_OPTION)
        one.data = base.data
        held.attributes["options"] = Items((*options.items, one), "list", options.more if base.data is not None else Opaque("an option that is not known"))
    return held


def _command(it: Interpreter, call: Call) -> Value:
    """``@click.command()``, or ``@click.command`` on the function itself."""
    if call.positional and isinstance(call.positional[0], Function | Object):
        return _as_command(it, NONE, call)
    return Object("click.command()")


def _as_command(it: Interpreter, base: Value, call: Call) -> Value:
    held = call.positional[0] if call.positional else NONE
    function = held.attributes["function"] if isinstance(held, Object) and held.kind == _OPTION else held
    options = held.attributes["options"] if isinstance(held, Object) and held.kind == _OPTION else Items(())

    def start(it: Interpreter, given: Call) -> Value:
        if given.positional or given.keywords:
            return it.call(function, given)
        found = [one.data for one in options.items if isinstance(one, Object) and isinstance(one.data, Option)] if isinstance(options, Items) else []
        rest = options.more if isinstance(options, Items) else None
        return it.call(function, given._replace(keywords=_read(it, found, given), rest=rest))

    return Native(function.name if isinstance(function, Function) else "a command", start)


def _read(it: Interpreter, options: Sequence[Option], call: Call) -> dict[str, Value]:
    words = it.launched.words
    optional = frozenset(flag for option in options if option.action == "boolean" for flag in option.flags)
    plain = [option._replace(action="store_true") if option.action == "boolean" else option for option in options]
    parsed = read_words(it, plain, words or (), booleans=optional)
    if parsed.left:
        refuse_words(it, parsed.left, it.place(call.node, call.frame), options)
    return dict(defaults(it, plain, parsed, words is not None))


# signatures: typer, fire


def _signature(it: Interpreter, function: Function, *, dashes: bool) -> list[Option]:
    """The parameters of a function as options; those without a default come first among the loose words."""
    spec, frame = function.node.args, Frame(function.names)
    names = [*spec.posonlyargs, *spec.args]
    return [_parameter(it, one, function.defaults.get(one.arg, ABSENT), frame, dashes=dashes) for one in (*names, *spec.kwonlyargs) if one.arg not in {"self", "cls"}]


def _parameter(it: Interpreter, one: ast.arg, value: Value, frame: Frame, *, dashes: bool) -> Option:
    place = Place(frame.module.path, one.lineno, one)
    if isinstance(value, Object) and value.kind == "typer.Option()":
        value = value.attributes.get("default", ABSENT)
    value = Known(value.value, (Origin("option", place, one.arg), *value.origins[:1])) if isinstance(value, Known) and value.value is not ... else value
    flag = f"--{one.arg.replace('_', '-')}" if dashes else f"--{one.arg}"
    words = ast.unparse(one.annotation) if one.annotation is not None else ""
    is_flag = (isinstance(value, Known) and isinstance(value.value, bool)) or words == "bool"
    convert = Native("a parameter's type", lambda it, call: _by_annotation(call.positional[0], words, Origin("flag", place, one.arg)))
    required = value is ABSENT or (isinstance(value, Known) and value.value is ...)
    flags = (flag, f"--{one.arg}")
    return Option(one.arg, flags, NONE if required else value, place, "boolean" if is_flag and dashes else "store", "?" if is_flag and not dashes else "", convert, TRUE, None, required)


def _by_annotation(word: Value, words: str, origin: Origin) -> Value:
    if words in {"str", "Optional[str]", "str | None"} and isinstance(word, Known):
        return Known(word.value, word.origins)
    return value_of_text(str(word.value), word.origins) if isinstance(word, Known) else word


def _typer_command(it: Interpreter, base: Value, call: Call) -> Value:
    """``@app.command()`` on a function: the app starts it."""
    function = call.positional[0] if call.positional else NONE
    app = base.data if isinstance(base, Object) else None
    if isinstance(app, Object) and isinstance(function, Function):
        held = app.attributes["commands"]
        it.heap.write(app, "commands", Items((*(held.items if isinstance(held, Items) else ()), function)))
    return function


def _typer_app(it: Interpreter, call: Call) -> Value:
    made = Object(_APP)
    made.attributes = {"commands": Items(())}
    return made


def _typer_decorator(it: Interpreter, base: Value, call: Call) -> Value:
    made = Object("typer.command()")
    made.data = base
    return made


def _typer_start(it: Interpreter, base: Value, call: Call) -> Value:
    held = base.attributes.get("commands") if isinstance(base, Object) else None
    commands = [one for one in held.items if isinstance(one, Function)] if isinstance(held, Items) else []
    words = list(it.launched.words or ())
    if len(commands) > 1:
        name = text_of_word(words[0]).replace("-", "_") if words else ""
        commands = [one for one in commands if one.name == name]
        words = words[1:]
    return _by_signature(it, commands[0], words if it.launched.words is not None else None, call, dashes=True) if len(commands) == 1 else Opaque("a command that nobody names")


def _typer_run(it: Interpreter, call: Call) -> Value:
    function = call.get("function", 0)
    return _by_signature(it, function, it.launched.words, call, dashes=True) if isinstance(function, Function) else Opaque("what typer runs")


def _typer_option(it: Interpreter, call: Call) -> Value:
    made = Object("typer.Option()")
    made.attributes = {"default": call.get("default", 0) or ABSENT}
    return made


def _by_signature(it: Interpreter, function: Function, words: Sequence[Value] | None, call: Call, *, dashes: bool) -> Value:
    options = _signature(it, function, dashes=dashes)
    optional = frozenset(flag for option in options if option.action == "boolean" for flag in option.flags)
    plain = [option._replace(action="store_true", const=None) if option.action == "boolean" else option for option in options]
    if not dashes:
        words = [_fire_word(word) for word in words] if words is not None else None
    parsed = read_words(it, plain, words or (), booleans=optional if dashes else frozenset(flag for option in options for flag in option.flags))
    given = dict(defaults(it, plain, _loose(plain, parsed), words is not None))
    others = _others(parsed.left) if function.node.args.kwarg is not None else {}
    return it.call(function, call._replace(positional=(), keywords={**given, **others}, rest=None))


def _loose(options: Sequence[Option], parsed):  # type: ignore[no-untyped-def]
    """Loose words go to the parameters that no flag gave, in order."""
    waiting = [option for option in options if option.dest not in parsed.given and option.action != "store_true"]
    given = dict(parsed.given)
    left = list(parsed.left)
    for option in waiting:
        at = next((at for at, word in enumerate(left) if not text_of_word(word).startswith("-")), None)
        if at is None or not option.required:
            break
        word = left.pop(at)
        given[option.dest] = value_of_text(str(word.value), (flag_origin(word, option.dest),)) if isinstance(word, Known) else word
    return parsed._replace(given=given, left=tuple(left))


def _others(left: Sequence[Value]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    waiting = list(left)
    while waiting:
        word = waiting.pop(0)
        name, equals, value = text_of_word(word).partition("=")
        if name.startswith("--"):
            given: Value = Known(value, word.origins) if equals else waiting.pop(0) if waiting and not text_of_word(waiting[0]).startswith("--") else TRUE
            found[name[2:].replace("-", "_")] = scalar(given, flag_origin(word, name)) if given is not TRUE else TRUE
    return found


def _fire_word(word: Value) -> Value:
    """fire takes ``-name`` and dashes as it takes ``--name``."""
    text = text_of_word(word)
    if not isinstance(word, Known) or not text.startswith("--"):
        return word
    name, equals, value = text.partition("=")
    return Known(f"--{name[2:].replace('-', '_')}{equals}{value}", word.origins)


def _fire(it: Interpreter, call: Call) -> Value:
    component = call.get("component", 0)
    words = it.launched.words
    if isinstance(component, Map):
        name = text_of_word(words[0]) if words else ""
        component, words = component.items.get(name, NONE), words[1:] if words else words
    if isinstance(component, Function):
        return _by_signature(it, component, words, call, dashes=False)
    return Opaque("what fire starts")


# tyro


def _tyro(it: Interpreter, call: Call) -> Value:
    kind = call.get("f", 0)
    if isinstance(kind, Function):
        return _by_signature(it, kind, it.launched.words, call, dashes=True)
    if not isinstance(kind, Class) or not is_dataclass(kind):
        return Opaque("what tyro makes")
    names = dict(_nested(it, kind, ""))
    options = [option for one in names.values() for option in one[1]]
    parsed = read_words(it, options, it.launched.words or ())
    foreign, left = _of_packages(options, parsed.left)
    if left:
        refuse_words(it, left, it.place(call.node, call.frame), options)
    given = {**dict(defaults(it, options, parsed, it.launched.words is not None)), **foreign}
    return _object(it, kind, "", given, call)


def _of_packages(options: Sequence[Option], left: Sequence[Value]) -> tuple[dict[str, Value], list[Value]]:
    """Flags of fields whose class is of a package (``--peft_config.r``): what such a field is, is open then. The others."""
    open_: dict[str, Value] = {}
    others: list[Value] = []
    mine = False
    for word in left:
        text = text_of_word(word)
        if text.startswith("--"):
            owner = next((one for one in options if any(text.startswith(f"{flag}.") for flag in one.flags)), None)
            mine = owner is not None
            if owner is not None:
                open_[owner.dest] = Open("flag", text.partition("=")[0], word.origins)
        if not mine:
            others.append(word)
    return open_, others


def _nested(it: Interpreter, cls: Class, prefix: str) -> Iterator[tuple[str, tuple[Class, list[Option]]]]:
    own: list[Option] = []
    for field in fields_of(cls):
        inner = _class_of(it, field.annotation, cls)
        if inner is not None and is_dataclass(inner):
            yield from _nested(it, inner, f"{prefix}{field.name}.")
            continue
        option = option_of(it, field)
        name = f"{prefix}{field.name}"
        own.append(option._replace(dest=name, flags=(f"--{name}", f"--{name.replace('_', '-')}")))
    yield prefix, (cls, own)


def _class_of(it: Interpreter, annotation: ast.expr, cls: Class) -> Class | None:
    name = annotation.value if isinstance(annotation, ast.Constant) else annotation.id if isinstance(annotation, ast.Name) else ""
    found = lookup(it, name, cls.names) if isinstance(name, str) and name.isidentifier() else None
    return found if isinstance(found, Class) else None


def _object(it: Interpreter, cls: Class, prefix: str, given: dict[str, Value], call: Call) -> Value:
    fields: dict[str, Value] = {}
    for field in fields_of(cls):
        inner = _class_of(it, field.annotation, cls)
        if inner is not None and is_dataclass(inner):
            fields[field.name] = _object(it, inner, f"{prefix}{field.name}.", given, call)
        else:
            value = given.get(f"{prefix}{field.name}", default_of(it, field))
            fields[field.name] = value if value is not ABSENT else made_of(Open("flag", field.name))
    return build(it, cls, fields, {}, False, call)


FUNCTIONS: dict[str, Handler] = {
    "click.option": _click_option(positional=False), "click.argument": _click_option(positional=True), "click.command": _command,
    "typer.Typer": _typer_app, "typer.run": _typer_run, "typer.Option": _typer_option, "typer.Argument": _typer_option,
    "fire.Fire": _fire, "tyro.cli": _tyro,
}  # fmt: skip
METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {
    "click.option().__call__": _add_option, "click.command().__call__": _as_command, f"{_APP}.command": _typer_decorator, f"{_APP}.callback": _typer_decorator,
    "typer.command().__call__": _typer_command, f"{_APP}.__call__": _typer_start,
}  # fmt: skip
