"""The statements that judge or record: rule levels, measurements, further models, rollout engines, framework versions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from budgetlint.base.finding import Related
from budgetlint.base.source import Span
from budgetlint.frameworks import manifests, packages
from budgetlint.language.budget import AlsoModel, ConfigRef, LaunchLine, Measured, Rollout, RuleLevel, Watch
from budgetlint.language.catalog_names import check_model
from budgetlint.language.check import Checked, Given
from budgetlint.language.problems import Problems
from budgetlint.language.rows_judgement import FIGURES
from budgetlint.settings.run import Origin, OriginKind, Release, Stack, release

LEVELS = {"deny": "error", "warn": "warning", "allow": "off"}

_PACKAGE = re.compile(r"([A-Za-z][\w.-]*)(?:@(.+))?")


def origin(checked: Checked, span: Span | None = None, key: str = "") -> Origin:
    """Where a statement's value stands; the whole statement where it has several."""
    at = span or checked.statement.span
    return Origin(OriginKind.BUDGET, checked.source, at, key or checked.keyword, key_span=checked.statement.keyword_span)


def config_refs(checked: Checked) -> list[ConfigRef]:
    kind = checked.option("kind", "")
    base = checked.source.path.rpartition("/")[0]
    items = checked.first.items if checked.first else ()
    return [ConfigRef(item.value, kind, origin(checked, item.span), base) for item in items]


def launch_line(checked: Checked) -> LaunchLine | None:
    given = checked.first
    return None if given is None else LaunchLine(checked.source, given.span, origin(checked, given.span))


def watch(checked: Checked) -> Watch:
    given, end = checked.options.get("seen"), checked.statement.span.end
    span = given.span if given is not None else Span(end, end)
    return Watch(tuple(config_refs(checked)), given.value if given is not None else "", span, origin(checked))


def rule_levels(checked: Checked, problems: Problems) -> list[RuleLevel]:
    reason = checked.option("reason", "")
    items = checked.first.items if checked.first else ()
    if checked.keyword == "allow" and not reason and "reason" not in checked.options:
        names = " ".join(item.text for item in items)
        message = f"'{names}' is switched off and nobody says why"
        help = f'allow {names} reason="…" until=2027-01-31'
        problems.add("BL013", checked.source, checked.statement.span, message, help, key="allow")
    return [
        RuleLevel(
            LEVELS[checked.keyword],
            item.value,
            origin(checked, item.span),
            reason,
            checked.option("until"),
            checked.option("in", ""),
            checked.option("key", ""),
            checked.option("by", ""),
        )
        for item in items
    ]


def measured(checked: Checked) -> Measured:
    """Bytes under ``figures``; everything else as text under ``facts``, settings by the name they were written with."""
    figures = {name: given.value.bytes for name, given in checked.options.items() if name in FIGURES}
    facts = {name: given.text for name, given in (*checked.options.items(), *checked.free.items()) if name not in FIGURES}
    outcome = facts.pop("outcome", checked.first.text if checked.first else "ok")
    return Measured(figures, facts, "oom" if outcome == "oom" else "ok", origin(checked))


def also_model(checked: Checked, problems: Problems) -> AlsoModel | None:
    given = checked.first
    if given is None or not check_model(given.value, checked.source, given.span, problems, "also"):
        return None
    role = checked.option("role")
    if role is None:
        return None
    where = origin(checked, given.span)
    return AlsoModel(given.value, role, where, checked.option("precision", ""), checked.option("offload", False))


def rollout(checked: Checked) -> Rollout | None:
    given = checked.first
    if given is None:
        return None
    return Rollout(given.value, checked.option("share"), origin(checked, given.span))


# -- stack ---------------------------------------------------------------------------------------------------------------


def merged_stack(statements: Iterable[Checked], problems: Problems) -> Stack | None:
    """The versions of every ``stack`` statement of one scope; None where there is none."""
    releases: dict[str, Release] = {}
    code: str | None = None
    any_said = False
    for checked in statements:
        for item in checked.first.items if checked.first else ():
            any_said = True
            name, found = _package(checked, item, problems)
            code = _codes().get(name, code)
            if found is not None and _is_new(found, releases, checked, item, problems):
                releases[name] = found
    return Stack(releases, code or "transformers") if any_said else None


@cache
def _codes() -> Mapping[str, str]:
    """Packages that bring model code of their own -> its name."""
    return {package.name: one.model_code for one in manifests() if one.code_by_stack for package in one.packages}


@cache
def _other_names() -> Mapping[str, str]:
    return {"pytorch": "torch", **{other: package.name for package in packages() for other in package.also}}


def _package(checked: Checked, item: Given, problems: Problems) -> tuple[str, Release | None]:
    match = _PACKAGE.fullmatch(item.value)
    name = match[1].lower().replace("_", "-") if match else ""
    name = _other_names().get(name, name)
    if match is None:
        problems.add("BL003", checked.source, item.span, f"'{item.value[:60]}' is no package and version", "write transformers@5.24")
    elif match[2] is None and name != "transformers" and name not in _codes():
        problems.add("BL003", checked.source, item.span, f"'{item.value[:60]}' has no version", f"write {name}@ and the version")
    elif match[2] is not None:
        found = release(name, match[2], origin(checked, item.span)) if len(match[2]) < 50 else None
        if found is None:
            problems.add("BL003", checked.source, item.span, f"'{match[2][:60]}' is no version", f"write it as pip prints it: {name}@5.24")
        return name, found
    return name, None


def _is_new(found: Release, releases: dict[str, Release], checked: Checked, item: Given, problems: Problems) -> bool:
    first = releases.get(found.package)
    if first is None:
        return True
    where = first.origin.location
    related = (Related(where, "first said here"),) if where else ()
    problems.add("BL007", checked.source, item.span, f"'{found.package}' is given twice", "one version of each package", related=related)
    return False


def over_stack(stronger: Stack | None, weaker: Stack | None) -> Stack:
    """A run's stack over the top level's, package by package."""
    if stronger is None or weaker is None:
        return stronger or weaker or Stack()
    code = stronger.model_code if stronger.model_code != "transformers" else weaker.model_code
    return Stack({**weaker.releases, **stronger.releases}, code)
