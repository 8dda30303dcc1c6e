"""The schema of a policy file (pydantic; imported only where ``--policy`` names one)."""

from __future__ import annotations

import tomllib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from budgetlint.base.finding import Severity
from budgetlint.base.source import SourceFile
from budgetlint.base.suggest import did_you_mean
from budgetlint.config.policy import Policy, WaiverTerms
from budgetlint.config.schema import Words


class BadPolicy(Exception):
    """The text is no policy; the message says where and why."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=lambda name: name.replace("_", "-"))


class Waivers(_Table):
    """``[waivers]``."""

    allowed: bool = Field(True, description="whether waivers of the repository count at all")
    by: Words | None = Field(None, description="who may waive; absent: whoever")
    rules: Words | None = Field(None, description="rules or families that may be waived; absent: all")
    days: int | None = Field(None, ge=1, description="for how many days at most; absent: without an end too")
    reason: bool = Field(True, description="whether a waiver must say why")


class PolicyTable(_Table):
    """A policy file."""

    version: Literal[1] = Field(description="of this schema")
    settings: tuple[Literal["select", "ignore", "fail-on", "levels", "per-file-ignores", "allow", "exclude", "baseline"], ...] | None = (
        Field(None, description="keys of [tool.budgetlint] that may weaken; absent: all, [] none. What makes it stricter always counts")
    )
    levels: bool = Field(True, description="whether budgets may make rules milder (warn, allow)")
    measured: bool = Field(True, description="whether recorded measurements and tolerances count")
    budget: str | None = Field(
        None, description="a budget that binds every run: its machine, asserts and levels hold over the repository's"
    )
    require: Words = Field((), description="rules or families that run and count, whatever the repository says")
    fail_on: Literal["error", "warning", "info"] | None = Field(None, description="the severity from which on a check fails, at the latest")
    require_verdict: bool = Field(False, description="whether each run needs a verdict")
    waivers: Waivers = Field(default_factory=lambda: Waivers.model_validate({}), description="who may waive what, for how long")


def policy_json_schema() -> dict[str, Any]:
    return PolicyTable.model_json_schema()


def read_policy(source: SourceFile, name: str) -> Policy:
    """The policy of a TOML text. Raises `BadPolicy`: half a policy is none."""
    try:
        raw = tomllib.loads(source.text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy(f"is not valid TOML: {error}") from None
    try:
        schema = PolicyTable.model_validate(raw)
    except ValidationError as error:
        raise BadPolicy("; ".join(_problem(detail, source) for detail in error.errors())) from None
    bound = None
    if schema.budget is not None:
        from budgetlint.language import read_budget

        bound = read_budget(SourceFile(source.path, schema.budget))
        if bound.problems:
            first = bound.problems[0]
            raise BadPolicy(f"budget: {first.message}{f'; {first.help}' if first.help else ''}")
    terms = schema.waivers
    return Policy(
        name,
        settings=schema.settings,
        levels=schema.levels,
        measured=schema.measured,
        waivers=WaiverTerms(terms.allowed, terms.by, terms.rules, terms.days, terms.reason),
        budget=schema.budget,
        bound=bound,
        require=schema.require,
        fail_on=Severity(schema.fail_on) if schema.fail_on else None,
        require_verdict=schema.require_verdict,
    )


def _problem(detail: Any, source: SourceFile) -> str:
    path = [str(part) for part in detail["loc"]]
    line = next((number for number, text in enumerate(source.text.splitlines(), 1) if path and path[-1] in text), 1)
    if detail["type"] == "extra_forbidden":
        model: type[BaseModel] = Waivers if path[0] == "waivers" else PolicyTable
        known = [one.alias or key for key, one in model.model_fields.items()]
        return f"line {line}: no key '{path[-1]}'{did_you_mean(path[-1], known) or '; known: ' + ', '.join(known)}"
    return f"line {line}: {'.'.join(path)}: {detail['msg']}"
