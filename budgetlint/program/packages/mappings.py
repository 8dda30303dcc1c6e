"""Methods of ``dict``, and of mappings that stand for one: ``os.environ``, a tree of a config file."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives, choice, key_of, origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.iterate import key_value
from budgetlint.program.objects import Handler
from budgetlint.program.packages.iterators import is_iterator
from budgetlint.program.packages.plain import Method, spread, taken
from budgetlint.program.packages.sequences import items_of
from budgetlint.program.packages.variables import ENVIRONMENT, unset
from budgetlint.program.packages.views import present, view
from budgetlint.program.places import Origin
from budgetlint.program.pour import pour
from budgetlint.program.reads import whole
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, NONE, Absent, Choice, Items, Key, Known, Map, Opaque, Value, Way
from budgetlint.program.words_asked import looked_up

_MISSING = "???"
"""Of OmegaConf: what is asked for with a default is that."""


def found_in(it: Interpreter, base: Map, key: Value) -> Value:
    """What stands at a key, a way of it ABSENT where it may be missing."""
    asked = key_of(key)
    if isinstance(asked, Absent):
        whole(it, base)
        return (
            ABSENT
            if base.rest is None and not base.items
            else choice([Way("", taken("a value of a key that is not known", [key, base])), Way("", ABSENT)])
        )
    if base.root is not None and base.items.get(asked) == Known(_MISSING):
        return ABSENT
    value = it.parts.node(it, base, asked)
    if base.rest is not None and perhaps_absent(base.items.get(asked, ABSENT)):
        return choice([*alternatives(value), Way("", ABSENT)])
    return value


def or_default(value: Value, default: Value) -> Value:
    """The value, the default on the ways on which there is none."""
    if not perhaps_absent(value):
        return value
    return choice(way if not isinstance(way.value, Absent) else Way(way.when, default) for way in alternatives(value))


def _get(it: Interpreter, base: Value, call: Call) -> Value:
    key, default = call.get("key", 0), call.get("default", 1)
    assert isinstance(base, Map)
    if key is None or call.rest is not None:
        return taken("get", [base, *call.given()])

    def one(asked: Value) -> Value:
        if base.loader == ENVIRONMENT:
            return unset(it, base, asked, default, call)
        looked_up(it, asked, base, it.place(call.node, call.frame))
        return or_default(found_in(it, base, asked), NONE if default is None else default)

    return it.each(key, one)


def _pop(it: Interpreter, base: Value, call: Call) -> Value:
    key, default = call.get("key", 0), call.get("default", 1)
    assert isinstance(base, Map)
    if key is None or call.rest is not None or isinstance(key, Choice):
        it.may_fail()
        _perhaps_taken(it, base, list(base.items))
        return taken("pop", [base, *call.given()])
    asked = key_of(key)
    if default is None and (isinstance(asked, Absent) or perhaps_absent(base.items.get(asked, ABSENT))):
        it.may_fail()
    value = unset(it, base, key, default, call) if base.loader == ENVIRONMENT and default is not None else found_in(it, base, key)
    if isinstance(asked, Absent):
        _perhaps_taken(it, base, list(base.items))
    elif asked in base.items:
        it.heap.write(base, asked, ABSENT)
    return _taken(value, default)


def _taken(value: Value, default: Value | None) -> Value:
    if default is not None:
        return or_default(value, default)
    if isinstance(value, Absent):
        raise Dead
    return present(value)


def _perhaps_taken(it: Interpreter, base: Map, keys: Sequence[Key]) -> None:
    """Nobody knows which of these is gone."""
    for key in keys:
        it.heap.write(base, key, choice([*alternatives(base.items[key]), Way("", ABSENT)]))


def _popitem(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Map)
    if base.rest is None and not base.items:
        raise Dead
    last = next(reversed(base.items), None)
    if base.rest is not None or call.given() or last is None or perhaps_absent(base.items[last]):
        it.may_fail()
        _perhaps_taken(it, base, list(base.items))
        return taken("popitem", [base])
    value = base.items[last]
    it.heap.write(base, last, ABSENT)
    return Items((key_value(last), value), "tuple")


def _setdefault(it: Interpreter, base: Value, call: Call) -> Value:
    key, default = call.get("key", 0), call.get("default", 1)
    assert isinstance(base, Map)
    asked = ABSENT if key is None else key_of(key)
    if key is None or isinstance(asked, Absent) or call.rest is not None:
        it.heap.write(base, None, taken("setdefault", call.given()), "rest")
        return taken("setdefault", [base, *call.given()])
    if base.loader == ENVIRONMENT:
        value = unset(it, base, key, default, call)
    else:
        value = or_default(found_in(it, base, key), NONE if default is None else default)
    if perhaps_absent(base.items.get(asked, ABSENT)):
        it.heap.write(base, asked, value)
    return value


def _update(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Map)
    for one in call.positional:
        merge(it, one, base, call)
    for name, value in call.keywords.items():
        it.heap.write(base, name, or_default(value, base.items.get(name, ABSENT)))
    if call.rest is not None:
        pour(it, Map({}, call.rest), base)
    return NONE


def merge(it: Interpreter, source: Value, into: Map, call: Call) -> None:
    """Sets what a mapping has, or pairs."""
    if not isinstance(source, Items) and not is_iterator(source):
        pour(it, _own(source), into)
        return
    items, more = items_of(it, source, call)
    for one in items:
        pair = one.items if isinstance(one, Items) and one.more is None and len(one.items) == 2 else None
        key = ABSENT if pair is None else key_of(pair[0])
        if pair is None or isinstance(key, Absent):
            pour(it, Map({}, taken("a key", [one])), into)
        else:
            it.heap.write(into, key, pair[1])
    if more is not None:
        pour(it, Map({}, more), into)


def _own(source: Value) -> Value:
    """Of ``os.environ`` the rest is not one value."""
    if isinstance(source, Map) and source.loader == ENVIRONMENT:
        return Map(dict(source.items), Opaque("a variable of the environment"))
    return source


def _clear(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Map)
    for key in list(base.items):
        it.heap.write(base, key, ABSENT)
    it.heap.write(base, None, ABSENT, "rest")
    return NONE


def _copy(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Map)
    return copied(base)


def copied(base: Map) -> Map:
    """A new dict of the same values."""
    made = Map(dict(base.items), base.rest, base.origins)
    made.loader, made.path, made.root = base.loader, base.path, base.root
    return made


def _dict(it: Interpreter, call: Call) -> Value:
    if len(call.positional) > 1:
        raise Dead

    def made(values: list[Value]) -> Value:
        new = Map(None, None, (Origin("source", it.place(call.node, call.frame)),) if not values else origins_of(values))
        _update(it, new, call._replace(positional=tuple(values)))
        return new

    return spread(it, call.positional, made, "dict")


def _fromkeys(it: Interpreter, call: Call) -> Value:
    keys, value = call.get("", 0), call.get("", 1)
    if keys is None or call.rest is not None or len(alternatives(keys)) > 1:
        return Map({}, taken("dict.fromkeys", call.given()))
    items, more = items_of(it, keys, call)
    made = Map({}, more)
    for one in items:
        key = key_of(one)
        if isinstance(key, Absent):
            made.rest = taken("a key", [one])
        else:
            made.items[key] = NONE if value is None else value
    return made


def _defaultdict(it: Interpreter, call: Call) -> Value:
    """A missing key is made when it is asked for: it is never an error."""
    made = Map({}, Opaque("what a defaultdict makes for a missing key", package="collections"))
    for one in call.positional[1:]:
        merge(it, one, made, call)
    return made


def _move_to_end(it: Interpreter, base: Value, call: Call) -> Value:
    assert isinstance(base, Map)
    key = key_of(call.positional[0]) if len(call.positional) == 1 else ABSENT
    value = base.items.get(key, ABSENT) if not isinstance(key, Absent) else ABSENT
    if not call.keywords and not isinstance(key, Absent) and not perhaps_absent(value):
        it.heap.write(base, key, ABSENT)
        it.heap.write(base, key, value)
    else:  # the order is not known: what there is, is
        _perhaps_taken(it, base, list(base.items))
    return NONE


_DICT: dict[str, Method] = {
    "get": _get, "pop": _pop, "popitem": _popitem, "setdefault": _setdefault, "update": _update, "clear": _clear, "copy": _copy,
    "keys": view("dict_keys"), "values": view("dict_values"), "items": view("dict_items"), "move_to_end": _move_to_end,
}  # fmt: skip


def _of_maps(method: Method, name: str) -> Method:
    """A method of a dict; of an object of a class that the program built on ``dict``, whose content is not followed, anything."""

    def of(it: Interpreter, base: Value, call: Call) -> Value:
        return method(it, base, call) if isinstance(base, Map) else taken(name, [base, *call.given()])

    return of


METHODS: dict[str, Method] = {f"dict.{name}": _of_maps(method, name) for name, method in _DICT.items()}
FUNCTIONS: dict[str, Handler] = {
    "dict": _dict, "dict.fromkeys": _fromkeys, "collections.OrderedDict": _dict, "collections.defaultdict": _defaultdict,
}  # fmt: skip
