"""``functools``, ``operator``, ``types`` and ``collections``: functions made of functions, small objects."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import partial

from budgetlint.program.calling import Call
from budgetlint.program.objects import Class, Function, Handler, Native, Object, Partial
from budgetlint.program.operators import binary
from budgetlint.program.packages.plain import Method, exact, taken, unknown
from budgetlint.program.remembered import MOST_KEPT, remembering, takes_any
from budgetlint.program.state import Interpreter, text_of
from budgetlint.program.subscripts import item
from budgetlint.program.values import NONE, Items, Key, Known, Map, Opaque, Value


def _partial(it: Interpreter, call: Call) -> Value:
    if not call.positional:
        return taken("functools.partial", call.given(), "functools")
    function, *given = call.positional
    kept, rest = dict(call.keywords), call.rest

    def later(it: Interpreter, again: Call) -> Value:
        return it.call(
            function,
            again._replace(
                positional=(*given, *again.positional), keywords={**kept, **again.keywords}, rest=rest if rest is not None else again.rest
            ),
        )

    if rest is not None:
        return Native("functools.partial", later)
    named: dict[Key, Value] = dict(kept.items())
    return Partial("functools.partial", later, {"func": function, "args": Items(given, "tuple"), "keywords": Map(named)})


def _itself(it: Interpreter, call: Call) -> Value:
    """A decorator that leaves a function what it is."""
    return call.positional[0] if len(call.positional) == 1 else taken("a decorator", call.given(), "functools")


def _wraps(it: Interpreter, call: Call) -> Value:
    return Native("functools.wraps", _itself)


def _cached(it: Interpreter, call: Call) -> Value:
    """``lru_cache``, with or without its options, and ``cache``."""
    function = call.positional[0] if len(call.positional) == 1 and not call.keywords else None
    if isinstance(function, Function):
        return remembering(function)
    size = call.get("maxsize", 0)
    if call.rest is not None or not (size is None or isinstance(size, Known)):
        return Native("functools.lru_cache", partial(_cached_by, most=1))
    return Native("functools.lru_cache", partial(_cached_by, most=MOST_KEPT if size is None else size.value))


def _cached_by(it: Interpreter, call: Call, most: object) -> Value:
    """``most``: how many answers are kept, None for all. Of a memory of few nobody counts here what has gone out of it."""
    function = call.positional[0] if len(call.positional) == 1 else None
    if not isinstance(function, Function):
        return taken("functools.lru_cache", call.given(), "functools")
    if most == 0:
        return function
    return remembering(function, forgets=isinstance(most, int) and most < MOST_KEPT and takes_any(function))


def _getter(name: str, one: Callable[[Interpreter, Value, Value, Call], Value]) -> Handler:
    """``itemgetter`` and ``attrgetter``."""

    def handler(it: Interpreter, call: Call) -> Value:
        keys = call.positional

        def get(it: Interpreter, again: Call) -> Value:
            if len(again.positional) != 1 or not keys or call.rest is not None:
                return taken(name, again.given(), "operator")
            found = [one(it, again.positional[0], key, again) for key in keys]
            return found[0] if len(found) == 1 else Items(found, "tuple")

        return Native(name, get)

    return handler


def _item(it: Interpreter, base: Value, key: Value, call: Call) -> Value:
    return item(it, base, key, call.node, call.frame)


def _attribute(it: Interpreter, base: Value, key: Value, call: Call) -> Value:
    name = text_of(key)
    if name is None:
        return taken("operator.attrgetter", [base, key], "operator")
    for part in name.split("."):
        base = it.attribute(base, part, it.place(call.node, call.frame))
    return base


def _getitem(it: Interpreter, call: Call) -> Value:
    return (
        _item(it, *call.positional, call)
        if len(call.positional) == 2 and call.rest is None
        else taken("operator.getitem", call.given(), "operator")
    )


def _operation(node: ast.operator) -> Handler:
    def handler(it: Interpreter, call: Call) -> Value:
        if len(call.positional) != 2 or call.rest is not None:
            return taken("operator", call.given(), "operator")
        return binary(node, *call.positional)

    return handler


def _namespace(it: Interpreter, call: Call) -> Value:
    """``SimpleNamespace(**values)``: its attributes are all that it was given."""
    made = Object("types.SimpleNamespace")
    made.attributes = dict[Key, Value](call.keywords.items())
    made.rest = call.rest if call.rest is not None else Opaque("a namespace of a mapping", package="types") if call.positional else None
    return made


def _namedtuple(it: Interpreter, call: Call) -> Value:
    """A class of tuples. What one of them is asked by place or name is told; it is no `Items`, whose items have no names."""
    name, listed = text_of(call.get("typename", 0)), call.get("field_names", 1)
    names = _field_names(listed)
    if name is None or names is None or call.rest is not None or call.keywords.keys() - {"typename", "field_names"}:
        return taken("collections.namedtuple", call.given(), "collections")

    def make(it: Interpreter, given: Call) -> Value:
        values = {**dict(zip(names, given.positional, strict=False)), **given.keywords}
        if given.rest is not None or set(values) != set(names) or len(given.positional) > len(names):
            return taken(name, given.given(), "collections")
        made = Object("collections.namedtuple")
        made.attributes = {one: values[one] for one in names}
        return made

    return Native(name, make)


def _field_names(listed: Value | None) -> list[str] | None:
    text = text_of(listed)
    if text is not None:
        return text.replace(",", " ").split()
    if not isinstance(listed, Items) or listed.more is not None:
        return None
    names = [text_of(one) for one in listed.items]
    return [one for one in names if one is not None] if None not in names else None


def _as_items(it: Interpreter, base: Value, call: Call) -> Value:
    return Items(list(base.attributes.values()) if isinstance(base, Object) else (), "tuple")


def _tuple_item(it: Interpreter, base: Value, call: Call) -> Value:
    return item(it, _as_items(it, base, call), call.positional[0], call.node, call.frame)


def _tuple_length(it: Interpreter, base: Value, call: Call) -> Value:
    return Known(len(base.attributes)) if isinstance(base, Object) else unknown("len", [base])


def _cast(it: Interpreter, call: Call) -> Value:
    value = call.get("val", 1)
    return taken("typing.cast", call.given()) if value is None else value


def _contextmanager(it: Interpreter, call: Call) -> Value:
    return _itself(it, call)


def _suppress(it: Interpreter, call: Call) -> Value:
    made = Object("contextlib.suppress")
    made.data = Items(call.positional, "tuple", call.rest)
    return made


def _nothing(it: Interpreter, call: Call) -> Value:
    return NONE


def _same_class(it: Interpreter, call: Call) -> Value:
    value = call.positional[0] if call.positional else None
    return value if isinstance(value, Class) else taken("a decorator", call.given(), "functools")


_BY_NODE = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mult",
    "truediv": "Div",
    "floordiv": "FloorDiv",
    "mod": "Mod",
    "pow": "Pow",
    "or_": "BitOr",
    "and_": "BitAnd",
}
_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge", "not_", "neg")


def _operators() -> dict[str, Handler]:
    made = {f"operator.{name}": _operation(getattr(ast, node)()) for name, node in _BY_NODE.items()}
    return made | {f"operator.{name}": exact(f"operator.{name}", getattr(operator, name), package="operator") for name in _COMPARED}


FUNCTIONS: dict[str, Handler] = {
    "functools.partial": _partial, "functools.wraps": _wraps, "functools.lru_cache": _cached, "functools.cache": _cached,
    "functools.total_ordering": _same_class,
    "functools.singledispatch": lambda it, call: taken("functools.singledispatch", call.given(), "functools"),
    "operator.itemgetter": _getter("operator.itemgetter", _item), "operator.attrgetter": _getter("operator.attrgetter", _attribute),
    "operator.getitem": _getitem, **_operators(), "types.SimpleNamespace": _namespace, "collections.namedtuple": _namedtuple,
    "typing.cast": _cast, "contextlib.contextmanager": _contextmanager, "contextlib.asynccontextmanager": _contextmanager,
    "contextlib.suppress": _suppress,
    "contextlib.nullcontext": lambda it, call: call.get("enter_result", 0) or NONE,
    "typing.overload": _itself, "typing.final": _itself, "typing.no_type_check": _itself, "typing.runtime_checkable": _itself,
    "abc.abstractmethod": _itself,
    "atexit.register": _itself, "enum.unique": _itself, "enum.auto": lambda it, call: Object("enum.auto"), "asyncio.run": _itself,
    "gc.collect": _nothing,
}  # fmt: skip
METHODS: dict[str, Method] = {
    "collections.namedtuple.__iter__": _as_items, "collections.namedtuple.__getitem__": _tuple_item,
    "collections.namedtuple.__len__": _tuple_length,
}  # fmt: skip
