"""What a change costs, run by run and term by term: the records that `budgetlint.compare.bills` fills and reports print."""

from __future__ import annotations

from collections.abc import Mapping

from budgetlint.base.record import field, open_record, record
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket, Term
from budgetlint.results.verdict import RunVerdict
from budgetlint.settings.run import Setting


@record
class Side:
    """One run at one time: its verdict with its bill, and its settings by name; versions of the stack are among them."""

    verdict: RunVerdict
    settings: Mapping[str, Setting] = field(default_factory=dict, repr=False)

    @property
    def need(self) -> int:
        """Bytes; the bill adds up to it. 0 where nothing is known."""
        return self.verdict.need or 0


@record
class SettingChange:
    """A setting that is another one now; None where there was, or is, none."""

    name: str
    before: Setting | None
    after: Setting | None

    @property
    def now(self) -> Setting:
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def written(self) -> bool:
        """Does one side stand in a file, or on the command line? The others follow from such."""
        return any(one is not None and not one.is_default for one in (self.before, self.after))


@record
class TermChange:
    """A line of the bill before and after; None where it was not, or is no longer, there. ``causes`` are the changed settings
    among those that set it, strongest first; none where it changed with the moment of the peak, or with other terms."""

    bucket: Bucket
    before: Term | None
    after: Term | None
    causes: tuple[SettingChange, ...] = ()

    @property
    def difference(self) -> int:
        """Bytes, negative where it shrank."""
        return (self.after.bytes if self.after else 0) - (self.before.bytes if self.before else 0)

    @property
    def term(self) -> Term:
        found = self.after or self.before
        assert found is not None
        return found


@open_record
class RunChange:
    """One run before and after; None where it was not, or is no longer, there. ``terms`` hold only what differs, dearest first:
    their differences add up to that of the need, exactly."""

    before: Side | None
    after: Side | None
    settings: tuple[SettingChange, ...] = ()
    terms: tuple[TermChange, ...] = ()

    @property
    def now(self) -> RunVerdict:
        side = self.after or self.before
        assert side is not None
        return side.verdict

    @property
    def kind(self) -> str:
        return "added" if self.before is None else "removed" if self.after is None else "changed"

    @property
    def difference(self) -> int:
        """Bytes of need."""
        return (self.after.need if self.after else 0) - (self.before.need if self.before else 0)

    @property
    def broke(self) -> bool:
        """It does not fit, and did not say so before."""
        was = self.before.verdict.verdict if self.before else None
        return self.after is not None and self.after.verdict.verdict is Verdict.DOES_NOT_FIT and was is not Verdict.DOES_NOT_FIT

    @property
    def renamed(self) -> str:
        """Its label before, where that was another; else nothing."""
        was = self.before.verdict.label if self.before else ""
        return was if self.after is not None and was != self.after.verdict.label else ""


@open_record
class Comparison:
    """``revision`` as it was asked for, ``commit`` its id. ``runs`` are those that differ, the worst first; ``unchanged`` counts
    the others that were judged. ``known`` counts findings that were there already, ``fixed`` those that are gone, ``untouched`` files
    that were not judged because nothing of the change can reach them."""

    revision: str
    commit: str
    runs: tuple[RunChange, ...] = ()
    unchanged: int = 0
    known: int = 0
    fixed: int = 0
    untouched: int = 0
