"""Values of configs and flags that Python refuses where they arrive: a text compared or reckoned with a number, a text that is none to
`int`, a word that a table of the program does not have, an argument of a function that a section does not give.

Told and read on, as in `misfits`: only where nothing could keep the program from it, and where somebody outside of the program gave the
value.
"""

from __future__ import annotations

import ast
import re

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.misfits import OUTSIDE, is_sure, origin_of
from budgetlint.program.noted import TrueText
from budgetlint.program.packages.parsers.options import refused
from budgetlint.program.places import Place
from budgetlint.program.registries import is_registry
from budgetlint.program.sinks import Sink
from budgetlint.program.state import Interpreter
from budgetlint.program.values import External, Known, Map, Opaque, Open, Value
from budgetlint.program.wording import shown

FAILS, UNGIVEN = "fails", "ungiven"
_PLAIN = (str, int, float, bool, type(None))
_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SCALARS = {"int": int, "float": float}
_NO_DTYPES = frozenset({"auto", "bf16", "fp16", "fp32", "fp64", "fp8"})
"""What people write for a dtype and torch 2.13 has no attribute of (``dir(torch)``)."""
_HYPERPARAMETERS = ("lr", "weight_decay", "eps", "momentum")
"""torch 2.13 ``optim/adam.py``, ``sgd.py``, ``adagrad.py``, ``rmsprop.py`` __init__ compare each of these with 0: ``if not 0.0 <= lr``."""


def fails(it: Interpreter, node: ast.AST, frame: Frame, error: str, *values: Value) -> Value | None:
    """What an expression is that surely ends in an error of Python's, told and read on; None where it is not told."""
    given = [one for one in values if isinstance(one, Known) and isinstance(one.value, _PLAIN)]
    blamed = next((one for one in given if origin_of(one) is not None), None)
    if len(given) < len(values) or blamed is None or not is_sure(it, error):
        return None
    place, meant = it.place(node, frame), _meant(blamed)
    because = tuple(one for one in origins_of(given) if one.kind in OUTSIDE)
    if not any(one.place == place and one.kind == FAILS for one in it.refusals):
        refused(it, place, f"{error} in '{shown(node)}', where {_told(blamed)}", because, error, FAILS, (meant,) if meant else ())
    return Opaque(f"an error in {shown(node)}", origins=because)


def _told(value: Known) -> str:
    origin = origin_of(value)
    name = origin.key if origin is not None else "a value"
    what = "is empty" if value.value is None else f"is the text {value.value!r}" if isinstance(value.value, str) else f"is {value.value!r}"
    return f"{name or 'a value'} {what}"


def _meant(value: Known) -> str:
    """The number that YAML 1.1 reads where a text without a point, or without a sign behind the e, stands (PyYAML 6 ``resolver.py``)."""
    text = value.value if isinstance(value.value, str) else ""
    origin = origin_of(value)
    if origin is None or origin.kind != "config" or not _NUMBER.fullmatch(text):
        return ""
    digits, _, power = text.lower().partition("e")
    return f"{digits if '.' in digits else digits + '.0'}e{power if power[0] in '+-' else '+' + power}"


def worked_out(it: Interpreter, node: ast.BinOp, left: Value, right: Value, frame: Frame, end: Dead) -> Value:
    """Arithmetic that Python refuses."""
    found = fails(it, node, frame, _name(end), left, right)
    if found is None:
        raise end
    return found


def compared(it: Interpreter, op: ast.cmpop, left: Value, right: Value, node: ast.AST, frame: Frame) -> Value | None:
    """An order of a text and a number, or of nothing: TypeError."""
    if not isinstance(op, _ORDERED) or not isinstance(left, Known) or not isinstance(right, Known):
        return None
    kinds = {_kind(left.value), _kind(right.value)}
    return fails(it, node, frame, "TypeError", left, right) if "" not in kinds and (len(kinds) > 1 or kinds == {"nothing"}) else None


def _kind(value: object) -> str:
    return "text" if isinstance(value, str) else "number" if isinstance(value, int | float) else "nothing" if value is None else ""


def converted(it: Interpreter, function: Value, call: Call) -> Value | None:
    """``int(text)`` of a text that is no whole number, ``float(None)``."""
    name = function.name.removeprefix("builtins.") if isinstance(function, External) else ""
    if name not in _SCALARS or len(call.positional) != 1 or call.keywords or call.rest is not None:
        return None
    value = call.positional[0]
    if not isinstance(value, Known) or not isinstance(value.value, _PLAIN) or len(str(value.value)) > 100:
        return None
    try:
        _SCALARS[name](value.value)
    except (TypeError, ValueError, OverflowError) as error:
        return fails(it, call.node, call.frame, type(error).__name__, value)
    return None


def not_in_table(it: Interpreter, base: Map, key: Known, node: ast.AST, frame: Frame) -> Value | None:
    """``DTYPES[args.dtype]``: a table that the source writes, and that nothing fills beside it."""
    is_written = any(one.kind == "source" and isinstance(one.place.node, ast.Dict) for one in base.origins)
    if not is_written or base.rest is not None or key.value in base.items or is_registry(it, base):
        return None
    return fails(it, node, frame, "KeyError", key)


def no_dtype(it: Interpreter, base: Value, name: Value, call: Call) -> Value | None:
    """``getattr(torch, args.dtype)`` of a word that torch does not have."""
    if not isinstance(base, External) or base.name != "torch" or not isinstance(name, Known) or name.value not in _NO_DTYPES:
        return None
    return fails(it, call.node, call.frame, "AttributeError", name)


def text_for_a_number(it: Interpreter, made: Sink, call: Call) -> None:
    """An optimizer of torch's compares each of its numbers with 0 when it is made."""
    if made.name.startswith("torch.optim."):
        for name in _HYPERPARAMETERS:
            value = made.arguments.get(name)
            if isinstance(value, Known) and isinstance(value.value, str):
                fails(it, call.node, call.frame, "TypeError", value)


def ungiven(it: Interpreter, call: Call, name: str, called: str) -> Value:
    """A parameter without a default that a call of `**section` does not give. Ends the way where it is not told."""
    written = {one.arg for one in call.node.keywords} if isinstance(call.node, ast.Call) else set()
    spread = [one for key, one in call.keywords.items() if key not in written and not perhaps_absent(one)]
    home = next((origin for one in spread if (origin := origin_of(one)) is not None), None)
    if home is None or not is_sure(it, "TypeError"):
        raise Dead("TypeError")
    refused(it, it.place(call.node, call.frame), f"{called}.{name}", (home,), "TypeError", UNGIVEN)
    return Open("field", name, (home,))


_NO = ("false", "no", "off")


def taken_for_true(it: Interpreter, value: Value, place: Place, *, converts: bool = False) -> None:
    """A text of a flag or a config that says no, and is asked for whether it is true. ``converts``: it becomes a bool; else ``no`` may be a
    word of its own (``eval_strategy="no"``), which is only asked for whether it is there."""
    words = _NO if converts else _NO[:1]
    if (
        not isinstance(value, Known)
        or not isinstance(value.value, str)
        or value.value.lower() not in words
        or any(one is not None for one in it.blind)
    ):
        return
    origin = origin_of(value)
    if origin is not None and all(one.origin != origin for one in it.true_texts):
        it.true_texts.append(TrueText(value.value, origin, place))


def _name(end: Dead) -> str:
    return end.error.name.removeprefix("builtins.") if isinstance(end.error, External) else ""
