"""Calls: of the repository's code, which is entered; of packages, which are known by name or not followed."""

from __future__ import annotations

import ast

from budgetlint.program.attributes import kind_of, set_plainly
from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives
from budgetlint.program.classes import after, construct, instantiate
from budgetlint.program.ends import Dead
from budgetlint.program.foreign import harmless, made_by, not_followed, short
from budgetlint.program.functions import call_function, method_of, parameters, words_of
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.imports import lookup, member
from budgetlint.program.iterate import iterated
from budgetlint.program.models import module_of
from budgetlint.program.objects import Class, Function, Native, Object, Package
from budgetlint.program.operators import MOST_ITEMS
from budgetlint.program.packages.benign import changes_nothing
from budgetlint.program.packages.replaced import replaced
from budgetlint.program.pour import pour
from budgetlint.program.reads import handed_on
from budgetlint.program.schedules import scheduled
from budgetlint.program.sinks import MODELS
from budgetlint.program.state import Interpreter
from budgetlint.program.trainers_not_here import trainer_not_here
from budgetlint.program.value_errors import converted
from budgetlint.program.values import ABSENT, NONE, Choice, External, Items, Known, Map, Opaque, Open, Value


class Super(Value):
    """``super()``: the classes behind ``owner`` in the line of ``bound``."""

    __slots__ = ("bound", "owner")

    def __init__(self, bound: Value, owner: Class | None) -> None:
        self.bound, self.owner, self.origins = bound, owner, ()


def called(it: Interpreter, node: ast.Call, frame: Frame) -> Value:
    """A call expression."""
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(it, node, frame)
    if isinstance(node.func, ast.Attribute):
        base = it.evaluate(node.func.value, frame)
        call = arguments(it, node, frame)
        name = node.func.attr
        return it.each(base, lambda one: _method(it, one, name, call))
    function = it.evaluate(node.func, frame)
    call = arguments(it, node, frame)
    refused = converted(it, function, call)
    return refused if refused is not None else it.call(function, call)


def arguments(it: Interpreter, node: ast.Call, frame: Frame) -> Call:
    """What a call gives, ``*`` and ``**`` spread out as far as they are known."""
    positional: list[Value] = []
    rest: Value | None = None
    for one in node.args:
        if isinstance(one, ast.Starred):
            items, more = iterated(it, it.evaluate(one.value, frame), one, frame)
            positional += items if rest is None else ()
            rest = rest if rest is not None else more
            if len(positional) > MOST_ITEMS:
                positional, rest = positional[:MOST_ITEMS], Opaque("more arguments than are followed")
        else:
            value = it.evaluate(one, frame)
            positional += [value] if rest is None else []
    pool = Map()
    for keyword in node.keywords:
        value = it.evaluate(keyword.value, frame)
        if keyword.arg is None:
            _refuse_twice(value, pool)
            more = Map()
            pour(it, value, more)
            # a name that is given twice is a TypeError, so what is not known of a mapping is none of the names beside it
            pool.items = {**more.items, **pool.items}
            pool.rest = pool.rest if pool.rest is not None else more.rest
        else:
            _refuse_twice(Map({keyword.arg: value}), pool)
            pool.items[keyword.arg] = value
    keywords = {str(key): value for key, value in pool.items.items() if value is not ABSENT}
    return Call(tuple(positional), keywords, pool.rest if pool.rest is not None else rest, node, frame)


def _refuse_twice(value: Value, pool: Map) -> None:
    """A keyword that is given again is an error."""
    surely = [name for name, one in pool.items.items() if not perhaps_absent(one)]
    ways = alternatives(value)
    if surely and all(
        isinstance(way.value, Map) and any(not perhaps_absent(way.value.items.get(name, ABSENT)) for name in surely) for way in ways
    ):
        raise Dead("TypeError")


