"""Conditions in words of our own, made from the condition and a table of phrases: never a framework's sentence.

``warmup_steps < 0`` is "warmup_steps is below 0", ``a and not b`` "a is on and b is off". A clause that no phrase is made for leaves the
whole without words; then the fields' values alone are told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.contracts.names import GIVEN, OPAQUE, dotted

LONGEST = 160
"""Characters of the clauses together; more is told by the values."""
MOST_CHOICES = 12
KINDS = {"str": "text", "dict": "mapping", "bool": "boolean", "int": "integer", "float": "number"}
"""Python's types as people call them."""


class _Wordless(Exception):
    pass


def clauses(tree: ast.expr) -> tuple[str, ...]:
    """What has to hold, a clause for each part; empty where a part has no words."""
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    try:
        said = tuple(dict.fromkeys(f"({_said(one)})" if len(parts) > 1 and _is_choice(one) else _said(one) for one in parts))
    except _Wordless:
        return ()
    return said if sum(map(len, said)) <= LONGEST else ()


def choices(tree: ast.expr, field: str = "") -> tuple[str, ...]:
    """The values that a field may have, where the condition is that it has none of a list; of any field where none is named."""
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    for one in parts:
        if (
            isinstance(one, ast.Compare)
            and isinstance(one.ops[0], ast.NotIn)
            and isinstance(one.comparators[0], ast.List)
            and dotted(_bare(one.left)) is not None
            and field in ("", (dotted(_bare(one.left)) or "").removeprefix(GIVEN))
        ):
            return tuple(shown(each.value) for each in one.comparators[0].elts if isinstance(each, ast.Constant))
    return ()


def _bare(node: ast.expr) -> ast.expr:
    """``upper(backend)`` is compared in capitals, and may be written in any case."""
    asked = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("upper", "lower") and len(node.args) == 1
    return node.args[0] if asked else node  # type: ignore[attr-defined]


def listed(words: Iterable[str], joint: str = "or", most: int = MOST_CHOICES) -> str:
    """``a, b or c``; a list of more than ``most`` is cut."""
    all_of = list(words)
    cut = all_of if len(all_of) <= most else [*all_of[:most], "…"]
    return cut[0] if len(cut) == 1 else f"{', '.join(cut[:-1])} {joint} {cut[-1]}" if cut else ""


def _is_choice(node: ast.expr) -> bool:
    return isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)


def _said(node: ast.expr) -> str:
    if isinstance(node, ast.BoolOp):
        return (" and " if isinstance(node.op, ast.And) else " or ").join(_said(one) for one in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _denied(node.operand)
    if isinstance(node, ast.Compare):
        return _compared(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _asked(node, node.func.id, "is", "starts")
    return f"{_name(node)} is on"


def _denied(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _asked(node, node.func.id, "is no", "does not start")
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        word = {ast.Gt: "not above", ast.GtE: "below", ast.Lt: "at least", ast.LtE: "above"}.get(type(node.ops[0]))
        if word:
            return f"{_value(node.left)} is {word} {_value(node.comparators[0])}"
        raise _Wordless
    return f"{_name(node)} is off or empty"


def _asked(node: ast.Call, function: str, is_word: str, starts: str) -> str:
    if function == "isinstance":
        kinds = [KINDS.get(one, one) for one in _texts(node.args[1:])]
        article = ("an " if kinds[0] == "integer" else "a ") if is_word == "is" else ""
        return f"{_name(node.args[0])} {is_word} {article}{listed(kinds)}"
    if function == "is_json":
        return f"{_name(node.args[0])} {is_word} JSON"
    if function == "release":
        package, version = _texts(node.args)
        return f"{package} is {version} or newer" if is_word == "is" else f"{package} is older than {version}"
    if function in ("startswith", "endswith"):
        verb = starts if function == "startswith" else starts.replace("start", "end")
        return f"{_name(node.args[0])} {verb} with {listed(_texts(node.args[1:]))}"
    raise _Wordless


def _texts(nodes: Iterable[ast.expr]) -> list[str]:
    return [str(one.value) for one in nodes if isinstance(one, ast.Constant)]


def _compared(node: ast.Compare) -> str:
    left, operation, right = node.left, node.ops[0], node.comparators[0]
    if len(node.ops) == 2 and isinstance(operation, (ast.Lt, ast.LtE)):
        return f"{_value(node.comparators[0])} is between {_value(left)} and {_value(node.comparators[1])}"
    if len(node.ops) > 1:
        raise _Wordless
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and isinstance(operation, ast.NotEq):
        return f"{_value(left.left)} is no multiple of {_value(left.right)}"
    if isinstance(left, ast.Constant) and isinstance(operation, (ast.In, ast.NotIn)):
        return f"{_name(right)} {'has' if isinstance(operation, ast.In) else 'has no'} {shown(left.value)}"
    subject = _value(left)
    if isinstance(right, ast.Constant) and right.value is None:
        return f"{subject} is {'set' if isinstance(operation, (ast.IsNot, ast.NotEq)) else 'not set'}"
    if isinstance(operation, (ast.In, ast.NotIn)):
        found = [_value(one) for one in right.elts] if isinstance(right, (ast.List, ast.Tuple, ast.Set)) else []
        if not found:
            raise _Wordless
        return f"{subject} is {'' if isinstance(operation, ast.In) else 'none of ' if len(found) > 1 else 'not '}{listed(found)}"
    word = {
        ast.Lt: "below",
        ast.LtE: "at most",
        ast.Gt: "above",
        ast.GtE: "at least",
        ast.Eq: "",
        ast.NotEq: "not",
        ast.Is: "",
        ast.IsNot: "not",
    }[type(operation)]
    return f"{subject} is {word + ' ' if word else ''}{_value(right)}"


def _name(node: ast.expr) -> str:
    name = dotted(node)
    if name is None:
        raise _Wordless
    if name == OPAQUE:
        raise _Wordless
    name = name.removeprefix(GIVEN)
    return name.removeprefix("env.").replace("world_size", "the number of processes") if name.startswith("env.") else name


def _value(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return shown(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add, ast.FloorDiv, ast.Div)):
        sign = {ast.Mult: "x", ast.Add: "+", ast.FloorDiv: "//", ast.Div: "/"}[type(node.op)]
        return f"{_value(node.left)} {sign} {_value(node.right)}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        return f"the length of {_value(node.args[0])}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return f"-{shown(node.operand.value)}"
    if isinstance(node, (ast.List, ast.Tuple)) and all(isinstance(one, ast.Constant) for one in node.elts):
        return listed(_texts(node.elts), "and") or "empty"
    return _name(_bare(node))


def kind_of(value: Any) -> str:
    """What a value is: ``integer``, ``list``."""
    return KINDS.get(type(value).__name__, type(value).__name__)


def shown(value: Any) -> str:
    """A value as people write it in a config."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if value == "":
        return "empty"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def fields_in(clause: str, names: Iterable[str]) -> Iterator[str]:
    """Which of the names a clause speaks of."""
    words = "".join(" " if letter in ".()" else letter for letter in clause).split()
    return (name for name in names if name in words)
