"""Functions of the repository: defined, decorated, called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from budgetlint.program.generators import MANAGER, generator
from budgetlint.program.heap import Outcome
from budgetlint.program.operators import made_of
from budgetlint.program.state import DEEP, GOES_ON, IN_ITSELF, Call, Dead, Frame, Interpreter, Signal
from budgetlint.program.values import (
    ABSENT,
    NONE,
    Absent,
    Choice,
    External,
    Function,
    Items,
    Map,
    Names,
    Object,
    Opaque,
    Open,
    Value,
    Way,
    choice,
)

_PLAIN = frozenset({"staticmethod", "classmethod", "property", "cached_property", "setter", "abstractmethod", "override", "overload"})
"""Decorators that are a word of the language: what they do is done where the function is asked for."""


_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})


def function_(it: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Signal:
    """``def``: bound to what its decorators make of it."""
    value = decorated(it, Function(node, frame.names), node, frame)
    it.heap.write(frame.names.shared.get(node.name, frame.names), node.name, value)
    return GOES_ON


def decorated(it: Interpreter, function: Value, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, frame: Frame) -> Value:
    """What the decorators make of a function or class, the innermost first."""
    for one in reversed(node.decorator_list):
        if decorator_word(one) in _PLAIN:
            continue
        maker = it.evaluate(one, frame)
        made = it.call(maker, Call((function,), {}, None, one, frame))
        function = made if not isinstance(made, Opaque) else _unknown(function, maker, made)
    return function


def decorator_word(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def words_of(function: Function) -> set[str]:
    """The decorators that are words of the language."""
    return {decorator_word(one) for one in getattr(function.node, "decorator_list", [])} & _PLAIN


def _unknown(function: Value, maker: Value, made: Opaque) -> Value:
    """A decorator that nobody knows: the function may be called with anything, and give anything."""
    if isinstance(function, Function):
        copy = Function(function.node, function.names, function.bound)
        copy.owner, copy.decorated = function.owner, Opaque(f"the decorator {maker!r} is not known"[:100])
        return copy
    return function if isinstance(maker, External) else made


def call_function(it: Interpreter, function: Function, call: Call) -> Value:
    """The body, with these arguments. Deeper than anybody writes, it is not followed."""
    if len(it.stack) >= DEEP or sum(1 for one in it.stack if one.node is function.node) >= IN_ITSELF:
        place = it.place(call.node, call.frame)
        for one in call.given():
            it.disturb(one, f"{function.name} calls itself", place)
        return Opaque(f"{function.name} calls itself too often")
    frame = Frame(Names(function.names, function.names.module), function)
    _bind(it, function, call, frame)
    body = function.node.body
    if not isinstance(body, list):
        return it.evaluate(body, frame)
    if any(isinstance(one, ast.Yield | ast.YieldFrom) for one in own_nodes(function.node)):
        return _generator(function, frame)
    it.stack.append(function)
    try:
        outcomes = it.stretch(lambda: it.run(body, frame))
    finally:
        it.stack.pop()
    if not _keeps_names(function.node):
        outcomes = [_without(one, frame.names) for one in outcomes]
    value = it.value_of(it.settle([one if one.signal == "raise" else one._replace(signal="") for one in outcomes]))
    return value if function.decorated is None else function.decorated


def _generator(function: Function, frame: Frame) -> Value:
    """What a call of a function with `yield` gives; under `@contextmanager`, what `with` takes."""
    if function.decorated is not None:
        return function.decorated
    made = generator(function, frame)
    if not any(decorator_word(one) in _MANAGERS for one in getattr(function.node, "decorator_list", [])):
        return made
    manager = Object(MANAGER)
    manager.data = made
    return manager


def _keeps_names(node: ast.AST) -> bool:
    """Whether something made in the body may ask for its names later."""
    return any(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.GeneratorExp) for one in own_nodes(node))


def _without(outcome: Outcome, names: Names) -> Outcome:
    """Nobody can ask for the names of a body that has ended."""
    return outcome._replace(changes={slot: change for slot, change in outcome.changes.items() if change.target is not names})


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a body without those of functions and classes in it."""
    waiting = list(getattr(node, "body", []))
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(one))


def parameters(function: Function) -> list[str]:
    spec = function.node.args
    return [one.arg for one in (*spec.posonlyargs, *spec.args)]


def _bind(it: Interpreter, function: Function, call: Call, frame: Frame) -> None:
    """Arguments to parameters. What is not given and has no default is a call that Python refuses."""
    spec, bound = function.node.args, frame.names.bound
    given = list(call.positional) if function.bound is None else [function.bound, *call.positional]
    keywords = dict(call.keywords)
    names = parameters(function)
    closure = Frame(function.names)
    defaults = dict(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True))
    for at, name in enumerate(names):
        bound[name] = _argument(
            it, given[at] if at < len(given) else keywords.pop(name, ABSENT), name, defaults.get(name), call.rest, closure
        )
    for one, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        bound[one.arg] = _argument(it, keywords.pop(one.arg, ABSENT), one.arg, default, call.rest, closure)
    if spec.vararg:
        bound[spec.vararg.arg] = Items(given[len(names) :], "tuple", call.rest)
    elif len(given) > len(names):
        raise Dead
    if spec.kwarg:
        bound[spec.kwarg.arg] = Map(dict(keywords), call.rest)
    elif keywords and call.rest is None and not _perhaps(keywords):
        raise Dead
    if function.decorated is not None:
        for name in bound:
            bound[name] = function.decorated if name != "self" else bound[name]


def _perhaps(keywords: dict[str, Value]) -> bool:
    return all(
        isinstance(one, Absent) or (isinstance(one, Choice) and any(way.value is ABSENT for way in one.ways)) for one in keywords.values()
    )


def _argument(it: Interpreter, given: Value, name: str, default: ast.expr | None, rest: Value | None, closure: Frame) -> Value:
    ways = given.ways if isinstance(given, Choice) else (Way("", given),)
    if all(way.value is not ABSENT for way in ways):
        return given
    unsaid = _unsaid(it, name, default, rest, closure)
    return choice(way if way.value is not ABSENT else Way(way.when, unsaid) for way in ways)


def _unsaid(it: Interpreter, name: str, default: ast.expr | None, rest: Value | None, closure: Frame) -> Value:
    """What a parameter is that the call does not list."""
    otherwise = it.evaluate(default, closure) if default is not None else None
    if rest is not None:
        inner = Open(rest.kind, f"{rest.name}.{name}", rest.origins) if isinstance(rest, Open) else made_of(rest)
        return inner if otherwise is None else choice([Way("", inner), Way("", otherwise)])
    if otherwise is None:
        raise Dead
    return otherwise


def entry_call(it: Interpreter, function: Function) -> Call:
    """A call from outside: every parameter without a default is somebody's to give."""
    spec = function.node.args
    required = parameters(function)[: len(spec.posonlyargs) + len(spec.args) - len(spec.defaults)]
    keywords: dict[str, Value] = {name: Open("flag", name) for name in required if name not in {"self", "cls"}}
    keywords |= {one.arg: Open("flag", one.arg) for one, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default is None}
    return Call((), keywords, None, function.node, Frame(function.names))


def opaque_call(it: Interpreter, function: Function, why: str) -> Call:
    """A call by code that is not followed: all parameters can be anything."""
    spec = function.node.args
    names = [*parameters(function), *(one.arg for one in spec.kwonlyargs)]
    if function.bound is not None:
        names = names[1:]
    return Call((), {name: Opaque(why) for name in names}, None, function.node, Frame(function.names))


def is_object(value: Value) -> bool:
    return isinstance(value, Object)
