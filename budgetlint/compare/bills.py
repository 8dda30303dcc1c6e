"""What a change costs: the runs before and after it, paired, and the difference of their bills term by term."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from budgetlint.engine.check import verdict_of
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Term
from budgetlint.results.comparison import Comparison, RunChange, SettingChange, Side, TermChange
from budgetlint.results.verdict import RunVerdict
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Setting


def sides(contexts: Iterable[RunContext]) -> tuple[Side, ...]:
    return tuple(Side(verdict_of(context), {**context.run.settings, **_versions(context)}) for context in contexts)


def _versions(context: RunContext) -> dict[str, Setting]:
    releases = context.run.stack.releases.values()
    return {f"stack {one.package}": Setting(f"stack {one.package}", one.said, one.origin, one.said) for one in releases}


# -- runs ----------------------------------------------------------------------------------------------------------------------


def compared(
    before: Iterable[Side], after: Iterable[Side], revision: str, commit: str, renamed: Mapping[str, str] | None = None
) -> Comparison:
    """``renamed``: files that have another name now, by their old one. Runs are named after files, or in budgets."""
    changes = [run_change(was, now) for was, now in paired(before, after, renamed or {})]
    listed = sorted((one for one in changes if differs(one)), key=_worst_first)
    return Comparison(revision, commit, tuple(listed), len(changes) - len(listed))


def differs(change: RunChange) -> bool:
    """Is there anything to tell?"""
    if change.before is None or change.after is None or change.terms or change.renamed:
        return True
    was, now = change.before.verdict, change.after.verdict
    answers = ((one.verdict, one.need, one.limit, one.least, one.missing, one.forks) for one in (was, now))
    return len(set(answers)) > 1 or any(setting.written for setting in change.settings)


_ORDER = (Verdict.DOES_NOT_FIT, Verdict.TIGHT, Verdict.UNKNOWN, Verdict.FITS)


def _worst_first(change: RunChange) -> tuple[bool, bool, int, int, str]:
    """What broke, then by verdict and by what it costs more; removed runs last."""
    return not change.broke, change.after is None, _ORDER.index(change.now.verdict), -change.difference, change.now.label


Pair = tuple[Side | None, Side | None]


def paired(before: Iterable[Side], after: Iterable[Side], renamed: Mapping[str, str]) -> list[Pair]:
    """Each run with itself: by its label (name, target and cell), else by what is left of the label where one run of either time
    is: the name and the cell (a target got a name, or another one), the name alone."""
    was, now = list(before), list(after)
    found: list[Pair] = []
    for key in _KEYS:
        mine, theirs = _by_key(was, key, renamed), _by_key(now, key, {})
        for name in mine.keys() & theirs.keys():
            if len(mine[name]) == len(theirs[name]) and (key is _KEYS[0] or len(mine[name]) == 1):
                found += zip(mine[name], theirs[name], strict=True)
        taken = {id(side) for pair in found for side in pair}
        was, now = [one for one in was if id(one) not in taken], [one for one in now if id(one) not in taken]
    return [*found, *((None, one) for one in now), *((one, None) for one in was)]


Key = Callable[[RunVerdict, str], tuple[str, ...]]
_KEYS: tuple[Key, ...] = (
    lambda run, name: (name, run.target or "", run.cell),
    lambda run, name: (name, run.cell),
    lambda _run, name: (name,),
)


def _by_key(some: Iterable[Side], key: Key, renamed: Mapping[str, str]) -> dict[tuple[str, ...], list[Side]]:
    found: dict[tuple[str, ...], list[Side]] = defaultdict(list)
    for side in some:
        found[key(side.verdict, new_name(side.verdict.name, renamed))].append(side)
    return found


def new_name(name: str, renamed: Mapping[str, str]) -> str:
    """A run's name with its file as it is called now: ``FILE``, ``FILE#2`` or ``run:FILE``."""
    lead, colon, rest = name.rpartition(":")
    path, mark, number = rest.partition("#")
    return name if path not in renamed else f"{lead}{colon}{renamed[path]}{mark}{number}"


# -- one run -------------------------------------------------------------------------------------------------------------------


def run_change(before: Side | None, after: Side | None) -> RunChange:
    """What differs of one run: of one that is new, or gone, the whole bill."""
    settings = tuple(setting_changes(before.settings, after.settings)) if before and after else ()
    by_name = {change.name: change for change in settings}
    bills = [side.verdict.bill if side else () for side in (before, after)]
    terms = (_with_causes(*pair, by_name) for pair in paired_terms(*bills))
    dearest = sorted((term for term in terms if term.difference), key=lambda term: -abs(term.difference))
    return RunChange(before, after, settings, tuple(dearest))


def setting_changes(before: Mapping[str, Setting], after: Mapping[str, Setting]) -> Iterator[SettingChange]:
    """By name; those that somebody wrote first, then those that follow from them."""
    names = dict.fromkeys((*after, *before))
    found = [SettingChange(name, before.get(name), after.get(name)) for name in names if _means(before, name) != _means(after, name)]
    yield from sorted(found, key=lambda change: not change.written)


def _means(settings: Mapping[str, Setting], name: str) -> object:
    setting = settings.get(name)
    return None if setting is None else (setting.state, setting.value if setting.known else setting.text)


def _with_causes(before: Term | None, after: Term | None, changed: Mapping[str, SettingChange]) -> TermChange:
    terms = [term for term in (after, before) if term is not None]
    names = dict.fromkeys(setting.name for term in terms for setting in term.because)
    return TermChange(terms[0].bucket, before, after, tuple(changed[name] for name in names if name in changed))


TermPair = tuple[Term | None, Term | None]


def paired_terms(before: Iterable[Term], after: Iterable[Term]) -> list[TermPair]:
    """Each term with itself: by its id, first where its bytes are the same, else by what follows the first part of it: a tensor that is
    made again is the one that was kept, a state the one of another optimizer. Every term is in one pair, so the differences add up."""
    was, now = list(before), list(after)
    found: list[TermPair] = []
    for key in _TERM_KEYS:
        theirs: dict[object, list[Term]] = defaultdict(list)
        for term in was:
            theirs[key(term)].append(term)
        left = []
        for term in now:
            mine = theirs[key(term)]
            if mine:
                found.append((mine.pop(0), term))
            else:
                left.append(term)
        was, now = [term for terms in theirs.values() for term in terms], left
    return [*found, *((None, term) for term in now), *((term, None) for term in was)]


_TERM_KEYS: tuple[Callable[[Term], object], ...] = (
    lambda term: (term.id, term.bytes),
    lambda term: term.id,
    lambda term: (term.bucket, term.id.partition(".")[2] or term.id),
)
