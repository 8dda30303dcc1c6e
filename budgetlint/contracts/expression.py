"""Conditions over the fields of a class: a small language, and what one comes to where some fields are not known.

A condition is an expression in Python's notation, of names of fields (``save_steps``, ``fsdp_config.xla``), constants, the operators of
`_BINARY` and `_COMPARED`, ``and or not``, ``a if b else c``, ``any(… for x in field)`` and the functions of `FUNCTIONS`. It is parsed
to a tree and walked; nothing of it is compiled or run. Where a field is not known the answer is `UNKNOWN`, except where the known half
of an ``and`` or an ``or`` decides. What Python would answer with an exception (``None < 1``) is `UNKNOWN` too.
"""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from budgetlint.contracts.names import dotted

MOST_STEPS = 2_000
"""Nodes that one condition may be walked over; those of the tables have at most 300."""
LONGEST_TEXT = 10_000
"""Characters or items of a value that a condition looks at."""


class Unknown:
    """The one answer that is neither a value nor its absence."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()

Lookup = Callable[[str], Any]
"""The value of a field by its dotted name: a plain value, None, or `UNKNOWN`."""

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}

_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}

_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    "list": (list,),
    "tuple": (tuple,),
    "dict": (dict,),
    "set": (set, frozenset),
}


def _isinstance(value: Any, *names: str) -> bool:
    """``torch.dtype``: a plain value is of no class of a package."""
    return isinstance(value, tuple(kind for name in names for kind in (() if "." in name else _TYPES[name])))


def _is_json(text: str) -> bool:
    """Would ``json.loads`` take it? A text that a shell may still change is not judged."""
    if "$" in text or "\\" in text:
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:
        return True
    return True


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "len": len,
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "abs": abs,
    "sum": sum,
    "min": min,
    "max": max,
    "set": lambda value=(): frozenset(value),
    "sorted": sorted,
    "isinstance": _isinstance,
    "lower": lambda text: text.lower(),
    "upper": lambda text: text.upper(),
    "strip": lambda text: text.strip(),
    "split": lambda text, by=None: text.split(by),
    "startswith": lambda text, *parts: text.startswith(tuple(parts)),
    "endswith": lambda text, *parts: text.endswith(tuple(parts)),
    "get": lambda mapping, key, default=None: mapping.get(key, default),
    "keys": lambda mapping: list(mapping.keys()),
    "values": lambda mapping: list(mapping.values()),
    "is_json": _is_json,
    "subset": lambda a, b: frozenset(a) <= frozenset(b),
}
"""What may be called, beside ``any``, ``all`` and ``release('torch', '2.6')``: is it that release or a newer one? ``isinstance(x, 'int',
'float')`` names types; ``get(x, 'k')`` is ``x.get("k")``."""


class _Stopped(Exception):
    pass


def parse(text: str) -> ast.expr:
    """The tree of a condition."""
    return ast.parse(text, mode="eval").body


def evaluate(tree: ast.expr, lookup: Lookup) -> Any:
    """What a condition comes to: a value or `UNKNOWN`."""
    try:
        return _Walk(lookup).value(tree)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, _Stopped):
        return UNKNOWN


def holds(tree: ast.expr, lookup: Lookup) -> bool | None:
    """Does it hold? None where that is not known."""
    value = evaluate(tree, lookup)
    return None if value is UNKNOWN else bool(value)


class _Walk:
    """One walk over one condition."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self.bound: dict[str, Any] = {}
        self.steps = 0

    def value(self, node: ast.expr) -> Any:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise _Stopped
        return _NODES[type(node)](self, node)

    def name(self, node: ast.Name | ast.Attribute) -> Any:
        name = dotted(node)
        if name is None:
            raise _Stopped
        return self.bound[name] if name in self.bound else _short(self.lookup(name))

    def boolean(self, node: ast.BoolOp) -> Any:
        """As Python's, and decided by a known half where the other is not known."""
        decides, unknown, value = isinstance(node.op, ast.Or), False, UNKNOWN
        for one in node.values:
            value = self.guarded(one)
            if value is UNKNOWN:
                unknown = True
            elif bool(value) is decides:
                return value
        return UNKNOWN if unknown else value

    def guarded(self, node: ast.expr) -> Any:
        """One half: what raises is not known, so that the other half can decide."""
        try:
            return self.value(node)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError):
            return UNKNOWN

    def negated(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if value is UNKNOWN:
            return UNKNOWN
        return not value if isinstance(node.op, ast.Not) else -value

    def compared(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        for operation, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            if left is UNKNOWN or right is UNKNOWN:
                return UNKNOWN
            if not _COMPARED[type(operation)](left, right):
                return False
            left = right
        return True

    def calculated(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        if isinstance(node.op, ast.Mult) and not (_is_number(left) and _is_number(right)):
            raise _Stopped  # a text times a number could be as long as one likes
        return _BINARY[type(node.op)](left, right)

    def chosen(self, node: ast.IfExp) -> Any:
        test = self.value(node.test)
        if test is not UNKNOWN:
            return self.value(node.body if test else node.orelse)
        one, other = self.guarded(node.body), self.guarded(node.orelse)
        return one if one is not UNKNOWN and type(one) is type(other) and one == other else UNKNOWN

    def called(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("any", "all"):
            return self.quantified(node, name == "any")
        given = [self.value(one) for one in node.args]
        if name == "release":
            return self.lookup(f"env.release {given[0]} {given[1]}")
        if any(one is UNKNOWN for one in given):
            return UNKNOWN
        return FUNCTIONS[name](*given)

    def quantified(self, node: ast.Call, decides: bool) -> Any:
        inside = node.args[0]
        if not isinstance(inside, ast.GeneratorExp):
            items = self.value(inside)
            return UNKNOWN if items is UNKNOWN or UNKNOWN in items else (any(items) if decides else all(items))
        unknown = False
        for value in self.items(inside):
            if value is UNKNOWN:
                unknown = True
            elif bool(value) is decides:
                return decides
        return UNKNOWN if unknown else not decides

    def listed(self, node: ast.ListComp) -> Any:
        found = list(self.items(node))
        return UNKNOWN if UNKNOWN in found else found

    def items(self, node: ast.GeneratorExp | ast.ListComp) -> Iterator[Any]:
        """The element for each item; UNKNOWN for each that could be left out."""
        (loop,) = node.generators
        over = self.value(loop.iter)
        if over is UNKNOWN or not isinstance(loop.target, ast.Name):
            yield UNKNOWN
            return
        before = self.bound
        for item in over:
            self.bound = {**before, loop.target.id: item}
            kept = [self.guarded(one) for one in loop.ifs]
            if any(one is not UNKNOWN and not one for one in kept):
                continue
            yield UNKNOWN if UNKNOWN in kept else self.guarded(node.elt)
        self.bound = before

    def sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Any:
        found = [self.value(one) for one in node.elts]
        return UNKNOWN if any(one is UNKNOWN for one in found) else found

    def mapping(self, node: ast.Dict) -> Any:
        keys = [self.value(one) for one in node.keys if one is not None]
        values = [self.value(one) for one in node.values]
        return UNKNOWN if any(one is UNKNOWN for one in (*keys, *values)) else dict(zip(keys, values, strict=True))

    def item(self, node: ast.Subscript) -> Any:
        whole, key = self.value(node.value), self.value(node.slice)
        return UNKNOWN if whole is UNKNOWN or key is UNKNOWN else whole[key]


_NODES: Mapping[type[ast.expr], Callable[[_Walk, Any], Any]] = {
    ast.Constant: lambda _walk, node: node.value,
    ast.Name: _Walk.name,
    ast.Attribute: _Walk.name,
    ast.BoolOp: _Walk.boolean,
    ast.UnaryOp: _Walk.negated,
    ast.Compare: _Walk.compared,
    ast.BinOp: _Walk.calculated,
    ast.IfExp: _Walk.chosen,
    ast.Call: _Walk.called,
    ast.ListComp: _Walk.listed,
    ast.List: _Walk.sequence,
    ast.Tuple: _Walk.sequence,
    ast.Set: _Walk.sequence,
    ast.Dict: _Walk.mapping,
    ast.Subscript: _Walk.item,
}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _short(value: Any) -> Any:
    """Values of checked files may be of any length."""
    return UNKNOWN if isinstance(value, (str, Collection)) and len(value) > LONGEST_TEXT else value
