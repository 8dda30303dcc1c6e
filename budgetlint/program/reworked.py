"""Rows that a function makes anew after it asked the tokenizer: what that was told to keep to is not their length.

``batch["input_ids"] = self.filter_input_ids(ids, mask)`` (span corruption, packing of one's own) gives rows of another length than the
tokenizer's, and only the data and the function say which.
"""

from __future__ import annotations

import ast
import builtins

from budgetlint.program.calling import Call
from budgetlint.program.sinks import Sink
from budgetlint.program.values import Opaque

_IDS = "input_ids"
_OPEN = ("max_length", "padding")


def leave_open(made: Sink, call: Call) -> None:
    """What a call of a tokenizer says of the length, where the function around it makes other rows."""
    function = call.frame.function
    if function is None or not _reworks(function.node):
        return
    for name in _OPEN:
        if name in made.arguments:
            made.arguments[name] = Opaque("the function makes other rows of them")


def _reworks(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Assign) and any(map(_is_ids, one.targets)) and _is_own_call(one.value) for one in ast.walk(node))


def _is_ids(target: ast.expr) -> bool:
    if isinstance(target, ast.Attribute):
        return target.attr == _IDS
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and target.slice.value == _IDS


def _is_own_call(value: ast.expr) -> bool:
    """A call of a method of ``self``, or of a function by its plain name."""
    if not isinstance(value, ast.Call):
        return False
    called = value.func
    if isinstance(called, ast.Name):
        return not hasattr(builtins, called.id)
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "self"
