"""Rows cut out of one long array at random: ``torch.stack([data[i:i + length] for i in torch.randint(last, (rows,))])``.

Written down as a sink of kind ``window`` with ``rows`` and ``length``, each only where it is known; nothing is, where the rows are worked
at after they are cut, or some are left out. Source: torch 2.4 to 2.13 ``_torch_docs.py`` randint (``low=0, high, size``), stack.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from budgetlint.program.calling import Call, Frame
from budgetlint.program.foreign import harmless
from budgetlint.program.objects import Handler, Object
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Items, Known, Opaque, Value

_DRAWN = "torch.randint()"
_MAKES = frozenset({"from_numpy", "tensor", "as_tensor", "LongTensor", "array", "asarray"})
"""Functions that make a tensor or an array of a window and leave its length."""
_KEEPS = frozenset({"astype", "long", "to", "clone", "copy"})
"""Methods that give it another dtype or place."""


def _drawn(it: Interpreter, call: Call) -> Value:
    size = call.get("size") or next((one for one in call.positional if isinstance(one, Items)), None)
    count = size.items[0] if isinstance(size, Items) and size.more is None and len(size.items) == 1 else None
    if count is None:
        return harmless(it, "torch.randint", call, None)
    made = Object(_DRAWN)
    made.attributes = {"rows": count}
    return made


def _stacked(it: Interpreter, call: Call) -> Value:
    found = _windows(it, call)
    if found:
        it.sink("window", "torch.stack", call._replace(positional=(), keywords=found))
    return harmless(it, "torch.stack", call, None)


def _windows(it: Interpreter, call: Call) -> dict[str, Value]:
    """``rows`` and ``length`` of what is stacked; empty where these are no windows."""
    node = call.node.args[0] if isinstance(call.node, ast.Call) and len(call.node.args) == 1 else None
    if not isinstance(node, ast.ListComp) or len(node.generators) != 1:
        return {}
    over = node.generators[0]
    cut = _cut(node.elt)
    if over.ifs or over.is_async or not isinstance(over.target, ast.Name) or cut is None:
        return {}
    drawn = it.evaluate(over.iter, call.frame)
    if not isinstance(drawn, Object) or drawn.kind != _DRAWN:
        return {}
    return {"rows": drawn.attributes["rows"], "length": _width(it, cut, over.target.id, call.frame)}


def _cut(node: ast.expr) -> ast.Slice | None:
    """The one slice of an array that an expression makes a row of."""
    while isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Attribute):
            return None
        function = node.func
        if function.attr in _MAKES and node.args:
            node = node.args[0]
        elif function.attr in _KEEPS:
            node = function.value
        else:
            return None
    cut = node.slice if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute) else None
    return cut if isinstance(cut, ast.Slice) and cut.lower and cut.upper and cut.step is None else None


def _width(it: Interpreter, cut: ast.Slice, name: str, frame: Frame) -> Value:
    """``upper - lower``, where each is a sum and what is left of the difference is known."""
    assert cut.lower is not None and cut.upper is not None
    lower, upper = Counter[str](), Counter[str]()
    nodes: dict[str, ast.expr] = {}
    for side, node in ((lower, cut.lower), (upper, cut.upper)):
        for part in _summands(node):
            nodes[ast.dump(part)] = part
            side[ast.dump(part)] += 1
    total = 0
    for text, sign in [*((one, 1) for one in (upper - lower).elements()), *((one, -1) for one in (lower - upper).elements())]:
        if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(nodes[text])):
            return Opaque("the length of a window")
        value = it.evaluate(nodes[text], frame)
        if not isinstance(value, Known) or type(value.value) is not int:
            return Opaque("the length of a window")
        total += sign * value.value
    return Known(total) if total > 0 else Opaque("the length of a window")


def _summands(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node


FUNCTIONS: dict[str, Handler] = {"torch.randint": _drawn, "torch.stack": _stacked}
