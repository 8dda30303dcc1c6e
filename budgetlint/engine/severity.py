"""Which findings stay, and how bad they are: root causes, duplicates, levels, suppressions, and the suppressions themselves."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from budgetlint.base.finding import Finding, Related, Severity
from budgetlint.base.limits import SUGGESTIONS
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import Location
from budgetlint.builtin.gate_rules import WAIVER_REFUSED
from budgetlint.builtin.rules import (
    EXPIRED_SUPPRESSION,
    SUPPRESSION_WITHOUT_REASON,
    UNKNOWN_SUPPRESSION,
    UNUSED_SUPPRESSION,
    builtin_finding,
)
from budgetlint.config.config import Config
from budgetlint.config.levels import Level, deciding, default_severity
from budgetlint.engine.other_readers import unsafe_where
from budgetlint.engine.registry import Registry
from budgetlint.engine.suppressions import Suppression, unknown, unknown_pattern
from budgetlint.results.report import Excuse
from budgetlint.results.waiver import EXPIRED, HOLDS, UNUSED, WITHOUT_EFFECT, Waiver
from budgetlint.rules_api.pattern import matches
from budgetlint.rules_api.rule import Rule

NO_LEVELS: tuple[Level, ...] = ()


def unsuperseded(findings: Iterable[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """Without the findings whose root cause is told on the same line: at the cause itself or at a place it relates."""
    found = list(findings)
    gone: set[tuple[str, str, int]] = set()
    for cause in found:
        rule = rules.get(cause.name)
        for name in rule.supersedes if rule else ():
            for at in (cause.location, *(related.location for related in cause.related)):
                gone.add((name, at.file, at.line))
    kept = [f for f in found if not {(word, f.location.file, f.location.line) for word in (f.name, f.code)} & gone]
    return _without_general(kept, rules)


def _without_general(findings: list[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """Without what a general rule says of a place of which a rule of its own tells more."""
    general = {id(f) for f in findings if (rule := rules.get(f.name)) is not None and rule.general}
    if not general:
        return findings
    told = {at for f in findings if id(f) not in general and f.severity is not Severity.INFO for at in _places(f)}
    named: dict[tuple[str, int, str], int] = {}
    for f in findings:
        if id(f) not in general and f.key:
            named[_name(f)] = max(f.severity.rank, named.get(_name(f), 0))
    return [f for f in findings if id(f) not in general or not (f.location in told or _is_told(f, named))]


def _is_told(finding: Finding, named: Mapping[tuple[str, int, str], int]) -> bool:
    """Does a rule of its own say as much, or worse, of the same argument on the same line?"""
    return bool(finding.key) and named.get(_name(finding), -1) >= finding.severity.rank


def _name(finding: Finding) -> tuple[str, int, str]:
    return finding.location.file, finding.location.line, finding.key.rpartition(".")[2]


def _places(finding: Finding) -> Iterator[Location]:
    yield finding.location
    yield from (related.location for related in finding.related)


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """One finding per rule and span, with all its runs. What one run says twice at a span stays two findings."""
    kept: dict[tuple[object, ...], list[Finding]] = {}
    seen: Counter[tuple[object, ...]] = Counter()
    for finding in findings:
        spoken = (finding.name, finding.location, finding.runs)
        key = (finding.name, finding.location, seen[spoken])
        seen[spoken] += 1
        kept.setdefault(key, []).append(finding)
    return [_joined(alike) if len(alike) > 1 else alike[0] for alike in kept.values()]


def _joined(alike: list[Finding]) -> Finding:
    """Of findings that differ in their runs the worst, with the runs and fixes of all. A fix is safe where it is safe for each of them."""
    worst = max(alike, key=lambda finding: finding.severity.rank)
    runs = tuple(dict.fromkeys(run for finding in alike for run in finding.runs))
    shared = Counter(fix for finding in alike for fix in set(finding.fixes))
    agreed = (unsafe_where(finding, lambda fix: shared[fix] < len(alike)).fixes for finding in alike)
    return replace(worst, runs=runs, fixes=tuple(dict.fromkeys(fix for fixes in agreed for fix in fixes)))


SHOWN = 3


def told_once(findings: Iterable[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """What a rule says of several places in the same words is one finding, where the rule asks for that: the first, with the places and
    runs of the others (`SHOWN` places; the runs are all named)."""
    kept: dict[object, Finding] = {}
    for finding in sorted(findings, key=lambda one: one.sort_key):
        rule = rules.get(finding.name)
        key = (finding.name, finding.severity, finding.message, finding.help) if rule is not None and rule.once else id(finding)
        first = kept.get(key)
        if first is None:
            kept[key] = finding
            continue
        also = (Related(finding.location, "the same here"),) if len(first.related) < SHOWN else ()
        kept[key] = replace(first, related=(*first.related, *also), runs=tuple(dict.fromkeys((*first.runs, *finding.runs))))
    return list(kept.values())


@open_state
class Judge:
    """Decides about findings and remembers which levels and suppressions were used, and why each suppressed finding is.

    ``levels`` maps a run's label, or a file's path, to one list of levels for each run (or budget) that it belongs to.
    """

    registry: Registry
    config: Config
    ran: frozenset[str]
    levels: Mapping[str, list[tuple[Level, ...]]]
    suppressions: tuple[Suppression, ...]
    today: datetime.date
    used: set[int] = field(default_factory=set)
    excuses: list[Excuse] = field(default_factory=list)
    held: Counter[Suppression | Level] = field(default_factory=Counter)
    """How many findings each of them holds back."""
    _speaking: dict[tuple[str, int], tuple[Level, ...]] = field(default_factory=dict)
    """Levels by rule and by the identity of their scope."""
    _asked: set[str] = field(default_factory=set)

    def judge(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
        """Findings that count, and those that somebody allowed. The engine's own about suppressions are among the first."""
        kept, suppressed = self._sort(findings)
        about, silenced = self._sort(merged((*self._about_comments(), *self._about_levels())))
        return kept + about, suppressed + silenced

    def _sort(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
        kept: list[Finding] = []
        suppressed: list[Finding] = []
        for finding in findings:
            rule = self.registry.get(finding.code)
            severity = finding.severity if rule is None or rule.scope == "language" else self._severity(finding, rule)
            if severity is None:
                suppressed.append(finding)
                self.excuses.append(self._excuse(finding, rule))
            else:
                kept.append(replace(finding, severity=severity))
        return kept, suppressed

    def _severity(self, finding: Finding, rule: Rule) -> Severity | None:
        """None when a comment or a level holds the finding back in every run that it concerns."""
        judged = [self._under(finding, rule, self._of_rule(rule, scope)) for scope in self._scopes(finding)]
        if rule.scope != "engine" and self._commented(finding, rule):
            return None
        return max((severity for severity in judged if severity), key=lambda severity: severity.rank, default=None)

    def _of_rule(self, rule: Rule, scope: tuple[Level, ...]) -> tuple[Level, ...]:
        """The levels of the settings and a scope that speak about a rule and have not expired, worked out once."""
        key = (rule.code, id(scope))
        if key not in self._speaking:
            every = (*self.config.levels, *scope)
            meant = (level for level in every if matches(level.pattern, rule) and not level.expired(self.today))
            self._speaking[key] = tuple(level for level in meant if self._counts(level, rule))
        return self._speaking[key]

    def _counts(self, item: Level | Suppression, rule: Rule) -> bool:
        """Does the policy let it make this rule milder?"""
        policy = self.config.policy
        if policy is None or (isinstance(item, Level) and item.severity is not None and item.severity >= rule.severity):
            return True
        if isinstance(item, Suppression) or item.is_suppression:
            return not self.refused(item)
        if policy.requires(rule):
            return False
        return policy.levels if item.in_budget else policy.settings is None or "levels" in policy.settings

    def refused(self, item: Level | Suppression) -> str:
        """Why the policy does not let a waiver count; empty where it does, or where there is no policy."""
        policy = self.config.policy
        if policy is None:
            return ""
        if isinstance(item, Level) and not item.in_budget and policy.settings is not None and "allow" not in policy.settings:
            return "[[tool.budgetlint.allow]] does not count"
        meant = self.registry.matching(item.pattern)
        required = next((rule.name for rule in meant if policy.requires(rule)), None)
        wrong = policy.waivers.refuses(item.by, item.until, item.reason, meant, self.today)
        return wrong or (f"{required} counts in any case" if required is not None and policy.waivers.rules is None else "")

    def _under(self, finding: Finding, rule: Rule, levels: tuple[Level, ...]) -> Severity | None:
        level = deciding(finding, rule, levels)
        if level is None:
            return None if self.config.ignores_in(rule, finding.location.file) else default_severity(finding)
        self.used.add(id(level))
        return level.severity

    def _excuse(self, finding: Finding, rule: Rule | None) -> Excuse:
        holds = self._holding(finding, rule) if rule is not None else None
        if holds is None:
            return Excuse("", in_file=False)
        self.held[holds] += 1
        return Excuse(holds.reason, in_file=isinstance(holds, Suppression))

    def _holding(self, finding: Finding, rule: Rule) -> Suppression | Level | None:
        """The comment that holds a finding back, else the last level that does."""
        comments = [one for one in self._covering(finding, rule) if id(one) in self.used]
        comment = min(comments, key=lambda one: (one.location.line, one.location.column), default=None)
        if comment is not None and rule.scope != "engine":
            return comment
        levels = (level for scope in self._scopes(finding) for level in self._of_rule(rule, scope))
        return deciding(finding, rule, [level for level in levels if level.severity is None])

    def _scopes(self, finding: Finding) -> list[tuple[Level, ...]]:
        """Each once: the runs of a budget share its levels."""
        places = finding.runs or (finding.location.file,)
        return list({id(scope): scope for place in places for scope in self.levels.get(place, [NO_LEVELS])}.values())

    def _commented(self, finding: Finding, rule: Rule) -> bool:
        covering = [s for s in self._covering(finding, rule) if not s.wrong and not s.expired(self.today) and self._counts(s, rule)]
        self.used.update(map(id, covering))
        return bool(covering)

    def _covering(self, finding: Finding, rule: Rule) -> list[Suppression]:
        """Those of the finding's line and of its file; a file may hold a thousand of both."""
        at = finding.location
        return [*self._meaning(at.file, None, rule), *self._meaning(at.file, at.line, rule)]

    def _meaning(self, file: str, line: int | None, rule: Rule) -> list[Suppression]:
        key = (file, line, rule.code)
        if key not in self._meant:
            self._meant[key] = [one for one in self._by_place.get((file, line), ()) if matches(one.pattern, rule)]
        return self._meant[key]

    @cached_property
    def _by_place(self) -> dict[tuple[str, int | None], list[Suppression]]:
        found: dict[tuple[str, int | None], list[Suppression]] = {}
        for one in self.suppressions:
            found.setdefault((one.location.file, one.line), []).append(one)
        return found

    @cached_property
    def _meant(self) -> dict[tuple[str, int | None, str], list[Suppression]]:
        return {}

    # -- about the suppressions ----------------------------------------------------------------------------------------------

    def _has_run(self, pattern: str) -> bool:
        return any(rule.code in self.ran for rule in self.registry.matching(pattern))

    def waivers(self) -> tuple[Waiver, ...]:
        """Every exception that is written down, in file order; after `judge`, which counts what each holds back."""
        levels = (level for scope in (self.config.levels, *self._all_scopes()) for level in scope if level.is_suppression)
        items: dict[Suppression | Level, None] = dict.fromkeys((*self.suppressions, *levels))
        at = lambda waiver: (waiver.location.file, waiver.location.line, waiver.location.column)  # noqa: E731
        return tuple(sorted((self._waiver(item) for item in items), key=at))

    def _waiver(self, item: Suppression | Level) -> Waiver:
        form = "comment" if isinstance(item, Suppression) else "budget" if item.in_budget else "settings"
        wrong = unknown(item, self.registry) if isinstance(item, Suppression) else unknown_pattern(item.pattern, self.registry)
        state = (
            WITHOUT_EFFECT if wrong or self.refused(item) else EXPIRED if item.expired(self.today) else HOLDS if self.held[item] else UNUSED
        )
        narrowed = (item.in_files, item.key) if isinstance(item, Level) else (item.location.file, "")
        return Waiver(item.pattern, item.location, form, item.reason, item.by, item.until, *narrowed, self.held[item], state)

    def _all_scopes(self) -> Iterable[tuple[Level, ...]]:
        return {id(scope): scope for scopes in self.levels.values() for scope in scopes}.values()

    def _about_comments(self) -> Iterator[Finding]:
        for item in self.suppressions:
            wrong = unknown(item, self.registry)
            if wrong:
                yield builtin_finding(
                    UNKNOWN_SUPPRESSION,
                    item.location,
                    f"this suppression does nothing: {wrong}",
                    help=self._cure(item.pattern),
                    value=item.pattern,
                )
            elif item.expired(self.today):
                yield _expired(item)
            elif refused := self.refused(item):
                yield _refused(item, refused)
            elif id(item) not in self.used and self._has_run(item.pattern):
                yield _unused(item)
            if not wrong and not item.reason:
                yield _without_reason(item)

    def _about_levels(self) -> Iterator[Finding]:
        """A level may be made anew for each run, so they are compared by value."""
        everywhere = (*self.config.levels, *(level for scope in self._all_scopes() for level in scope))
        used = {level for level in everywhere if id(level) in self.used}
        for level in dict.fromkeys(everywhere):
            yield from self._about_level(level, level in used)

    def _about_level(self, level: Level, used: bool) -> Iterator[Finding]:
        wrong = unknown_pattern(level.pattern, self.registry)
        if wrong:
            message = f"this line does nothing: {wrong}"
            yield builtin_finding(UNKNOWN_SUPPRESSION, level.location, message, help=self._cure(level.pattern), value=level.pattern)
        if wrong or not level.is_suppression:
            return
        if level.expired(self.today):
            yield _expired(level)
        elif refused := self.refused(level):
            yield _refused(level, refused)
        elif not used and self._has_run(level.pattern):
            yield _unused(level)
        if not level.reason and not level.in_budget:
            yield _without_reason(level)

    def _cure(self, pattern: str) -> str:
        """A near name for the first ones only: each is compared with every rule."""
        self._asked.add(pattern)
        near = self.registry.suggest(pattern) if pattern and len(self._asked) <= SUGGESTIONS.most else None
        return f"did you mean '{near}'?" if near else "'budgetlint rule --all' lists every rule"


def _unused(item: Suppression | Level) -> Finding:
    cure = "delete it"
    if isinstance(item, Suppression) and item.own_line and item.directive == "allow":
        cure = "a comment on its own line covers only itself: write 'allow-next', or put it behind the value"
    message = f"'allow {item.pattern}' suppresses nothing"
    return builtin_finding(UNUSED_SUPPRESSION, item.location, message, help=cure, value=item.pattern)


def _expired(item: Suppression | Level) -> Finding:
    message = f"'allow {item.pattern}' expired on {item.until}: its findings count again"
    return builtin_finding(
        EXPIRED_SUPPRESSION, item.location, message, help="repair what it allowed, or set a later date", value=item.pattern
    )


def _refused(item: Suppression | Level, why: str) -> Finding:
    message = f"'allow {item.pattern}' does not count: {why}"
    cure = "repair what it allowed, or ask whoever owns the policy"
    return builtin_finding(WAIVER_REFUSED, item.location, message, help=cure, value=item.pattern)


def _without_reason(item: Suppression | Level) -> Finding:
    message = f"'allow {item.pattern}' does not say why"
    return builtin_finding(SUPPRESSION_WITHOUT_REASON, item.location, message, help="write the reason behind the name", value=item.pattern)
