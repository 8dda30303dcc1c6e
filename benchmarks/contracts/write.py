"""The tables as they are committed: releases merged, what is the same told once, a row a line."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packaging.version import Version

from .fields import MISSING, Field
from .state import Certified, row_text

TARGET = Path(__file__).parents[2] / "budgetlint" / "contracts" / "data"

Told = dict[str, Any]


def table(fields: Mapping[str, Field], rows: Iterable[Certified], above: str, own: Iterable[str], lenient: bool = False) -> Told:
    """One contract in one release. Rows and fields that are written in another package's code are left to the contract above."""
    kept = [one for one in rows if not above or one.row.path.split("/")[0] in own]
    mine = {name: one for name, one in fields.items() if not above or one.path.split("/")[0] in own}
    return {
        "above": above,
        "lenient": lenient,
        "fields": {name: _spec(one) for name, one in sorted(mine.items())},
        "rows": [[row_text(one.row), one.row.kind, f"{one.row.path}:{one.row.line}", one.stage] for one in kept],
    }


def _spec(one: Field) -> list[Any]:
    default = one.default
    try:
        json.dumps(default)
    except TypeError:
        default = MISSING
    return [spelled(one.type), default, *([list(one.choices)] if one.choices else [])]


def spelled(written: str) -> str:
    """A type in one spelling: ``Optional[int]`` is ``int | None``, and so is its text in quotes."""
    try:
        return ast.unparse(_spelled(ast.parse(written, mode="eval").body))
    except SyntaxError:
        return written


def _spelled(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _spelled(ast.parse(node.value, mode="eval").body)
    if isinstance(node, ast.BinOp):
        return ast.BinOp(_spelled(node.left), node.op, _spelled(node.right))
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("Optional", "Union", "typing.Optional", "typing.Union"):
        inside = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        parts = [_spelled(one) for one in inside] + ([ast.Constant(None)] if ast.unparse(node.value).endswith("Optional") else [])
        joined = parts[0]
        for one in parts[1:]:
            joined = ast.BinOp(joined, ast.BitOr(), one)
        return joined
    return node


def load(package: str, target: Path = TARGET) -> dict[str, dict[str, Told]]:
    """The committed table taken apart again: contracts by release."""
    path = target / f"{package}.json"
    if not path.is_file():
        return {}
    told = json.loads(path.read_text(encoding="utf-8"))
    apart: dict[str, dict[str, Told]] = {release: {} for release in told["releases"]}
    for name, contract in told["contracts"].items():
        for number, release in enumerate(told["releases"]):
            fields = {key: span[1:] for key, spans in contract["fields"].items() for span in [_at(spans, number)] if span is not None}
            rows = [[row[0], row[1], row[2][str(number)], *(row[3:] or ["arguments"])] for row in contract["rows"] if str(number) in row[2]]
            if fields:
                told_of = {"above": contract.get("above", ""), "lenient": contract.get("lenient", False)}
                apart[release][name] = {**told_of, "fields": fields, "rows": rows}
    return apart


def _at(spans: list[list[Any]], number: int) -> list[Any] | None:
    current = None
    for span in spans:
        if span[0] <= number:
            current = span
    return None if current is None or current[1] is None else current


def joined(apart: Mapping[str, Mapping[str, Told]]) -> Told:
    """Contracts of several releases as one table."""
    releases = sorted(apart, key=Version)
    names = sorted({name for each in apart.values() for name in each})
    contracts: Told = {}
    for name in names:
        fields: dict[str, list[list[Any]]] = {}
        rows: dict[tuple[str, str, str], dict[str, str]] = {}
        above, lenient = "", False
        for number, release in enumerate(releases):
            told = apart[release].get(name)
            above, lenient = (told["above"], told["lenient"]) if told else (above, lenient)
            for key in sorted({*fields, *(told["fields"] if told else ())}):
                spec = told["fields"].get(key) if told else None
                spans = fields.setdefault(key, [])
                before = spans[-1][1:] if spans else [None]
                now = spec if spec is not None else [None]
                if before != now and (spans or spec is not None):
                    spans.append([number, *now])
            for when, ends, at, *stage in told["rows"] if told else ():
                rows.setdefault((when, ends, stage[0] if stage else "arguments"), {})[str(number)] = at
        contracts[name] = {
            **({"above": above} if above else {}),
            **({"lenient": True} if lenient else {}),
            "fields": fields,
            "rows": [[when, ends, at, *([] if stage == "arguments" else [stage])] for (when, ends, stage), at in rows.items()],
        }
    return {"releases": releases, "contracts": contracts}


def _beside_those_above(package: str, contracts: Mapping[str, Told]) -> dict[str, Told]:
    """Without what a contract of the same package says already, where another one stands on it."""
    left: dict[str, Told] = {}
    for name, told in contracts.items():
        above = contracts.get(told["above"].removeprefix(f"{package}."))
        if above is not None:
            fields = {key: spec for key, spec in told["fields"].items() if above["fields"].get(key) != spec}
            told = {**told, "fields": fields, "rows": [row for row in told["rows"] if row not in above["rows"]]}
        left[name] = told
    return left


def save(package: str, apart: Mapping[str, Mapping[str, Told]], target: Path = TARGET) -> None:
    """Written so that a difference between two releases can be read: a field and a row have a line each."""
    told = joined({release: _beside_those_above(package, contracts) for release, contracts in apart.items()})
    stood_on = {one["above"] for contracts in apart.values() for one in contracts.values()}
    for name in [name for name, one in told["contracts"].items() if not one["rows"] and f"{package}.{name}" not in stood_on]:
        del told["contracts"][name]
    target.mkdir(parents=True, exist_ok=True)
    parts = []
    for name, contract in told["contracts"].items():
        fields = ",\n".join(f"    {json.dumps(key)}: {json.dumps(spans)}" for key, spans in contract["fields"].items())
        rows = ",\n".join(f"    {json.dumps(row)}" for row in contract["rows"])
        above = "".join(f"   {json.dumps(key)}: {json.dumps(contract[key])},\n" for key in ("above", "lenient") if key in contract)
        parts.append(f'  {json.dumps(name)}: {{\n{above}   "fields": {{\n{fields}\n   }},\n   "rows": [\n{rows}\n   ]\n  }}')
    body = ",\n".join(parts)
    text = f'{{\n "releases": {json.dumps(told["releases"])},\n "contracts": {{\n{body}\n }}\n}}\n'
    (target / f"{package}.json").write_text(text, encoding="utf-8")
