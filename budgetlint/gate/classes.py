"""Whether a change of one statement of a budget, or of one setting, makes the gate milder. One row each: a test looks for missing ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from budgetlint.base.finding import Severity
from budgetlint.base.source import SourceFile
from budgetlint.config.config import Config
from budgetlint.config.levels import LEVELS
from budgetlint.engine.registry import installed
from budgetlint.gate.change import BY_EFFECT, LOOSENS, NEITHER, TIGHTENS
from budgetlint.language import parse, read_budget
from budgetlint.language.budget import Budget
from budgetlint.language.statements import STATEMENTS
from budgetlint.language.tree import Statement

Class = Callable[[str, str], str]
"""Of the texts that a statement had and has, empty where it came or went: which way that goes."""


def way_of_statement(keyword: str, was: str, now: str) -> str:
    """Which way the change of a statement goes. An unknown one, of a plugin or a newer language, by its effect."""
    return STATEMENT_CLASSES.get(keyword, _by_effect)(was, now)


# -- the machine -------------------------------------------------------------------------------------------------------------


def _offers(measure: Callable[[Budget], int | None]) -> Class:
    """More of it loosens. Where there was none, nothing was judged, so that it tightens to say it."""

    def way(was: str, now: str) -> str:
        if not was or not now:
            return LOOSENS if was else TIGHTENS
        before, after = (measure(read_budget(SourceFile("budget", text))) for text in (was, now))
        if before is None or after is None:
            return BY_EFFECT
        return LOOSENS if after > before else TIGHTENS if after < before else NEITHER

    return way


def _device(budget: Budget) -> int | None:
    device = budget.default_target.device
    return device.usable_high * (device.count or 1) if device is not None else None


def _nodes(budget: Budget) -> int | None:
    return budget.default_target.nodes


def _host(budget: Budget) -> int | None:
    return budget.default_target.host_bytes


_CARD = 80 * 2**30
"""A reserve may be a share: of this much, one can be compared with an amount."""


def _reserve(was: str, now: str) -> str:
    before, after = (_reserved(text) if text else 0 for text in (was, now))
    if before is None or after is None:
        return BY_EFFECT
    return LOOSENS if after < before else TIGHTENS if after > before else NEITHER


def _reserved(text: str) -> int | None:
    reserve = read_budget(SourceFile("budget", text)).default_target.reserve
    return reserve.of(_CARD) if reserve is not None else None


# -- what judges -------------------------------------------------------------------------------------------------------------


def _must_hold(was: str, now: str) -> str:
    """An assert: its bound moved, where nothing else of it did."""
    if not was or not now:
        return LOOSENS if was else TIGHTENS
    before, after = _BOUND.fullmatch(was), _BOUND.fullmatch(now)
    if before is None or after is None or (before["of"], before["unit"], before["sign"]) != (after["of"], after["unit"], after["sign"]):
        return NEITHER if _unsaid(was) == _unsaid(now) else LOOSENS
    low, high = float(before["number"].replace("_", "")), float(after["number"].replace("_", ""))
    if low == high:
        return NEITHER
    return LOOSENS if (high > low) == before["sign"].startswith("<") else TIGHTENS


_BOUND = re.compile(r'assert (?P<of>\S+) (?P<sign><=?|>=?) (?P<number>[0-9][0-9_.]*)(?P<unit>[A-Za-z%]*(?: of \S+)?)(?:, ".*")?')


def _unsaid(text: str) -> str:
    """An assert without its message."""
    return re.sub(r',\s*(".*"|\'.*\')$', "", text)


def _tolerance(was: str, now: str) -> str:
    if not was or not now:
        return LOOSENS
    before, after = (float(match[0]) if (match := re.search(r"[0-9.]+", text)) else 0.0 for text in (was, now))
    return LOOSENS if after > before else TIGHTENS if after < before else NEITHER


def _decides(was: str, now: str) -> str:
    """A measurement decides about its run by itself, whichever way it goes."""
    return NEITHER if was == now else LOOSENS


def _allow(was: str, now: str) -> str:
    if not was or not now:
        return TIGHTENS if was else LOOSENS
    before, after = _parts(was), _parts(now)
    if any(before[name] != after[name] for name in ("rules", "in", "key")):
        return LOOSENS
    if before["until"] == after["until"]:
        return NEITHER
    ends, ended = after["until"], before["until"]
    return TIGHTENS if ends and (not ended or ends < ended) else LOOSENS


def _parts(text: str) -> dict[str, str]:
    statement = parse(SourceFile("budget", text))[0].items[0]
    assert isinstance(statement, Statement)
    options = {option.key: getattr(option.value, "content", "") for option in statement.options}
    rules = " ".join(sorted(getattr(value, "content", "") for value in statement.values))
    return {"rules": rules, **{name: options.get(name, "") for name in ("in", "key", "until")}}


def _deny(was: str, _now: str) -> str:
    return LOOSENS if was else TIGHTENS


def _warn(was: str, now: str) -> str:
    """It lowers rules that are errors, and raises remarks."""
    patterns = _parts(now or was)["rules"].split()
    lowers = any(rule.severity is Severity.ERROR for pattern in patterns for rule in installed().matching(pattern))
    return LOOSENS if lowers == bool(now) else TIGHTENS


def _on(was: str, now: str) -> str:
    before, after = set(was.split()[1:]), set(now.split()[1:])
    return LOOSENS if before - after else TIGHTENS if after - before else NEITHER


def _by_effect(was: str, now: str) -> str:
    return NEITHER if was == now else BY_EFFECT


_JUDGES: Mapping[str, Class] = {
    "device": _offers(_device),
    "nodes": _offers(_nodes),
    "host": _offers(_host),
    "reserve": _reserve,
    "assert": _must_hold,
    "tolerance": _tolerance,
    "measured": _decides,
    "allow": _allow,
    "deny": _deny,
    "warn": _warn,
    "on": _on,
}
"""The statements that judge: they never come from the change."""

_DESCRIBES = (
    "budget", "include", "let", "target", "run", "launch", "declared", "watches", "config", "reads", "model", "stack", "also", "rollout",
    "precision", "quant", "kernels", "compile", "optimizer", "lora", "adapter", "freeze", "batch", "seq", "recompute", "attention", "loss",
    "shard", "parallel", "matrix",
)  # fmt: skip
"""The statements that describe what is judged, or who reads it: which way a change goes is seen by what comes out."""

STATEMENT_CLASSES: Mapping[str, Class] = {**_JUDGES, **dict.fromkeys(_DESCRIBES, _by_effect)}
JUDGING = frozenset(_JUDGES)


def unclassed_statements() -> list[str]:
    """The statements of the language that no row classes, and the rows that no statement has."""
    return sorted(STATEMENTS.keys() ^ STATEMENT_CLASSES.keys())


# -- settings ----------------------------------------------------------------------------------------------------------------


def _selection(was: Sequence[str], now: Sequence[str]) -> str:
    """Fewer rules loosen; none named means every stable one."""
    if set(was) == set(now):
        return NEITHER
    if not now:
        return TIGHTENS
    return LOOSENS if not was or set(was) - set(now) else TIGHTENS


def _more_loosens(was: Sequence[object], now: Sequence[object]) -> str:
    before, after = set(map(repr, was)), set(map(repr, now))
    return LOOSENS if after - before else TIGHTENS if before - after else NEITHER


def _mapping(was: Mapping[str, Sequence[str]], now: Mapping[str, Sequence[str]]) -> str:
    pairs = ({(glob, name) for glob, names in one.items() for name in names} for one in (was, now))
    before, after = pairs
    return LOOSENS if after - before else TIGHTENS if before - after else NEITHER


def _waivers(was: Mapping[str, str], now: Mapping[str, str]) -> str:
    """By what each excuses its last day, far away where it never ends."""
    if any(where not in was or until > was[where] for where, until in now.items()):
        return LOOSENS
    return TIGHTENS if was != now else NEITHER


def _switch(was: bool, now: bool) -> str:
    return NEITHER if was is now else LOOSENS if was else TIGHTENS


def _fails_on(was: Severity, now: Severity) -> str:
    return LOOSENS if now > was else TIGHTENS if now < was else NEITHER


def _levels(was: Mapping[str, str], now: Mapping[str, str]) -> str:
    """One level that is milder than it was loosens."""
    ways = {_level(pattern, was.get(pattern), now.get(pattern)) for pattern in was.keys() | now.keys()}
    return next((way for way in (LOOSENS, TIGHTENS) if way in ways), NEITHER)


def _level(pattern: str, was: str | None, now: str | None) -> str:
    usual = [rule.severity for rule in installed().matching(pattern)]
    before, after = ([_rank(LEVELS[word])] if word is not None else [one.rank for one in usual] for word in (was, now))
    if not before or not after or was == now:
        return NEITHER
    return LOOSENS if min(after) < max(before) else TIGHTENS if max(after) > min(before) else NEITHER


def _rank(severity: Severity | None) -> int:
    return severity.rank if severity is not None else -1


def _text(was: str | None, now: str | None) -> str:
    return NEITHER if was == now else BY_EFFECT


def _baseline(was: str | None, now: str | None) -> str:
    return NEITHER if was == now else LOOSENS if now else TIGHTENS


_NEVER = "9999-12-31"

SETTING_CLASSES: Mapping[str, Callable[..., str]] = {
    "select": _selection,
    "ignore": _more_loosens,
    "fail-on": _fails_on,
    "require-verdict": _switch,
    "preview": _switch,
    "levels": _levels,
    "per-file-ignores": _mapping,
    "allow": _waivers,
    "budget": _text,
    "exclude": _more_loosens,
    "baseline": _baseline,
}


def unclassed_settings() -> list[str]:
    """The keys of ``[tool.budgetlint]`` that no row classes, and the rows that no key has."""
    from budgetlint.config.schema import Schema

    return sorted({field.alias or name for name, field in Schema.model_fields.items()} ^ SETTING_CLASSES.keys())


def settings_of(config: Config) -> dict[str, object]:
    """What is classed of the settings, by key."""
    levels = [level for level in config.levels if not level.is_suppression]
    waivers = [level for level in config.levels if level.is_suppression]
    words = {severity: word for word, severity in reversed(LEVELS.items())}
    return {
        "select": config.select,
        "ignore": config.ignore,
        "fail-on": config.fail_on,
        "require-verdict": config.require_verdict,
        "preview": config.preview,
        "levels": {level.pattern: words[level.severity] for level in levels},
        "per-file-ignores": dict(config.per_file_ignores),
        "allow": {f"{one.pattern} in={one.in_files} key={one.key}": str(one.until or _NEVER) for one in waivers},
        "budget": config.budget,
        "exclude": config.exclude,
        "baseline": config.baseline,
    }
