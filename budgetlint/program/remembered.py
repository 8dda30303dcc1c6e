"""Functions under `functools.lru_cache`: what they gave once is given again for the same arguments, and their body is not run."""

from __future__ import annotations

from collections.abc import Callable

from budgetlint.program.calling import Call
from budgetlint.program.choices import key_of
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Function, Object
from budgetlint.program.state import Interpreter, Signal
from budgetlint.program.values import ABSENT, Absent, Key, Opaque, Value

Body = Callable[[Interpreter, Function, Call], Value]
MOST_KEPT = 128
"""What `lru_cache` keeps unless it is told otherwise (CPython ``functools.py``)."""


def remembering(function: Function, *, forgets: bool = False) -> Function:
    """The function with a memory of its own. ``forgets``: it keeps few answers, and nobody counts here which."""
    made = function.of(function.bound)
    made.memory = Object("functools.lru_cache")
    made.memory.data = "forgets" if forgets else None
    return made


def takes_any(function: Function) -> bool:
    """Does it take any argument?"""
    spec = function.node.args
    return bool(spec.posonlyargs or spec.args or spec.kwonlyargs or spec.vararg or spec.kwarg)


def remembered(it: Interpreter, function: Function, call: Call, body: Body) -> Value:
    """What it gave for these arguments; else what its body gives, which is kept. An error is not kept."""
    memory = function.memory
    assert memory is not None
    key, is_sure = _key(function, call)
    found = memory.attributes.get(key, ABSENT)
    forgets = memory.data is not None
    if not perhaps_absent(found) and not forgets:
        return found
    others = bool(memory.attributes) and not is_sure  # what is not known may be what was asked for before
    if others or (forgets and memory.attributes) or found is not ABSENT or memory.rest is not None or len(memory.attributes) >= MOST_KEPT:
        value = _perhaps(it, function, lambda: body(it, function, call))
    else:
        value = body(it, function, call)
    it.heap.write(memory, key, value)
    if not is_sure:
        it.heap.write(memory, None, Opaque(f"{function.name} was asked with what is not known"), "rest")
    return value


def _perhaps(it: Interpreter, function: Function, run: Callable[[], Value]) -> Value:
    """Its body is run only where it was not asked so before."""
    kept = Opaque(f"{function.name} may have been asked before")
    ways: list[tuple[str, Callable[[], Signal]]] = [
        ("it was asked before", lambda: ("return", kept)),
        ("it is asked for the first time", lambda: ("return", run())),
    ]
    return it.value_of(it.fork(ways))


def _key(function: Function, call: Call) -> tuple[Key, bool]:
    """What it is asked with, and whether another key is surely something else."""
    given = [*([function.bound] if function.bound is not None else []), *call.positional]
    positional = tuple(map(_of, given))
    keywords = tuple((name, *_of(value)) for name, value in sorted(call.keywords.items()))
    is_sure = call.rest is None and all(sure for _, sure in positional) and all(sure for _, _, sure in keywords)
    return (tuple(key for key, _ in positional), tuple((name, key) for name, key, _ in keywords), call.rest), is_sure


def _of(value: Value) -> tuple[Key, bool]:
    """An object is itself, unless its class says when two are equal; what is not known is at least itself."""
    key = key_of(value)
    if not isinstance(key, Absent):  # ``1`` and ``1.0`` are one key or two, by how many arguments there are (CPython ``_make_key``)
        return (type(key).__name__, key), not isinstance(key, bool | float | tuple)
    is_plain = isinstance(value, Object) and value.cls is not None and not value.cls.kind and value.cls.find("__eq__") is None
    return value, is_plain and not value.cls.decorators  # type: ignore[attr-defined]
