"""What the reports on a change have in common: what changed in words, and the difference of a bill by what caused it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from budgetlint.base.record import record
from budgetlint.base.units import distinct, gib
from budgetlint.memory.term import Bucket
from budgetlint.report.answer import short
from budgetlint.report.headroom import shown_figures
from budgetlint.report.style import plural
from budgetlint.report.tree import Tree
from budgetlint.results.comparison import Comparison, RunChange, SettingChange, TermChange
from budgetlint.results.verdict import RunVerdict
from budgetlint.settings.run import Setting


@record
class Group:
    """Terms that the same changed settings set. ``causes`` is empty for what changed with other terms."""

    causes: tuple[SettingChange, ...]
    terms: tuple[TermChange, ...]

    @property
    def difference(self) -> int:
        return sum(term.difference for term in self.terms)


def groups(change: RunChange) -> list[Group]:
    """The terms by what caused them, dearest first; together they are the difference of the need."""
    found: dict[tuple[str, ...], list[TermChange]] = defaultdict(list)
    causes: dict[tuple[str, ...], tuple[SettingChange, ...]] = {}
    for term in change.terms:
        mine = _written(term.causes)
        names = tuple(one.name for one in mine)
        causes[names] = mine
        found[names].append(term)
    made = [Group(causes[names], tuple(terms)) for names, terms in found.items()]
    return sorted(made, key=lambda group: (not group.causes, -abs(group.difference)))


def _written(causes: tuple[SettingChange, ...]) -> tuple[SettingChange, ...]:
    """Those that somebody wrote; where none is, those that follow from them."""
    return tuple(one for one in causes if one.written) or causes


def told_settings(change: RunChange) -> list[SettingChange]:
    """What somebody wrote otherwise; where nothing is, what is another default now."""
    written = [one for one in change.settings if one.written]
    return written or list(change.settings)


def buckets(change: RunChange) -> dict[Bucket, tuple[int, int]]:
    """What is live at the peak, in bytes before and after, by bucket: those that are there on one side at least."""
    sides = [_sums(side.verdict if side else None) for side in (change.before, change.after)]
    return {bucket: (sides[0][bucket], sides[1][bucket]) for bucket in Bucket if sides[0][bucket] or sides[1][bucket]}


def _sums(verdict: RunVerdict | None) -> Mapping[Bucket, int]:
    sums: dict[Bucket, int] = defaultdict(int)
    for term in verdict.bill if verdict else ():
        sums[term.bucket] += term.bytes
    return sums


# -- words ---------------------------------------------------------------------------------------------------------------------


def signed(size: int) -> str:
    """``+2.00 GiB``, ``-310.00 MiB``, ``0 B``."""
    return f"+{gib(size)}" if size > 0 else gib(size)


def key_of(change: SettingChange) -> str:
    """The key as it is written, before or now; a budget's statement or a default by the name of its setting."""
    written = next((one for one in (change.after, change.before) if one is not None and one.origin.key), None)
    return written.origin.key if written is not None else change.name


def value_of(setting: Setting | None) -> str:
    return "not set" if setting is None else setting.shown


def where_of(setting: Setting | None, tree: Tree = Tree()) -> str:
    """``file:line``, or the source of a default."""
    if setting is None:
        return ""
    at = setting.origin.location
    return f"{tree.path(at.file)}:{at.line}" if at else setting.origin.note or setting.origin.kind.value


def places_of(change: SettingChange, tree: Tree = Tree()) -> str:
    """Where it stands now; where it stood, too, if that is another place."""
    before, after = where_of(change.before, tree), where_of(change.after, tree)
    return after if not before or before == after else f"{before} before" if not after else f"{after}, before {before}"


def set_by(change: TermChange, tree: Tree = Tree()) -> str:
    """``file:line key`` of the setting that sets a term: a changed one, else the first that stands in a file."""
    names = {cause.name for cause in change.causes}
    located = [one for one in change.term.because if one.origin.location]
    setting = next((one for one in located if one.name in names), None) or next(iter(located), None)
    return f"{where_of(setting, tree)} {setting.origin.key or setting.name}" if setting else ""


def needs(change: RunChange) -> str:
    """``4.34 GiB -> 18.34 GiB``; of a run that is only there at one time, its need."""
    was, now = (_need(side.verdict) if side else "" for side in (change.before, change.after))
    if change.before and change.after and change.difference and was and now and not (change.before.verdict.least or change.now.least):
        was, now = distinct(change.before.need, change.after.need)
    return _arrow(was or "not known", now or "not known") if change.before and change.after else now or was or "not known"


def _need(verdict: RunVerdict) -> str:
    return shown_figures(verdict)[0]


def limits(change: RunChange) -> str:
    """Empty where no budget says what the device offers."""
    found = [side.verdict.limit for side in (change.before, change.after) if side]
    words = [gib(limit) if limit is not None else "none" for limit in found]
    if len(set(found)) > 1 and None not in found:
        words = list(distinct(found[0] or 0, found[1] or 0))
    return "" if set(found) == {None} else words[0] if len(set(found)) == 1 else _arrow(*words)


def verdicts(change: RunChange) -> tuple[str, str]:
    """Before and after, in words; ``new`` and ``removed`` where there is none."""
    was = short(change.before.verdict) if change.before else "new"
    return was, short(change.after.verdict) if change.after else "removed"


def _arrow(was: str, now: str) -> str:
    return was if was == now else f"{was} -> {now}"


def rest_line(comparison: Comparison, listed: int) -> str:
    """How many runs differ from the revision, and how many do not."""
    rest = f"; {plural(comparison.untouched, 'file')} out of its reach not judged" if comparison.untouched else ""
    same = f"{comparison.unchanged:,} unchanged{rest}"
    return (
        f"{plural(listed, 'run')} changed since {comparison.revision}, {same}"
        if listed
        else f"no run changed since {comparison.revision}, {same}"
    )


def terms_of(some: Iterable[TermChange], most: int) -> tuple[list[TermChange], list[TermChange]]:
    """The dearest, and the rest of them."""
    found = list(some)
    return (found, []) if len(found) <= most + 1 else (found[:most], found[most:])
