"""The schema of ``[tool.budgetlint]`` (pydantic; imported only where the table exists), and where its mistakes are."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.limits import SETTINGS
from budgetlint.base.source import Location, SourceFile
from budgetlint.base.suggest import near_names
from budgetlint.base.too_large import too_large
from budgetlint.builtin.rules import BAD_SETTING, builtin_finding
from budgetlint.config.config import TABLE, Config
from budgetlint.config.levels import LEVELS, Level
from budgetlint.documents import Document
from budgetlint.documents.toml import read_toml

Words = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
LevelWord = Literal["error", "deny", "warning", "warn", "info", "off", "allow"]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=lambda name: name.replace("_", "-"))


class Allow(_Table):
    """``[[tool.budgetlint.allow]]``: an exception with its reason, for files that have no comments."""

    rule: Words = Field(description="rules or families")
    reason: str = Field("", description="why")
    by: str = Field("", description="who answers for it")
    until: datetime.date | None = Field(None, description="last day that it holds")
    in_: str = Field("", alias="in", description="glob of files")
    key: str = Field("", description="glob of dotted keys")


class Schema(_Table):
    """``[tool.budgetlint]``."""

    select: Words = Field((), description="rules or families that run; empty is every stable rule")
    ignore: Words = Field((), description="rules or families that never run")
    fail_on: Literal["error", "warning", "info"] = Field("error", description="the severity from which on the exit code is 1")
    require_verdict: bool = Field(False, description="exit 1 when a run gets no verdict")
    preview: bool = Field(False, description="run preview rules too")
    levels: dict[str, LevelWord] = Field({}, description="severity by rule or family")
    per_file_ignores: dict[str, Words] = Field({}, description="rules that are off in the files of a glob")
    allow: tuple[Allow, ...] = Field((), description="exceptions")
    budget: str | None = Field(None, description="text of a budget for every run")
    exclude: Words = Field((), description="globs of paths that are not walked")
    baseline: str | None = Field(None, description="file that records the findings known today")


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the table, for editors."""
    return Schema.model_json_schema()


def read(source: SourceFile) -> Config:
    """Settings of a file that mentions the table. What cannot be used is left out, one finding each."""
    located = _Locator(source)
    if located.broken:
        return Config(source=source, problems=located.broken)
    whole = tomllib.loads(source.text.removeprefix("\ufeff"))
    raw = whole.get("tool", {}).get("budgetlint") if isinstance(whole.get("tool"), dict) else None
    if not isinstance(raw, dict):
        return Config(source=source)
    if _size(raw) > SETTINGS.most:
        return Config(source=source, problems=(too_large(SETTINGS, located.key([]), _size(raw)),))
    schema, problems = _validated(raw, located)
    return _config(schema, source, located, tuple(problems))


def _size(node: object) -> int:
    """Keys and items, at any depth."""
    children = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
    return len(children) + sum(map(_size, children))


def _validated(raw: dict[str, Any], located: _Locator) -> tuple[Schema, list[Finding]]:
    """The table without what is wrong in it. A top-level key with any mistake is left out as a whole."""
    try:
        return Schema.model_validate(raw), []
    except ValidationError as error:
        problems = [_problem(detail, located) for detail in error.errors()]
        wrong = {detail["loc"][0] for detail in error.errors()}
        return Schema.model_validate({key: value for key, value in raw.items() if key not in wrong}), problems


def _problem(detail: Any, located: _Locator) -> Finding:
    path = [str(part) for part in detail["loc"]]
    if detail["type"] != "extra_forbidden":
        message = f"{'.'.join(path)}: {_sentence(detail)}"
        return builtin_finding(BAD_SETTING, located.value(path), message, help="this setting is not used", key=".".join(path))
    model: type[BaseModel] = Allow if path[0] == "allow" else Schema
    known = [field.alias or name for name, field in model.model_fields.items()]
    near = near_names(path[-1], known)
    cure = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
    return builtin_finding(BAD_SETTING, located.key(path), f"[{TABLE}] has no key '{path[-1]}'", help=cure, key=".".join(path))


def _sentence(detail: Any) -> str:
    given = detail.get("input")
    shown = f"'{given}' " if isinstance(given, (str, int, float, bool)) else ""
    text = str(detail["msg"])
    return f"{shown}is not allowed: {text[:1].lower()}{text[1:]}"


def _config(schema: Schema, source: SourceFile, located: _Locator, problems: tuple[Finding, ...]) -> Config:
    return Config(
        select=schema.select,
        ignore=schema.ignore,
        fail_on=Severity(schema.fail_on),
        require_verdict=schema.require_verdict,
        preview=schema.preview,
        levels=tuple(_levels(schema, located)),
        per_file_ignores=dict(schema.per_file_ignores),
        budget=schema.budget,
        exclude=schema.exclude,
        baseline=schema.baseline,
        source=source,
        problems=problems,
    )


def _levels(schema: Schema, located: _Locator) -> Iterator[Level]:
    for pattern, word in schema.levels.items():
        yield Level(pattern, LEVELS[word], located.key(["levels", pattern]))
    for number, allow in enumerate(schema.allow):
        for pattern in allow.rule:
            where = located.value(["allow", str(number), "rule"])
            yield Level(pattern, None, where, allow.reason, allow.until, allow.in_, allow.key, is_suppression=True, by=allow.by)


class _Locator:
    """Where a key of the table, or its value, stands in the file."""

    def __init__(self, source: SourceFile) -> None:
        self._document: Document = read_toml(source)[0]

    @property
    def broken(self) -> tuple[Finding, ...]:
        """Why the file is no TOML."""
        return tuple(builtin_finding(BAD_SETTING, p.location, p.message, help=p.cure) for p in self._document.problems)

    def value(self, path: list[str]) -> Location:
        return self._at(path, of_key=False)

    def key(self, path: list[str]) -> Location:
        return self._at(path, of_key=True)

    def _at(self, path: list[str], *, of_key: bool) -> Location:
        """The longest part of the path that is there."""
        for length in range(len(path), 0, -1):
            dotted = ".".join((TABLE, *path[:length]))
            entry = self._document.entry(dotted)
            if entry is not None:
                return self._document.locate(entry.key.span if of_key else entry.value.span)
            node = self._document.get(dotted)
            if node is not None:
                return self._document.locate(node.span)
        return Location(self._document.path)
