"""Configs that are given to a real class and to the committed table: made at random from the fields, and public ones changed.

Nothing of them comes from the table: fields, and what conditions compare them with, are those that the release's code has, decided or
not; public configs are files of a folder that have the contract's keys.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from budgetlint.contracts.names import fields_of

from .certify import base_of
from .fields import Field, field_of
from .read import Found
from .witness import candidates

LEAST_KEYS = 3
"""Keys of the contract that a public file has, at least, and at least half of its keys."""
LARGEST_FILE = 100_000


def configs(found: Found, count: int, seed: int, public: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """One to four changes to the base; every second one is a public config (where there are any) with up to three changes."""
    draw = random.Random(seed)
    values: dict[str, list[Any]] = {}
    for row, _ in (*found.rows, *found.undecided):
        for name in {field_of(one, found.fields) for one in fields_of(row.when)} & set(found.fields):
            values.setdefault(name, []).extend(candidates(name, row.when, found.fields[name]))
    watched, every = sorted(values), sorted(found.fields)
    made: list[dict[str, Any]] = []
    while len(made) < count:
        given: dict[str, Any] = dict(draw.choice(public)) if public and draw.random() < 0.5 else {}
        for _ in range(draw.randint(0 if given else 1, 3 if given else 4)):
            name = draw.choice(watched if draw.random() < 0.7 and watched else every)
            value = draw.choice(values.get(name) or plausible(found.fields[name].type))
            if fits(value, found.fields[name].type):
                given[name] = value
        if given:
            made.append(given)
    return made


def plausible(written: str) -> list[Any]:
    """Values of a type."""
    found: list[Any] = []
    if "bool" in written:
        found += [True, False]
    if "int" in written:
        found += [0, 1, 4, 100]
    if "float" in written:
        found += [0.0, 0.1, 1.0]
    if "str" in written:
        found += ["a"]
    return found or [None]


def fits(value: Any, written: str) -> bool:
    """Is the value of the field's kind? A config of another kind is the loader's matter."""
    if not written:
        return True
    if value is None:
        return "None" in written or "Optional" in written
    if written.startswith("list"):
        return isinstance(value, list)
    if isinstance(value, bool):
        return "bool" in written
    if isinstance(value, (int, float)):
        return "float" in written or ("int" in written and isinstance(value, int))
    if isinstance(value, str):
        return "str" in written or "Literal" in written or "Strategy" in written or "Type" in written
    return (isinstance(value, dict) and "dict" in written) or (isinstance(value, list) and "list" in written.lower())


def public_configs(found: Found, folder: Path) -> list[dict[str, Any]]:
    """The contract's keys of the folder's YAML and JSON files. What names a model, data or a folder is the base's: those lie elsewhere."""
    base = {name: value for name, value in base_of(found).items() if not _free(found.fields.get(name))}
    made: list[dict[str, Any]] = []
    flat = bool(found.contract.config or found.contract.parser or found.contract.sections)
    for path in sorted(one for ending in ("yaml", "yml", "json") for one in folder.rglob(f"*.{ending}")):
        tree = _tree(path)
        if not isinstance(tree, dict):
            continue
        given = dict(_flattened(tree, found.fields)) if flat else {name: value for name, value in tree.items() if name in found.fields}
        own = {name: value for name, value in given.items() if name in found.fields}
        kept = {name: value for name, value in own.items() if name not in base and fits(value, found.fields[name].type)}
        if len(kept) >= LEAST_KEYS and 2 * len(own) >= len(given if flat else tree):
            made.append(kept)
    return made


def _free(field: Field | None) -> bool:
    """May a public config have another value than the base? A switch, a number, one of several choices."""
    return field is None or bool(field.choices) or "str" not in field.type or "Literal" in field.type


def _tree(path: Path) -> Any:
    if path.stat().st_size > LARGEST_FILE:
        return None
    try:
        text = path.read_text(encoding="utf-8")
        tree = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        json.dumps(tree)
    except (ValueError, TypeError, yaml.YAMLError):
        return None
    return tree


def _flattened(tree: Mapping[Any, Any], fields: Mapping[str, Field], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        full = f"{prefix}{name}"
        if isinstance(value, dict) and full not in fields:
            yield from _flattened(value, fields, f"{full}.")
        else:
            yield full, value
