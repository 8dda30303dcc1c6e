"""Schemas of training configs, from the key tables (`budgetlint.catalog.vocabulary`) and the closed values
(`budgetlint.catalog.choice_rows`).

A schema is as strict as the framework: unknown keys are refused where it stops at them, and taken where it passes over them.
Keys that the newest release has no more are marked as deprecated; the older releases take them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from budgetlint.catalog import vocabulary
from budgetlint.catalog.choice import Choice
from budgetlint.catalog.choice_rows import CHOICES
from budgetlint.frameworks import every_format, format_of
from budgetlint.frameworks.file_schema import FileSchema
from budgetlint.schemas.values import value_schema

Schema = dict[str, Any]


def with_schemas() -> tuple[str, ...]:
    """The formats of which there is one."""
    return tuple(format.name for format in every_format() if format.schema)


def file_schema(format: str) -> FileSchema:
    found: FileSchema = import_module(format_of(format).schema).SCHEMA
    return found


def framework_schema(name: str) -> Schema:
    """The schema of one framework's configs."""
    row = file_schema(name)
    dropped = vocabulary.gone(*row.old) if row.old else {}
    whole: Schema = {"title": row.title, "description": f"Keys as in {_releases(row)}. {row.source}.", "type": "object", "properties": {}}
    for path in sorted(row.groups, key=lambda path: (path.count("."), path)):
        section = _section(whole, path)
        section["properties"] |= {key: _key(name, key, dropped) for key in sorted(_keys(row.groups[path]))} | section["properties"]
        section["additionalProperties"] = path not in row.strict
    holder = whole.setdefault("dependentSchemas", {}).setdefault(row.beside, {"properties": {}}) if row.beside else whole
    for choice in CHOICES.get(name, ()):
        _place(holder, choice)
    return whole


def _releases(row: FileSchema) -> str:
    tables = dict.fromkeys(group.partition(":")[0] for groups in row.groups.values() for group in groups)
    return ", ".join(f"{package} {first} to {last}" for table in tables for package, first, last in vocabulary.releases(table))


def _keys(groups: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*(vocabulary.keys(*group.split(":")) for group in groups))


def _key(name: str, key: str, dropped: Mapping[str, str]) -> Schema:
    since = dropped.get(key)
    return {"deprecated": True, "description": f"not in {name} {since} and newer"} if since else {}


def _section(whole: Schema, path: str) -> Schema:
    """The schema of a section, made where it is missing."""
    found = whole
    for part in path.split(".") if path else ():
        found = found["properties"].setdefault(part, {})
        found.setdefault("properties", {})
    return found


def _place(whole: Schema, choice: Choice) -> None:
    """The values of a key, where its section lists keys at all or is named by the choice."""
    folder, _, key = choice.path.rpartition(".")
    properties = _section(whole, folder)["properties"]
    properties[key] = {**properties.get(key, {}), **value_schema(choice)}
