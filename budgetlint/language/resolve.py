"""Tree to budget: scopes, targets and runs, every value typed and every setting with its origin."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from budgetlint.base.finding import Finding, Related
from budgetlint.base.numerals import small
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.language.budget import CONFIG, AlsoModel, Budget, BudgetRun, LaunchLine, Reads, RuleLevel, Target
from budgetlint.language.check import Checked
from budgetlint.language.includes import Included, Load, disk, gather
from budgetlint.language.judgement import (
    also_model,
    config_refs,
    launch_line,
    measured,
    merged_stack,
    origin,
    over_stack,
    rollout,
    rule_levels,
    watch,
)
from budgetlint.language.machine import KEYWORDS, machine
from budgetlint.language.matrix import cells
from budgetlint.language.placement import machine_settings, overlay
from budgetlint.language.problems import Problems
from budgetlint.language.scopes import Scope, ScopeBuilder
from budgetlint.language.settings_of import settings_of
from budgetlint.language.slots import FILE
from budgetlint.language.statements import VERSION
from budgetlint.language.suggest import nearest
from budgetlint.language.tree import Let, Statement, Value
from budgetlint.language.variables import Variables, set_from_outside
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings

_NO_SETTINGS = frozenset((*KEYWORDS, "stack", "on", "matrix", "deny", "warn", "allow", "tolerance", "measured")) | frozenset(
    ("config", "reads", "launch", "declared", "watches")
)


def read_budget(source: SourceFile, load: Load | None = None, *, root: str = "", variables: Mapping[str, str] | None = None) -> Budget:
    """What a budget means. Never raises: what is wrong is in ``problems``, and the rest of the file holds.

    ``load`` reads an included path, and knows how far it may lead (default: from disk, below ``root``). ``root`` is the project's folder,
    default the working directory, or the budget's own folder where its path is absolute. ``variables`` are ``--set name=value``.
    """
    base = root or (posixpath.dirname(source.path) if source.path.startswith("/") else ".")
    problems = Problems()
    included = gather(source, load or disk(base), root, problems)
    newer = _newer_version(included)
    if newer is not None:
        return _empty(source, newer)
    return _Resolver(source, included, problems, variables or {}).budget()


def _newer_version(included: Included) -> Finding | None:
    """A higher language version: then nothing else of the budget is judged."""
    for placed in included.items:
        item = placed.item
        value = item.values[0] if isinstance(item, Statement) and item.keyword == "budget" and len(item.values) == 1 else None
        if isinstance(value, Value) and (small(value.text) or 0) > VERSION:
            problems = Problems()
            message = f"this budget is written in language version {value.text}; this budgetlint speaks {VERSION}"
            problems.add("BL012", placed.source, value.span, message, "use a newer budgetlint", key="budget")
            return problems.found[0]
    return None


def _empty(source: SourceFile, problem: Finding) -> Budget:
    return Budget(source.path, (), {}, Target(None, None), (), (problem,), False, False)


class _Resolver:
    def __init__(self, source: SourceFile, included: Included, problems: Problems, given: Mapping[str, str]) -> None:
        self.source, self.included, self.problems = source, included, problems
        self.variables = Variables(problems)
        set_from_outside(self.variables, given)

    def budget(self) -> Budget:
        for placed in self.included.items:
            if isinstance(placed.item, Let):
                self.variables.define(placed)
        top = ScopeBuilder(self.problems, self.variables).build(self.included.items, FILE)
        self.top = top
        self.top_settings = self._settings(top)
        self.top_stack = merged_stack(top.all("stack"), self.problems)
        self.default_target = machine(top, None, Settings(), self.problems)
        self.targets = self._targets(top)
        runs = self._runs(top)
        levels = self._levels(top)
        return Budget(
            self.source.path,
            runs,
            self.targets,
            self.default_target,
            levels,
            self._sorted(),
            any(run.configs or run.launches or run.reads for run in runs),
            any("model" in run.settings for run in runs),
            tuple(self.included.paths),
            self.variables.as_text(),
        )

    def _sorted(self) -> tuple[Finding, ...]:
        order = {path: at for at, path in enumerate((self.source.path, *self.included.paths))}
        return tuple(sorted(self.problems.found, key=lambda finding: (order.get(finding.location.file, 0), finding.sort_key)))

    def _settings(self, scope: Scope, weaker: Settings | None = None) -> Settings:
        """The training settings of a scope. ``freeze`` adds to itself, and to the top level's."""
        found: dict[str, Setting] = {}
        for checked in scope.statements:
            if checked.keyword in _NO_SETTINGS:
                continue
            for setting in settings_of(checked, self.problems):
                first = found.get(setting.name) or (weaker.get(setting.name) if weaker and setting.name == "freeze" else None)
                found[setting.name] = _added(setting, first) if setting.name == "freeze" and first else setting
        return Settings(found.values())

    def _levels(self, scope: Scope) -> tuple[RuleLevel, ...]:
        words = ("deny", "warn", "allow")
        return tuple(level for checked in scope.statements if checked.keyword in words for level in rule_levels(checked, self.problems))

    # -- targets -------------------------------------------------------------------------------------------------------

    def _targets(self, top: Scope) -> dict[str, Target]:
        targets: dict[str, Target] = {}
        for checked, scope in self._named(top, "target"):
            name = str(checked.values[0].value)
            whole = checked.source.locate(checked.statement.span)
            targets[name] = replace(machine(scope, name, self._settings(scope), self.problems), block=whole)
        return targets

    def _named(self, top: Scope, keyword: str) -> Iterable[tuple[Checked, Scope]]:
        """The blocks of one kind, each name once."""
        seen: dict[str, Checked] = {}
        for checked, scope in top.inner:
            if checked.keyword != keyword:
                continue
            given = checked.values[0]
            first = seen.setdefault(given.value, checked)
            if first is checked:
                yield checked, scope
                continue
            related = (Related(first.source.locate(first.values[0].span), "first used here"),)
            message = f"there are two {keyword}s with the name '{given.value}'"
            self.problems.add("BL007", checked.source, given.span, message, "give each its own name", related=related)

    # -- runs ----------------------------------------------------------------------------------------------------------

    def _runs(self, top: Scope) -> tuple[BudgetRun, ...]:
        is_run = [isinstance(placed.item, Statement) and placed.item.keyword == "run" for placed in self.included.items]
        if not any(is_run):
            return (self._run(None, Scope("run"), Origin(OriginKind.BUDGET, self.source, Span(0, 0), "budget")),)
        runs = []
        for checked, scope in self._named(top, "run"):
            given = checked.values[0]
            where = Origin(OriginKind.BUDGET, checked.source, given.span, "run", key_span=checked.statement.keyword_span)
            runs.append(replace(self._run(given.value, scope, where), block=checked.source.locate(checked.statement.span)))
        return tuple(runs)

    def _run(self, name: str | None, scope: Scope, where: Origin) -> BudgetRun:
        own = self._settings(scope, self.top_settings)
        says_machine = any(scope.one(keyword) for keyword in KEYWORDS)
        own_machine = machine(scope, None, Settings(), self.problems) if says_machine else None
        on = self._on(scope)
        settings = self.top_settings.under(own)
        if not on:
            base = overlay(own_machine, self.default_target) if own_machine else self.default_target
            settings = settings.under(Settings(machine_settings(base)))
        configs = tuple(ref for checked in self._both(scope, "config") for ref in config_refs(checked))
        launches = tuple(line for checked in self._both(scope, "launch") if (line := launch_line(checked)) is not None)
        if not configs:
            self._without_configs(launches)
        declared = scope.one("declared") or self.top.one("declared")
        if declared is not None and launches:
            self._both_ways(declared, launches[0])
        tolerance = scope.one("tolerance") or self.top.one("tolerance")
        engine = scope.one("rollout") or self.top.one("rollout")
        return BudgetRun(
            name,
            settings,
            where,
            configs=configs,
            launches=() if declared is not None else launches,
            declared=origin(declared) if declared is not None else None,
            watches=tuple(watch(checked) for checked in self._both(scope, "watches")),
            reads=tuple(found for checked in self._both(scope, "reads") if (found := self._reads(checked)) is not None),
            on=on,
            cells=cells(scope.one("matrix") or self.top.one("matrix"), self.problems),
            asserts=(*self.top.asserts, *scope.asserts),
            levels=self._levels(scope),
            measured=tuple(measured(checked) for checked in self._both(scope, "measured")),
            also=self._also(scope),
            rollout=rollout(engine) if engine else None,
            stack=over_stack(merged_stack(scope.all("stack"), self.problems), self.top_stack),
            tolerance_ppm=tolerance.first.value if tolerance and tolerance.first else None,
            target=own_machine,
            own=own,
            defaults=self.top_settings,
        )

    def _without_configs(self, launches: Iterable[LaunchLine]) -> None:
        for line in launches:
            if line.takes_configs:
                at = line.span.start + line.text.index(CONFIG)
                message = f"'{CONFIG}' stands for each file of 'config', and this run has none"
                help = "name the files: config configs/*.yaml"
                self.problems.add("BL008", line.source, Span(at, at + len(CONFIG)), message, help, key="launch")

    def _both_ways(self, declared: Checked, line: LaunchLine) -> None:
        related = (Related(line.source.locate(line.span), "the command"),)
        message = "a run is declared or launched, not both: a command says more than the budget"
        help = "leave out 'declared', or the 'launch' and say here what its program does"
        self.problems.add("BL007", declared.source, declared.statement.span, message, help, key="declared", related=related)

    def _reads(self, checked: Checked) -> Reads | None:
        from budgetlint.language.reads import reads_of  # few budgets read files of their own

        return reads_of(checked, self.problems, lambda value: self.variables.lookup(checked.source, value))

    def _both(self, scope: Scope, keyword: str) -> list[Checked]:
        return [*self.top.all(keyword), *scope.all(keyword)]

    def _also(self, scope: Scope) -> tuple[AlsoModel, ...]:
        models = [also_model(checked, self.problems) for checked in self._both(scope, "also")]
        return tuple(model for model in models if model is not None)

    def _on(self, scope: Scope) -> tuple[str, ...]:
        """The targets that ``on`` names and that there are."""
        checked = scope.one("on") or self.top.one("on")
        known: list[str] = []
        for item in checked.first.items if checked and checked.first else ():
            if item.value in self.targets:
                known.append(item.value)
                continue
            if self.problems.full:
                break
            assert checked is not None
            meant = nearest(item.value, self.targets)
            names = f"the targets are {', '.join(self.targets)}" if self.targets else f"define it: target {item.value} {{ device … }}"
            help = f"did you mean '{meant}'?" if meant else names
            self.problems.add("BL008", checked.source, item.span, f"there is no target '{item.value}'", help, key="on", write=meant)
        return tuple(dict.fromkeys(known))


def _added(setting: Setting, first: Setting) -> Setting:
    return replace(setting, value=tuple(dict.fromkeys((*first.value, *setting.value))), text=f"{first.text} {setting.text}")