def call_value(it: Interpreter, function: Value, call: Call) -> Value:
    """A call of any value."""
    match function:
        case Choice():
            return it.each(function, lambda one: call_value(it, one, call))
        case Function():
            return call_function(it, function, call)
        case Class():
            return instantiate(it, function, call)
        case Native():
            return function.call(it, call)
        case External():
            return call_external(it, function.name, call)
        case Object():
            return _method(it, function, "__call__", call)
        case Known() | Package() | Items() | Map():
            raise Dead("TypeError")
    return not_followed(it, function, call, f"a call of {function!r}"[:100])


def _super(it: Interpreter, node: ast.Call, frame: Frame) -> Value:
    function = frame.function
    if node.args and len(node.args) > 1:
        owner, bound = it.evaluate(node.args[0], frame), it.evaluate(node.args[1], frame)
        return Super(bound, owner if isinstance(owner, Class) else None)
    first = parameters(function)[:1] if function is not None else []
    if function is None or function.owner is None or not first:
        return Opaque("super()")
    return Super(lookup(it, first[0], frame.names), function.owner)


def _method(it: Interpreter, base: Value, name: str, call: Call) -> Value:
    """``base.name(...)``."""
    match base:
        case Super():
            return _of_super(it, base, name, call)
        case Object() if base.cls is not None:
            return _of_instance(it, base, name, call)
        case Class():
            return _of_class(it, base, name, call)
        case Package():
            return it.call(member(it, base, name), call)
        case External():
            own = replaced(it, f"{base.name}.{name}")
            return it.call(own, call) if own is not None else _of_external(it, base, name, call)
        case Object() | Known() | Items() | Map():
            return _of_package(it, base, name, call)
        case Opaque() | Open():
            return _of_opaque(it, base, name, call)
    return it.call(it.attribute(base, name, it.place(call.node, call.frame)), call)


def _of_external(it: Interpreter, base: External, name: str, call: Call) -> Value:
    if base.name == "object" and name == "__setattr__" and len(call.positional) == 3:
        made, word, value = call.positional
        if isinstance(made, Object) and isinstance(word, Known):
            set_plainly(it, made, str(word.value), value, it.place(call.node, call.frame))
            return NONE
    if base.name == "object" and name == "__new__" and call.positional and isinstance(call.positional[0], Class):
        return Object(call.positional[0].kind, call.positional[0])
    return call_external(it, f"{base.name}.{name}", call)


def _of_instance(it: Interpreter, base: Object, name: str, call: Call) -> Value:
    assert base.cls is not None
    found = base.attributes.get(name)
    if found is None:
        found = base.cls.find(name)
        found = method_of(found, base, base.cls) if isinstance(found, Function) else None
    if found is not None and not perhaps_absent(found):
        return it.call(found, call)
    if base.cls.find(name) is not None or found is not None:
        return it.call(it.attribute(base, name, it.place(call.node, call.frame)), call)
    if base.kind:
        return _of_package(it, base, name, call)
    if base.cls.find("__getattr__") is None and base.rest is None:
        raise Dead("AttributeError")
    own = base.cls.find("__getattr__")
    if isinstance(own, Function) and not name.startswith("__"):
        return it.call(it.call(own.of(base), call._replace(positional=(Known(name),), keywords={}, rest=None)), call)
    return not_followed(it, base, call, f"{name} of {base!r}")


def _of_class(it: Interpreter, base: Class, name: str, call: Call) -> Value:
    found = base.find(name)
    if isinstance(found, Function):
        return it.call(method_of(found, base, base), call)
    if found is not None:
        return it.call(found, call)
    if base.kind:
        return call_external(it, f"{base.kind}.{name}", call, base)
    return not_followed(it, base, call, f"{name} of {base.name}")


