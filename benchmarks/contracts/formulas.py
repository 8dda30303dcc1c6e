"""Conditions as trees: put together, turned round, made shorter."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Mapping
from typing import Any

from budgetlint.contracts.names import OPAQUE

LARGEST = 400
"""Nodes of an expression; a larger one is opaque."""


def opaque(*_: object) -> ast.expr:
    return ast.Name(OPAQUE, ast.Load())


def is_opaque(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Name) and one.id == OPAQUE for one in ast.walk(node))


def constant(value: Any) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def literal(node: ast.AST) -> tuple[bool, Any]:
    """Is it a constant, and which?"""
    try:
        return True, ast.literal_eval(node)  # type: ignore[arg-type]
    except (ValueError, TypeError, SyntaxError, MemoryError):
        return False, None


def negate(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITE:
        return ast.Compare(node.left, [_OPPOSITE[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.Constant):
        return ast.Constant(not node.value)
    if isinstance(node, ast.BoolOp):
        other: ast.boolop = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        return ast.BoolOp(other, [negate(one) for one in node.values])
    return ast.UnaryOp(ast.Not(), node)


_OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
"""``<`` and ``>=`` are none: neither holds of a value that cannot be compared."""


def both(parts: Iterable[ast.expr]) -> ast.expr:
    """The parts joined by ``and``, each once, constants taken out. Two opaque parts are never known to contradict each other: what is not
    followed is not one thing."""
    kept: list[ast.expr] = []
    seen: set[str] = set()
    for part in _flat(parts, ast.And):
        if isinstance(part, ast.Constant):
            if part.value:
                continue
            return ast.Constant(False)
        text = ast.dump(part)
        if text not in seen:
            seen.add(text)
            kept.append(part)
    if any(ast.dump(negate(one)) in seen for one in kept if not is_opaque(one)):
        return ast.Constant(False)
    return ast.Constant(True) if not kept else kept[0] if len(kept) == 1 else ast.BoolOp(ast.And(), kept)


def either(parts: Iterable[ast.expr]) -> ast.expr:
    kept: list[ast.expr] = []
    seen: set[str] = set()
    for part in _flat(parts, ast.Or):
        if isinstance(part, ast.Constant):
            if not part.value:
                continue
            return ast.Constant(True)
        text = ast.dump(part)
        if text not in seen:
            seen.add(text)
            kept.append(part)
    return ast.Constant(False) if not kept else kept[0] if len(kept) == 1 else ast.BoolOp(ast.Or(), kept)


def _flat(parts: Iterable[ast.expr], kind: type[ast.boolop]) -> Iterable[ast.expr]:
    for part in parts:
        if isinstance(part, ast.BoolOp) and isinstance(part.op, kind):
            yield from _flat(part.values, kind)
        else:
            yield part


def choose(test: ast.expr, one: ast.expr, other: ast.expr) -> ast.expr:
    if ast.dump(one) == ast.dump(other):
        return one
    if isinstance(test, ast.Constant):
        return one if test.value else other
    if (
        isinstance(one, ast.Constant)
        and isinstance(other, ast.Constant)
        and {one.value, other.value} == {True, False}
        and isinstance(one.value, bool)
        and is_boolean(test)
    ):
        return test if one.value else negate(test)
    return ast.IfExp(test, one, other)


def truth(node: ast.expr) -> ast.expr:
    """What a value is as a test, where that is shorter: a list of what was found is not empty."""
    if isinstance(node, ast.List):
        return ast.Constant(bool(node.elts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [truth(node.left), truth(node.right)]
        return either(parts) if _is_list(node) else node
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and isinstance(node.left, ast.Call)
        and ast.unparse(node.left.func) == "set"
    ):
        return ast.UnaryOp(ast.Not(), ast.Call(ast.Name("subset", ast.Load()), [*node.left.args, node.right], []))
    if isinstance(node, ast.IfExp):
        body, orelse = truth(node.body), truth(node.orelse)
        if isinstance(body, ast.Constant) and isinstance(orelse, ast.Constant):
            return (
                ast.Constant(bool(body.value)) if bool(body.value) == bool(orelse.value) else node.test if body.value else negate(node.test)
            )
        if isinstance(orelse, ast.Constant) and not orelse.value:
            return both([truth(node.test), body])
    return node


def _is_list(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_list(node.left) and _is_list(node.right)
    return isinstance(node, ast.List) or (isinstance(node, ast.IfExp) and _is_list(node.body) and _is_list(node.orelse))


def is_boolean(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Compare)
        or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        or (isinstance(node, ast.BoolOp) and all(map(is_boolean, node.values)))
    )


def size(node: ast.AST) -> int:
    """Nodes of a tree, counted once for each tree: parts are shared between many."""
    known = getattr(node, "nodes_in_it", None)
    if known is None:
        known = 1 + sum(size(one) for one in ast.iter_child_nodes(node))
        node.nodes_in_it = known  # type: ignore[attr-defined]
    return known


def path_of(name: str) -> ast.expr:
    """The tree of a dotted name."""
    return ast.parse(name, mode="eval").body


def dotted(node: ast.AST) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else None


def folded(node: ast.expr) -> ast.expr:
    """A constant, where it is made of constants only."""
    from budgetlint.contracts.expression import UNKNOWN, evaluate
    from budgetlint.contracts.names import fields_of

    if is_opaque(node) or fields_of(node):
        return node
    value = evaluate(ast.fix_missing_locations(node), lambda _name: UNKNOWN)
    return node if value is UNKNOWN or not isinstance(value, (bool, int, float, str, list, type(None))) else constant(value)


class _Assume(ast.NodeTransformer):
    """Parts that are known to hold, or not to, put into the rest."""

    def __init__(self, facts: Mapping[str, bool]) -> None:
        self.facts = facts

    def visit(self, node: ast.AST) -> Any:
        known = self.facts.get(ast.dump(node)) if isinstance(node, ast.expr) else None
        return super().visit(node) if known is None else ast.Constant(known)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        parts = [self.visit(one) for one in node.values]
        if any(not is_boolean(one) and not isinstance(one, ast.Constant) for one in parts[:-1]):
            return ast.BoolOp(node.op, parts)
        return (both if isinstance(node.op, ast.And) else either)(parts)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return choose(self.visit(node.test), self.visit(node.body), self.visit(node.orelse))


def simplified(node: ast.expr) -> ast.expr:
    """The same condition, shorter: what one part of an ``and`` says is put into the parts behind it."""
    if not (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And)):
        return node
    facts: dict[str, bool] = {}
    parts: list[ast.expr] = []
    for part in node.values:
        told = _Assume(facts).visit(copy.deepcopy(part)) if facts else part
        parts.append(told)
        for one in told.values if isinstance(told, ast.BoolOp) and isinstance(told.op, ast.And) else [told]:
            if is_boolean(one):
                facts[ast.dump(one)] = True
                facts[ast.dump(negate(one))] = False
    return both(parts)


def hopeless(node: ast.expr) -> bool:
    """Can the condition never be known to hold? A part of it is opaque, and nothing written decides between that and another."""
    parts = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
    return any(is_opaque(one) and not any(isinstance(each, (ast.IfExp, ast.Or)) for each in ast.walk(one)) for one in parts)


def of_pattern(pattern: ast.pattern, subject: ast.expr) -> ast.expr | None:
    """``case pattern`` as a condition; None where it is not followed."""
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(subject, [ast.Eq()], [pattern.value])
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)])
    if isinstance(pattern, ast.MatchOr):
        parts = [of_pattern(one, subject) for one in pattern.patterns]
        return None if any(one is None for one in parts) else ast.BoolOp(ast.Or(), parts)  # type: ignore[arg-type]
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None:
        return ast.Constant(True)
    return None
