"""Which rules there are: the engine's own, those of the language, and what the entry-point group ``budgetlint.rules`` brings.

Built-in rules come in through the same door as anybody's. An entry point names a `Rule` or an iterable of them. A plugin that
cannot be loaded, or whose rules clash, is a finding and never a traceback.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING

from budgetlint.base.finding import Confidence, Finding
from budgetlint.base.record import field, open_record
from budgetlint.base.source import Location
from budgetlint.base.suggest import near_names
from budgetlint.builtin.rules import BROKEN_PLUGIN, BUILTIN_RULES, builtin_finding
from budgetlint.frameworks import others
from budgetlint.isolation.entry_points import OWN, RULES, EntryPoint, entry_points_of
from budgetlint.rules_api.pattern import is_open, matches
from budgetlint.rules_api.rule import Rule, never

if TYPE_CHECKING:
    from budgetlint.language.problems import ProblemSpec


@open_record
class Registry:
    """Rules in order of code. ``problems`` are findings about plugins."""

    rules: tuple[Rule, ...]
    problems: tuple[Finding, ...] = ()
    listed: tuple[Rule, ...] = field(default=(), repr=False)

    @cached_property
    def all(self) -> tuple[Rule, ...]:
        """Every rule, those that are only listed too (language, engine), in order of code."""
        return tuple(sorted((*self.rules, *self.listed), key=lambda rule: rule.code))

    @cached_property
    def _by_word(self) -> dict[str, Rule]:
        """Codes and names before aliases: an old name never hides a rule of that name."""
        words = {alias: rule for rule in self.all for alias in rule.aliases}
        return words | {word: rule for rule in self.all for word in (rule.code, rule.name)}

    def get(self, word: str) -> Rule | None:
        """The rule of this code, name or former name."""
        return self._by_word.get(word) or self._by_word.get(word.upper())

    def matching(self, pattern: str) -> tuple[Rule, ...]:
        """The rules that a pattern means (see `matches`); empty when it means none."""
        if pattern not in self._meant:
            plain = not is_open(pattern)
            rules = self._named.get(pattern.upper() if pattern.upper() in self._named else pattern, ()) if plain else self.all
            self._meant[pattern] = tuple(rule for rule in rules if matches(pattern, rule))
        return self._meant[pattern]

    @cached_property
    def _named(self) -> dict[str, list[Rule]]:
        """Every rule by its code, its name and its former names."""
        found: dict[str, list[Rule]] = {}
        for rule in self.all:
            for word in dict.fromkeys((rule.code, rule.name, *rule.aliases)):
                found.setdefault(word, []).append(rule)
        return found

    @cached_property
    def _meant(self) -> dict[str, tuple[Rule, ...]]:
        return {}

    def suggest(self, word: str) -> str | None:
        """The code or name that ``word`` may have been meant as."""
        if len(word) > _LONGEST:
            return None
        if word not in self._near:
            self._near[word] = next(iter(near_names(word, self._by_word, longest=_LONGEST)), None)
        return self._near[word]

    @cached_property
    def _near(self) -> dict[str, str | None]:
        return {}


_LONGEST = 80
"""No name is longer, nor anything that was meant as one."""


def build(offers: Iterable[tuple[str, object]], listed: Iterable[Rule] = ()) -> Registry:
    """A registry from ``(who offers, rule)`` pairs. What is broken or clashes is left out and reported; the first one stays."""
    house = tuple(listed)
    taken = {word: "budgetlint" for rule in house for word in (rule.code, rule.name)}
    rules: list[Rule] = []
    problems: list[Finding] = []
    for who, offer in offers:
        wrong = _refusal(who, offer, taken)
        if wrong or not isinstance(offer, Rule):
            problems.append(_broken(who, wrong))
            continue
        taken.update({offer.code: who, offer.name: who})
        rules.append(offer)
    return Registry(tuple(sorted(rules, key=lambda rule: rule.code)), tuple(problems), house)


def _refusal(who: str, offer: object, taken: dict[str, str]) -> str:
    if not isinstance(offer, Rule):
        return f"offers {type(offer).__name__} '{str(offer)[:40]}', which is not a Rule"
    wrong = offer.problems()
    if wrong:
        return f"offers the rule {offer.code} {offer.name}: {'; '.join(wrong)}"
    clash = next((word for word in (offer.code, offer.name) if word in taken), None)
    if clash is None:
        return ""
    other = "twice" if taken[clash] == who else f"but {taken[clash]} already has it"
    return f"offers '{clash}' {other}; the rule {offer.code} {offer.name} is left out"


def _broken(who: str, wrong: str) -> Finding:
    message = f"the plugin '{who}' {wrong}"
    return builtin_finding(BROKEN_PLUGIN, Location(who), message, help="repair or uninstall the plugin; the other rules still ran")


def _refused(who: str, place: str) -> Finding:
    """Who proposes a change of a checkout brings neither the rules that judge it nor the readers that read it."""
    message = f"the plugin '{who}' is not loaded: it is installed from a folder that is checked ({place})"
    cure = "install a copy of it (pip install, without -e), or from a checkout of its own; the other rules still ran"
    return builtin_finding(BROKEN_PLUGIN, Location(who), message, help=cure)


def _readers_left_out() -> tuple[Finding, ...]:
    """Readers of other packages that are not asked, and why."""
    brought = others()
    return tuple(_refused(one.who, one.place) if one.place else _broken(one.who, one.why) for one in (brought.left if brought else ()))


def collect(points: Iterable[EntryPoint]) -> Iterator[tuple[str, object] | Finding]:
    """What each entry point offers, rule by rule, or the finding that says why it cannot be loaded."""
    for point in points:
        who = point.owner or point.name
        checked = point.checked_place()
        if checked is not None:
            yield _refused(who, checked)
            continue
        try:
            offered = point.load()
            items = [offered] if isinstance(offered, Rule) else list(offered)
        except Exception as error:  # a plugin may raise anything at import
            yield _broken(who, f"cannot be loaded from '{point.value}': {type(error).__name__}: {error}")
            continue
        yield from ((who, item) for item in items)


def load(points: Iterable[EntryPoint] | None = None) -> Registry:
    """The registry of this installation (or of the given entry points), budgetlint's own rules first."""
    found = list(entry_points_of(RULES) if points is None else points)
    found.sort(key=lambda point: (point.owner != OWN, point.owner or point.name, point.name))
    collected = list(collect(found))
    if points is None and not any(point.owner == OWN for point in found):
        collected.append(_broken(OWN, "does not offer its own rules: it is not installed as a distribution (pip install budgetlint)"))
    broken = [item for item in collected if isinstance(item, Finding)]
    good = [item for item in collected if not isinstance(item, Finding)]
    registry = build(good, (*language_rules(), *BUILTIN_RULES))
    readers = _readers_left_out() if points is None else ()
    return Registry(registry.rules, (*broken, *registry.problems, *readers), registry.listed)


@cache
def installed() -> Registry:
    """`load`, once per process."""
    return load()


def language_rules() -> tuple[Rule, ...]:
    """The BL0xx problems of the parser as rules that are listed, never run and never suppressed."""
    from budgetlint.language.problems import PROBLEMS

    return tuple(_language_rule(row) for row in PROBLEMS.values())


def _language_rule(row: ProblemSpec) -> Rule:
    return Rule(row.code, row.name, row.severity, Confidence.HIGH, "language", never, row.manual, "0.1", aliases=row.aliases)
