"""Attributes by name, and the names of a module: ``getattr``, ``hasattr``, ``setattr``, ``vars``, ``globals``, ``exec``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.ends import Dead, Exits
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Class, Function, Handler, Object, Partial
from budgetlint.program.packages.kinds import own_class
from budgetlint.program.packages.plain import spread, taken, unknown
from budgetlint.program.state import Interpreter, name_of, text_of
from budgetlint.program.value_errors import no_dtype
from budgetlint.program.values import ABSENT, FALSE, NONE, TRUE, Choice, External, Items, Known, Map, Opaque, Open, Value, Way

_NAMESPACES = frozenset({"argparse.Namespace", "types.SimpleNamespace"})
"""Classes of packages whose attributes are all that was set."""


def has(base: Value, name: str) -> bool | None:
    """``hasattr``."""
    mine = own_class(base)
    if mine is PurePosixPath:
        return True if hasattr(PurePosixPath, name) else None
    if mine is not None and not isinstance(base, Function):
        return hasattr(mine, name)
    if isinstance(base, Object):
        return _object_has(base, name)
    if isinstance(base, Partial):
        return True if hasattr(partial, name) else None
    if isinstance(base, Class):
        return True if base.find(name) is not None else False if _closed(base) and not hasattr(type, name) and name[:2] != "__" else None
    return None


def _object_has(base: Object, name: str) -> bool | None:
    found = base.attributes.get(name, ABSENT)
    if not perhaps_absent(found):
        return True
    if base.cls is not None and base.cls.find(name) is not None:
        return True
    dynamic = base.cls is not None and any(base.cls.find(one) is not None for one in ("__getattr__", "__getattribute__"))
    if found is not ABSENT or base.rest is not None or dynamic or hasattr(object, name) or name.startswith("__"):
        return None
    closed = base.kind in _NAMESPACES if base.cls is None else _closed(base.cls) and not base.cls.kind
    return False if closed else None


def _closed(cls: Class) -> bool:
    """A class of the repository all through, whose body says all that it has."""
    own = [one for one in cls.line if isinstance(one, Class)]
    plain = len(own) + sum(isinstance(one, External) and one.name == "object" for one in cls.line) == len(cls.line)
    return plain and not cls.node.keywords and all(_adds_nothing(one) for one in own)


def _adds_nothing(cls: Class) -> bool:
    """Of decorators, `dataclass` gives a class nothing beside names with ``__`` (CPython 3.13 ``dataclasses.py`` _process_class)."""
    return len(cls.decorators) == len(cls.node.decorator_list) and all(name_of(one) == "dataclasses.dataclass" for one in cls.decorators)


def _hasattr(it: Interpreter, call: Call) -> Value:
    def one(values: list[Value]) -> Value:
        name = text_of(values[1])
        found = None if name is None else has(values[0], name)
        return unknown("hasattr", values[:1]) if found is None else TRUE if found else FALSE

    return spread(it, call.positional, one, "hasattr") if given(call, 2, 2) else unknown("hasattr", call.given())


def given(call: Call, least: int, most: int) -> bool:
    return call.rest is None and not call.keywords and least <= len(call.positional) <= most


def _getattr(it: Interpreter, call: Call) -> Value:
    if not given(call, 2, 3):
        return taken("getattr", call.given())
    default = call.get("", 2)

    def one(values: list[Value]) -> Value:
        name = text_of(values[1])
        if name is None:
            return taken("getattr", values)
        refused = no_dtype(it, values[0], values[1], call) if default is None else None
        if refused is not None:
            return refused
        return _attribute(it, values[0], name, call) if default is None else _or_default(it, values[0], name, default, call)

    return spread(it, call.positional[:2], one, "getattr")


def _attribute(it: Interpreter, base: Value, name: str, call: Call) -> Value:
    return it.attribute(base, name, it.place(call.node, call.frame))


def _or_default(it: Interpreter, base: Value, name: str, default: Value, call: Call) -> Value:
    known = has(base, name)
    if known is False:
        return default
    try:
        found = _attribute(it, base, name, call)
    except Exits:
        raise
    except Dead:
        return default
    if isinstance(base, Object) and known is None and base.attributes.get(name, ABSENT) is not ABSENT:
        return choice([Way("", found), Way("", default)])  # one way has set it
    if known or not isinstance(found, Opaque | Open | Choice):
        return found if not isinstance(found, External) or known else choice([Way("", found), Way("", default)])
    return choice([Way("", found), Way("", default)])


def _setattr(it: Interpreter, call: Call) -> Value:
    if not given(call, 3, 3):
        for one in call.given():
            it.disturb(one, "setattr", it.place(call.node, call.frame))
        return NONE
    base, name, value = call.positional

    def set_one(values: list[Value]) -> Value:
        text = text_of(values[1])
        if text is None:
            return _set_any(it, values[0], value, call)
        if isinstance(values[0], Opaque) and values[0].of == External("sys.modules"):
            _set_of_modules(it, text, value)
        it.set_attribute(values[0], text, value, it.place(call.node, call.frame))
        return NONE

    if isinstance(name, Choice):  # each way sets another attribute: none is surely set
        return _set_any(it, base, value, call)
    return spread(it, [base, name], set_one, "setattr")


def _set_any(it: Interpreter, base: Value, value: Value, call: Call) -> Value:
    """An attribute of a name that is not known: any may have been set, and where this may be a model, a part of it was exchanged."""
    place = it.place(call.node, call.frame)
    whose = base.cls if isinstance(base, Object) else None
    if not isinstance(value, Known | Items | Map) and (whose is None or whose.kind):
        it.doubt("replaced", "setattr of a name that is not known", place, base)
    it.disturb(base, "setattr of a name that is not known", place)
    if isinstance(base, Object) and base.cls is not None:
        _cover(it, base)
    return NONE


def _cover(it: Interpreter, base: Object) -> None:
    """What the class says of its objects, one of them may say otherwise now."""
    for one in base.cls.line if base.cls is not None else ():
        for name, value in list(one.attributes.items()) if isinstance(one, Class) else ():
            if isinstance(value, Known | Items | Map) and base.attributes.get(name, ABSENT) is ABSENT:
                it.heap.write(base, name, choice([Way("", value), Way("", Opaque("setattr of a name that is not known"))]))


def _set_of_modules(it: Interpreter, name: str, value: Value) -> None:
    """``setattr(sys.modules[...], name, value)``: any module of the program may be the one."""
    for module in list(it.modules.made.values()):
        older = module.names.bound.get(name)
        it.heap.write(module.names, name, value if older is None else choice([*alternatives(older), Way("", value)]))


def _delattr(it: Interpreter, call: Call) -> Value:
    base, name = (call.positional[0], text_of(call.positional[1])) if given(call, 2, 2) else (None, None)
    if isinstance(base, Object) and name is not None and (name in base.attributes or has(base, name) is False):
        if name not in base.attributes:
            raise Dead
        if perhaps_absent(base.attributes[name]):
            it.may_fail()
        it.heap.write(base, name, ABSENT)
    elif base is not None:
        it.disturb(base, "delattr", it.place(call.node, call.frame))
    return NONE


def dict_of(base: Value) -> Value:
    """``__dict__``: the same table, so that a change of one is seen in the other."""
    if not isinstance(base, Object):
        return Map({}, taken("vars", [base]))
    whole = base.kind in _NAMESPACES or (base.cls is not None and not base.cls.kind)
    rest = base.rest if base.rest is not None else None if whole else taken("vars", [base])
    return Map(base.attributes, rest, base.origins)


PROPERTIES: dict[str, Callable[[Interpreter, Value], Value]] = {f"{kind}.__dict__": lambda it, base: dict_of(base) for kind in _NAMESPACES}
FUNCTIONS: dict[str, Handler] = {"hasattr": _hasattr, "getattr": _getattr, "setattr": _setattr, "delattr": _delattr}
