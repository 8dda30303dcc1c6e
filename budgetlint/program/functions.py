"""Functions of the repository: defined, decorated, called."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.ends import Dead
from budgetlint.program.generators import MANAGER, generator
from budgetlint.program.heap import Outcome, perhaps_absent
from budgetlint.program.misfits import strangers, without
from budgetlint.program.objects import Class, Function, Object, Property
from budgetlint.program.operators import made_of
from budgetlint.program.recursion import cut, is_blind
from budgetlint.program.remembered import remembered
from budgetlint.program.state import DEEP, GOES_ON, IN_ITSELF, Interpreter, Signal
from budgetlint.program.value_errors import ungiven
from budgetlint.program.values import ABSENT, External, Items, Key, Map, Names, Opaque, Open, Value, Way

_PLAIN = frozenset(
    {"staticmethod", "classmethod", "property", "cached_property", "setter", "deleter", "getter", "abstractmethod", "override", "overload"}
)
"""Decorators that are a word of the language: what they do is done where the function is asked for."""


_PROPERTIES = frozenset({"property", "cached_property"})
_SHAPE = "shape"
_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})


def function_(it: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Signal:
    """``def``: bound to what its decorators make of it."""
    value = decorated(it, node.decorator_list, frame, lambda: defined(it, node, frame))
    it.heap.write(frame.names.shared.get(node.name, frame.names), node.name, value)
    return GOES_ON


def defined(it: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, frame: Frame) -> Function:
    """A function as it is when it is defined: its defaults are worked out now."""
    made, spec = Function(node, frame.names), node.args
    names = parameters(made)
    written = [*zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True)]
    written += [(one.arg, value) for one, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value is not None]
    made.defaults = {name: it.evaluate(value, frame) for name, value in written}
    return made


def decorated(it: Interpreter, decorators: Sequence[ast.expr], frame: Frame, make: Callable[[], Value]) -> Value:
    """What the decorators make of a function or class: they are worked out first, and called from the innermost."""
    makers = [(one, ABSENT if decorator_word(one) in _PLAIN else it.evaluate(one, frame)) for one in decorators]
    value = make()
    for one, maker in reversed(makers):
        if maker is ABSENT:
            value = _plainly(it, one, value, frame)
            continue
        made = it.call(maker, Call((value,), {}, None, one, frame))
        value = made if not isinstance(made, Opaque) else _unknown(value, maker, made)
    return value


def _plainly(it: Interpreter, node: ast.expr, value: Value, frame: Frame) -> Value:
    """A decorator of Python that makes a property."""
    word = decorator_word(node)
    if word in _PROPERTIES and isinstance(value, Function):
        return Property(value, kept=word == "cached_property")
    if word == "setter" and isinstance(node, ast.Attribute) and isinstance(value, Function):
        base = it.evaluate(node.value, frame)
        return Property(base.get, value) if isinstance(base, Property) else Opaque("a setter of what is no property")
    return value


def decorator_word(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def words_of(function: Function) -> set[str]:
    """The decorators that are words of the language."""
    return {decorator_word(one) for one in getattr(function.node, "decorator_list", [])} & _PLAIN


def method_of(function: Function, base: Value, cls: Class) -> Function:
    """A function of a class as it is asked of an object (or of the class: ``base`` is ``cls`` then)."""
    words = words_of(function)
    if "classmethod" in words:
        return function.of(cls)
    return function if "staticmethod" in words or base is cls else function.of(base)


def _unknown(function: Value, maker: Value, made: Opaque) -> Value:
    """A decorator that nobody knows: the function may be called with anything, and give anything."""
    if isinstance(function, Function):
        copy = function.of(function.bound) if function.bound is not None else Function(function.node, function.names)
        copy.owner, copy.defaults = function.owner, function.defaults
        copy.decorated = Opaque(f"the decorator {maker!r} is not known"[:100])
        return copy
    return function if isinstance(maker, External) else made


def call_function(it: Interpreter, function: Function, call: Call) -> Value:
    """The body, with these arguments; of one that remembers, what it gave before."""
    return _entered(it, function, call) if function.memory is None else remembered(it, function, call, _entered)


def _entered(it: Interpreter, function: Function, call: Call) -> Value:
    """Deeper than anybody writes, it is not followed."""
    above = sum([one.node is function.node for one in it.stack])
    blind = is_blind(function, call)
    if len(it.stack) >= DEEP or above >= IN_ITSELF or (above and blind and function.node in it.blind):
        return cut(it, function, call)
    frame = Frame(Names(function.names, function.names.module), function)
    _bind(it, function, call, frame)
    body = function.node.body
    if not isinstance(body, list):
        return it.evaluate(body, frame)
    shape = _shape(function.node)
    if shape.gives:
        return _generator(function, frame)
    gone = None if shape.keeps else frame.names
    it.stack.append(function)
    it.blind.append(function.node if blind else None)
    try:
        ended = it.through(lambda: it.run(body, frame), gone)
    finally:
        it.stack.pop()
        it.blind.pop()
    if isinstance(ended, list):
        outcomes = ended if gone is None else [_without(one, gone) for one in ended]
        ended = it.settle([one if one.signal == "raise" else one._replace(signal="") for one in outcomes])
    value = it.value_of(ended)
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


class BodyShape(NamedTuple):
    """What the text of a function tells.

    ``gives``: it is a generator; ``keeps``: something made in its body may ask for its names later.
    """

    gives: bool
    keeps: bool


def _shape(node: ast.AST) -> BodyShape:
    """Looked for once, and kept on the tree: a function may be called a thousand times."""
    found: BodyShape | None = node.__dict__.get(_SHAPE)
    if found is None:
        kinds = {type(one) for one in own_nodes(node)}
        found = node.__dict__[_SHAPE] = BodyShape(bool(kinds & _GIVE), bool(kinds & _KEEP))
    return found


_GIVE: frozenset[type[ast.AST]] = frozenset({ast.Yield, ast.YieldFrom})
_KEEP: frozenset[type[ast.AST]] = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp})


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
    if call.keywords and not spec.kwarg:
        call = _of_others(it, function, call)
    given = list(call.positional) if function.bound is None else [function.bound, *call.positional]
    keywords = dict[Key, Value](call.keywords.items())
    by_place = {one.arg for one in spec.posonlyargs}
    names = parameters(function)
    for at, name in enumerate(names):
        if at < len(given) and name in keywords and name not in by_place and not perhaps_absent(keywords[name]):
            raise Dead("TypeError")
        value = given[at] if at < len(given) else ABSENT if name in by_place else keywords.pop(name, ABSENT)
        bound[name] = _argument(it, function, value, name, call)
    for one in spec.kwonlyargs:
        bound[one.arg] = _argument(it, function, keywords.pop(one.arg, ABSENT), one.arg, call)
    if spec.vararg:
        bound[spec.vararg.arg] = Items(given[len(names) :], "tuple", call.rest)
    elif len(given) > len(names):
        raise Dead("TypeError")
    if spec.kwarg:
        bound[spec.kwarg.arg] = Map(keywords, call.rest)
    elif not all(map(perhaps_absent, keywords.values())):
        raise Dead("TypeError")
    if function.decorated is not None:
        for key in bound:
            bound[key] = function.decorated if key != "self" else bound[key]


def _of_others(it: Interpreter, function: Function, call: Call) -> Call:
    """The call without what the function has no parameter for, where a config or a flag brought it (`misfits`)."""
    spec = function.node.args
    takes = [one.arg for one in (*spec.args, *spec.kwonlyargs)]
    others = strangers(call, takes)
    if not others:
        return call
    return without(it, call, others, _called(function), [one for one in takes if one != "self"])


def _called(function: Function) -> str:
    return function.owner.name if function.owner is not None and function.name == "__init__" else function.name


def _argument(it: Interpreter, function: Function, given: Value, name: str, call: Call) -> Value:
    if not perhaps_absent(given):
        return given
    if given is ABSENT and call.rest is None and name not in function.defaults and function.decorated is None:
        return ungiven(it, call, name, _called(function))
    unsaid = _unsaid(function, name, call.rest)
    return choice(way if way.value is not ABSENT else Way(way.when, unsaid) for way in alternatives(given))


def _unsaid(function: Function, name: str, rest: Value | None) -> Value:
    """What a parameter is that the call does not list."""
    otherwise = function.defaults.get(name)
    if rest is not None:
        inner = Open(rest.kind, f"{rest.name}.{name}", rest.origins) if isinstance(rest, Open) else made_of(rest)
        return inner if otherwise is None else choice([Way("", inner), Way("", otherwise)])
    if otherwise is None:
        raise Dead("TypeError")
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
