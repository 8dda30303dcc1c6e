"""Python's own functions of scalars and of size: ``len``, ``int``, ``str``, ``round`` … Source: library reference, "Built-in Functions"."""

from __future__ import annotations

import builtins
from pathlib import PurePosixPath

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead, Exits
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Class, Function, Handler, Native, Object
from budgetlint.program.packages.iterators import is_iterator
from budgetlint.program.packages.plain import LONGEST, MOST_BITS, computed, dunder, exact, plain, unknown
from budgetlint.program.packages.roots import MARK
from budgetlint.program.state import Interpreter
from budgetlint.program.truth import truth
from budgetlint.program.value_errors import taken_for_true
from budgetlint.program.values import FALSE, NONE, TRUE, Copied, Ending, External, Items, Known, Map, Opaque, Open, Value

_MOST_DIGITS = 400
SCALARS = {"str": str, "bytes": bytes, "int": int, "float": float, "complex": complex, "bool": bool}


def one_argument(it: Interpreter, call: Call, what: str) -> Value | None:
    """The argument of a function that takes one, without a name; None where it is not known which it is."""
    if call.rest is not None or call.keywords or len(call.positional) > 1:
        return None
    return call.positional[0] if call.positional else None


def _len(it: Interpreter, call: Call) -> Value:
    value = one_argument(it, call, "len")
    return unknown("len", call.given()) if value is None else it.each(value, lambda one: _length(it, one, call))


def _length(it: Interpreter, value: Value, call: Call) -> Value:
    match value:
        case Items():
            count = size(value)
            return unknown("len", [value]) if count is None else Known(count, value.origins)
        case Map() if value.rest is None and not any(map(perhaps_absent, value.items.values())):
            return Known(len(value.items), value.origins)
        case Known(value=str() | bytes() as text) if not (isinstance(text, str) and MARK in text):
            return Known(len(text), value.origins)
        case Known(value=str()):
            return unknown("len", [value])
        case Known() | Function() | Native():
            raise Dead
        case Object() if is_iterator(value):
            raise Dead
        case Object():
            found = dunder(it, value, "__len__", call)
            handler = it.parts.methods.get(f"{value.kind}.__len__")
            found = handler(it, value, call) if found is None and handler is not None else found
            return unknown("len", [value]) if found is None else found
    return unknown("len", [value])


def size(value: Items) -> int | None:
    """How many items there are; those of a set that are equal are one."""
    if value.more is not None or any(map(perhaps_absent, value.items)):
        return None
    if value.kind not in ("set", "frozenset") or len(value.items) < 2:
        return len(value.items)
    try:
        return len({plain(one) for one in value.items})
    except Exception:
        return None


def _str(it: Interpreter, call: Call) -> Value:
    if not call.given():
        return Known("")
    value = one_argument(it, call, "str")
    if value is None:
        return computed(it, "str", str, call)
    return it.each(value, lambda one: text_of(it, one, call))


def text_of(it: Interpreter, value: Value, call: Call) -> Value:
    """``str(value)``, also of a path and of a text that names the project's folder."""
    if isinstance(value, Known) and isinstance(value.value, str | PurePosixPath):
        return Known(str(value.value), value.origins)
    if isinstance(value, Ending | Copied):
        return value
    if isinstance(value, Items) and value.kind in ("set", "frozenset") and len(value.items) > 1:
        return unknown("str", [value])  # in no order that is known
    found = dunder(it, value, "__str__", call)
    return found if found is not None else computed(it, "str", str, call._replace(positional=(value,)), small=_printable)


def _printable(*given: object) -> bool:
    return not (given and isinstance(given[0], list | tuple | dict | set | frozenset) and _holds_sets(given[0], 0))


def _holds_sets(value: object, depth: int) -> bool:
    if isinstance(value, set | frozenset):
        return len(value) > 1
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(_holds_sets(one, depth + 1) for one in inner)


