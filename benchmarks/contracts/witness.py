"""A config that a row picks, and one beside it that it does not: found by trying values of the fields the condition asks for."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from budgetlint.contracts.expression import UNKNOWN, evaluate
from budgetlint.contracts.names import GIVEN, OPAQUE, dotted, fields_of

from .fields import MISSING, Field, field_of

MOST_TRIES = 20_000
MOST_CHANGED = 5


def witness(tree: ast.expr, fields: Mapping[str, Field], base: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None] | None:
    """The smallest changes to the base that make the condition hold, and the same with one change less where it does not hold."""
    return next(witnesses(tree, fields, base), None)


def witnesses(
    tree: ast.expr, fields: Mapping[str, Field], base: Mapping[str, Any], seed: int = 0
) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """All that are found within `MOST_TRIES`, the smallest first."""
    names = tuple(dict.fromkeys(name.removeprefix(GIVEN) for name in fields_of(tree) if not name.startswith("env.")))
    values = {name: candidates(name, tree, fields.get(name)) for name in names}
    defaults = {name: field.default for name, field in fields.items()} | dict(base)
    draw = random.Random(seed)
    tries = 0
    for count in range(min(len(names), MOST_CHANGED) + 1):
        for changed in itertools.combinations(names, count):
            choices = list(itertools.product(*(values[name] for name in changed)))
            draw.shuffle(choices)
            for chosen in choices[:2_000]:
                tries += 1
                if tries > MOST_TRIES:
                    return
                given = dict(zip(changed, chosen, strict=True))
                if any(given[name] == defaults.get(name, MISSING) and type(given[name]) is type(defaults.get(name)) for name in changed):
                    continue
                if _holds(tree, defaults, given, base):
                    yield given, _beside(tree, defaults, given, base)


def repaired(
    given: Mapping[str, Any], own: ast.expr, others: Sequence[ast.expr], fields: Mapping[str, Field], base: Mapping[str, Any]
) -> dict[str, Any]:
    """The config with changes of further fields, so that none of the other conditions holds: the class meets them first."""
    defaults = {name: field.default for name, field in fields.items()} | dict(base)
    now = dict(given)
    for _ in range(MOST_CHANGED):
        wrong = next((one for one in others if _holds(one, defaults, now, base)), None)
        if wrong is None:
            break
        better = next(_other_ways(wrong, own, now, fields, defaults, base), None)
        if better is None:
            break
        now = better
    return now


def refused_by(others: Sequence[ast.expr], given: Mapping[str, Any], fields: Mapping[str, Field], base: Mapping[str, Any]) -> bool:
    """Does one of the other conditions hold of the config too?"""
    defaults = {name: field.default for name, field in fields.items()} | dict(base)
    return any(_holds(one, defaults, given, base) for one in others)


def _other_ways(
    wrong: ast.expr,
    own: ast.expr,
    now: Mapping[str, Any],
    fields: Mapping[str, Field],
    defaults: Mapping[str, Any],
    base: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    for name in (field_of(one, fields) for one in fields_of(wrong)):
        if name in now:
            continue
        for value in candidates(name, wrong, fields.get(name)):
            tried = {**now, name: value}
            if not _holds(wrong, defaults, tried, base) and _holds(own, defaults, tried, base):
                yield tried


def _holds(tree: ast.expr, defaults: Mapping[str, Any], given: Mapping[str, Any], base: Mapping[str, Any]) -> bool:
    def lookup(name: str) -> Any:
        if name == OPAQUE:
            return UNKNOWN
        if name == "env.world_size":
            return 1  # the driver is one process
        if name.startswith("env."):
            return base.get(name, UNKNOWN)
        if name.startswith(GIVEN):
            return given.get(name.removeprefix(GIVEN), base.get(name.removeprefix(GIVEN)))
        if name in given:
            return given[name]
        if any(one.startswith(f"{name}.") for one in given):
            found = nested(given)
            for part in name.split("."):
                found = found[part]
            return found
        default = defaults.get(name, None)
        if isinstance(default, str) and default.startswith("${") and name in defaults:
            return lookup(default[2:-1])  # the value of another key
        return UNKNOWN if default is MISSING else default

    value = evaluate(tree, lookup)
    return value is not UNKNOWN and bool(value)


def nested(given: Mapping[str, Any]) -> dict[str, Any]:
    """``{"trl.beta": 0}`` as a config writes it."""
    found: dict[str, Any] = {}
    for name, value in sorted(given.items()):
        *owners, last = name.split(".")
        block = found
        for owner in owners:
            inside = block.get(owner)
            block[owner] = dict(inside) if isinstance(inside, dict) else {}
            block = block[owner]
        block[last] = value
    return found


def _beside(tree: ast.expr, defaults: Mapping[str, Any], given: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any] | None:
    for name in given:
        less = {key: value for key, value in given.items() if key != name}
        if not _holds(tree, defaults, less, base):
            return less
    return None


def candidates(name: str, tree: ast.expr, field: Field | None) -> list[Any]:
    """Values worth trying for a field: its choices, the constants that the condition compares it with, and what lies beside them."""
    found: list[Any] = []
    for one in _compared(name, tree):
        found.append(one)
        if isinstance(one, bool):
            found.append(not one)
        elif isinstance(one, (int, float)):
            found += [one + 1, one - 1, one + 0.5] if isinstance(one, float) or (field and "float" in field.type) else [one + 1, one - 1]
    written = field.type if field else ""
    if field is not None and field.choices:
        found += list(field.choices)
    if "bool" in written or not written:
        found += [True, False]
    if "int" in written:
        found += [0, 1, 2, 3, 8, -1]
    if "float" in written:
        found += [0.0, 0.5, 1.0, 1.5, 2.0, -0.5]
    if "str" in written or not written:
        found += ["zz", ""]
    if "dict" in written.lower() or "Config" in written or written == "Any":
        found += [{}, {"zz": 1}]
    if "list" in written.lower():
        found += [["zz"], []]
        found += [[one] for one in found if isinstance(one, str)][:6]
    found = [None, *(["zz"] if "str" in written or not written or (field and field.choices) else []), *found]
    unique: list[Any] = []
    for one in found:
        if not any(type(one) is type(other) and one == other for other in unique):
            unique.append(one)
    return unique[:24]


def _bare(node: ast.AST) -> str | None:
    name = dotted(node)
    return None if name is None else name.removeprefix(GIVEN)


def _compared(name: str, tree: ast.expr) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            yield from _entries(name, node)
            parts: Iterable[ast.expr] = (node.left, *node.comparators)
            if any(_bare(inner) == name for one in parts for inner in ast.walk(one)):
                for one in parts:
                    yield from _constants(one)
        elif isinstance(node, ast.Call) and any(_bare(one) == name for one in node.args):
            for one in node.args:
                if isinstance(one, ast.Constant) and not (isinstance(node.func, ast.Name) and node.func.id == "isinstance"):
                    yield one.value
                    if isinstance(node.func, ast.Name) and node.func.id == "get":
                        yield {one.value: True}


def _entries(name: str, node: ast.Compare) -> Iterator[Any]:
    """``get(trl or {}, 'beta') < 1``: mappings with that key at and beside what it is compared with."""
    sides = (node.left, *node.comparators)
    asked = [one for one in ast.walk(node) if isinstance(one, ast.Call) and ast.unparse(one.func) == "get" and len(one.args) > 1]
    for one in asked:
        key = one.args[1]
        if not isinstance(key, ast.Constant) or not any(_bare(inner) == name for inner in ast.walk(one.args[0])):
            continue
        for value in (each for part in sides if part is not one for each in _constants(part)):
            yield {key.value: value}
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield from ({key.value: value - 1}, {key.value: value + 1})


def _constants(node: ast.expr) -> Iterator[Any]:
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for one in node.elts:
            yield from _constants(one)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, (int, float)):
        yield -node.operand.value