def _of_super(it: Interpreter, base: Super, name: str, call: Call) -> Value:
    bound = base.bound
    cls = bound.cls if isinstance(bound, Object) else bound if isinstance(bound, Class) else None
    for one in after(cls, base.owner) if cls is not None else ():
        if isinstance(one, Class):
            value = one.attributes.get(name)
            if isinstance(value, Function):
                return it.call(_as_super(value, bound, cls, name), call)
        elif isinstance(one, External) and name == "__init__" and isinstance(bound, Object):
            construct(it, bound, one.name, call)
            return NONE
        elif isinstance(one, External) and isinstance(bound, Object):
            return _of_package(it, bound, name, call)
    if name == "__new__" and call.positional and isinstance(call.positional[0], Class):
        return Object(call.positional[0].kind, call.positional[0])
    if name == "__setattr__" and isinstance(bound, Object) and len(call.positional) == 2 and isinstance(call.positional[0], Known):
        set_plainly(it, bound, str(call.positional[0].value), call.positional[1], it.place(call.node, call.frame))
        return NONE
    return NONE if name in {"__init__", "__post_init__", "__init_subclass__"} else not_followed(it, bound, call, f"super().{name}")


def _as_super(function: Function, bound: Value, cls: Class | None, name: str) -> Function:
    """A function behind ``super()``: of the object or class that the method is of."""
    if name == "__new__" or cls is None:
        return function
    return (
        method_of(function, bound, cls)
        if isinstance(bound, Object)
        else function.of(cls)
        if words_of(function) & {"classmethod"}
        else function
    )


def _of_package(it: Interpreter, base: Value, name: str, call: Call) -> Value:
    """A method of a plain value, or of a package's object."""
    kind = kind_of(base)
    if kind == "None":
        raise Dead("AttributeError")
    if isinstance(base, Object):
        handed_on(it, f"{kind}.{name}", call)
        found = base.attributes.get(name)
        if found is not None and found is not ABSENT:
            return it.call(found, call)
        sunk = it.parts.sink(it, f"{kind}.{name}", call, base)
        if sunk is not None:
            return sunk
    if isinstance(base, Map) and base.root is not None and name in base.items:
        return it.call(it.parts.node(it, base, name), call)
    handler = it.parts.methods.get(f"{kind}.{name}") or it.parts.methods.get(f"*.{name}")
    if handler is not None:
        return handler(it, base, call)
    if isinstance(base, Known):
        return Opaque(f"{name} of {base!r}"[:100])
    if isinstance(base, Object) and changes_nothing(kind) and not _is_model(base):
        return harmless(it, f"{kind}.{name}", call, base)
    return not_followed(it, base, call, f"{kind}.{name}")


def _is_model(base: Object) -> bool:
    return base.made is not None and base.made.kind in MODELS


def _of_opaque(it: Interpreter, base: Opaque | Open, name: str, call: Call) -> Value:
    package = base.package if isinstance(base, Opaque) else ""
    if name == "backward" or module_of(base) is not None:
        sunk = it.parts.sink(it, f"part.{name}", call, base)
        if sunk is not None:
            return sunk
    handler = it.parts.methods.get(f"*.{name}")
    if handler is not None:
        return handler(it, base, call)
    if package and changes_nothing(package):
        return harmless(it, f"{package}.{name}", call, base)
    return not_followed(it, base, call, f"{name} of {base!r}"[:100])


def call_external(it: Interpreter, name: str, call: Call, base: Class | None = None) -> Value:
    """A function or class of a package. ``base``: the class of the repository that stands between."""
    handed_on(it, name, call)
    scheduled(it, name, call)
    handler = it.parts.functions.get(name) or it.parts.functions.get(short(name))
    if handler is not None:
        return handler(it, call)
    sunk = it.parts.sink(it, name, call, base)
    if sunk is not None:
        return sunk
    last = name.rpartition(".")[2]
    if changes_nothing(name):
        return made_by(name, call) if last[:1].isupper() else harmless(it, name, call, None)
    if name.startswith(_PARTS[1]) or (last[:1].isupper() and name.startswith(_PARTS)):
        return made_by(name, call)
    made = trainer_not_here(it, name, call)
    if made is not None:
        return made
    if last[:1].isupper():
        it.disturb(Items(call.given()), f"{name} was given it", it.place(call.node, call.frame))
        return made_by(name, call)
    return not_followed(it, External(name), call, f"a call of {name}")


_PARTS = ("transformers.models.", "torchvision.models.")
"""Layers and models: they are made from a configuration, which stays as it is."""