def _bool(it: Interpreter, call: Call) -> Value:
    if not call.given():
        return FALSE
    value = one_argument(it, call, "bool")
    return unknown("bool", call.given()) if value is None else it.each(value, lambda one: held(it, one, call))


def held(it: Interpreter, value: Value, call: Call) -> Value:
    """``bool(value)``."""
    if is_iterator(value):
        return TRUE
    for name in ("__bool__", "__len__"):
        found = dunder(it, value, name, call)
        if found is not None:
            return found if name == "__bool__" else _bool(it, call._replace(positional=(found,)))
    taken_for_true(it, value, it.place(call.node, call.frame), converts=True)
    known = truth(value)
    return unknown("bool", [value]) if known is None else Known(known, value.origins)


def _converted(name: str) -> Handler:
    """``int``, ``float``: of an object by its own method, of a choice each way."""

    def handler(it: Interpreter, call: Call) -> Value:
        value = call.positional[0] if len(call.positional) == 1 and not call.keywords else None
        found = None if value is None else dunder(it, value, f"__{name}__", call)
        return found if found is not None else computed(it, name, SCALARS[name], call)

    return handler


def _few_digits(value: object, digits: object = None) -> bool:
    return not isinstance(digits, int) or abs(digits) <= _MOST_DIGITS


def _small_power(base: object, power: object, mod: object = None) -> bool:
    if isinstance(base, int) and isinstance(power, int):
        return abs(power) <= MOST_BITS and base.bit_length() * abs(power) <= 4 * MOST_BITS
    return True


def _few_bytes(*given: object, **_: object) -> bool:
    return not (given and isinstance(given[0], int) and given[0] > LONGEST)


def _narrow(value: object, spec: object = "") -> bool:
    return narrow(spec)


def narrow(spec: object) -> bool:
    """A format that asks for no more than a thousand characters."""
    digits = "".join(one if one.isdigit() else " " for one in str(spec)).split()
    return all(len(one) <= 3 for one in digits)


def _print(it: Interpreter, call: Call) -> Value:
    return NONE


def _exit(it: Interpreter, call: Call) -> Value:
    raise Exits


def _of_outside(what: str) -> Handler:
    def handler(it: Interpreter, call: Call) -> Value:
        return Opaque(what, package="builtins")

    return handler


def _input(it: Interpreter, call: Call) -> Value:
    return Open("word", "what is typed in")


def _callable(it: Interpreter, call: Call) -> Value:
    value = one_argument(it, call, "callable")
    return unknown("callable", call.given()) if value is None else it.each(value, _is_callable)


def _is_callable(value: Value) -> Value:
    if isinstance(value, Function | Class | Native):
        return TRUE
    if isinstance(value, Known | Items | Map):
        return FALSE
    if isinstance(value, Object) and value.cls is not None:
        if value.cls.find("__call__") is not None:
            return TRUE
        if not value.cls.kind:
            return FALSE
    if isinstance(value, External) and callable(getattr(builtins, value.name, None)):
        return TRUE
    return unknown("callable", [value])


FUNCTIONS: dict[str, Handler] = {
    "len": _len, "str": _str, "bool": _bool, "int": _converted("int"), "float": _converted("float"), "complex": exact("complex", complex),
    "bytes": exact("bytes", bytes, _few_bytes), "bytearray": _of_outside("a bytearray"), "abs": exact("abs", abs),
    "round": exact("round", round, _few_digits), "divmod": exact("divmod", divmod), "pow": exact("pow", pow, _small_power),
    "ord": exact("ord", ord), "chr": exact("chr", chr), "hex": exact("hex", hex), "oct": exact("oct", oct), "bin": exact("bin", bin),
    "repr": exact("repr", repr, _printable), "ascii": exact("ascii", ascii, _printable), "format": exact("format", format, _narrow),
    "print": _print, "exit": _exit, "quit": _exit, "input": _input, "callable": _callable, "breakpoint": _print,
    "id": _of_outside("an address"), "hash": _of_outside("a hash"), "memoryview": _of_outside("a memoryview"),
}  # fmt: skip
