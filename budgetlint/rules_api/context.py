"""What a rule is given: a run, a document or a budget, with a builder that turns a place and a sentence into a `Finding`.

A context is bound to the rule that runs (`bound`), so a rule writes ``run.finding(setting, "what is wrong: what it costs",
help="what to write")`` and nothing about itself. A place is anything that has one: a setting, an origin, a location, an entry
or node of a document, or any part of a budget that carries its origin.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from budgetlint.base.crash import Crash
from budgetlint.base.finding import Because, Confidence, Finding, Fix, Related, Safety, Severity
from budgetlint.base.record import field, open_record
from budgetlint.base.source import Location, SourceFile
from budgetlint.documents import Document, Entry, Node, Scalar, Value
from budgetlint.language.budget import Budget, BudgetRun, Target
from budgetlint.memory.estimate import Estimate
from budgetlint.rules_api import edits as cures
from budgetlint.rules_api.location import At, Elsewhere, Place, place_of
from budgetlint.settings.run import Reading, Run, Setting, Settings, Stack, run_label

if TYPE_CHECKING:
    from budgetlint.catalog.architecture import Architecture
    from budgetlint.measured.lines import Line
    from budgetlint.measured.watched import Watched
    from budgetlint.memory.short_rows import ShortRows

    # for types: a rule is given a context, and a context knows the rule it is bound to
    from budgetlint.rules_api.rule import Rule
    from budgetlint.settings.program import FollowedProgram, OriginStep

ENGINE = "deepspeed"


@open_record
class Context(ABC):
    """What all three contexts share. ``rule`` is set by the engine before it calls the rule."""

    rule: Rule | None = field(default=None, repr=False, kw_only=True)

    def bound(self, rule: Rule | None) -> Self:
        """A copy of this context, for one rule. Plain: made for every file, five times faster than ``replace``."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, rule=rule)
        return copy

    @property
    @abstractmethod
    def anchor(self) -> Location:
        """Where a finding about the whole thing stands."""

    @property
    def label(self) -> str:
        """The run that a finding concerns; empty outside runs."""
        return ""

    def _source(self) -> SourceFile | None:
        return None

    def _edited(self) -> tuple[Document, ...]:
        """The documents that fixes may edit."""
        return ()

    def set(self, at: Setting | Entry, value: Value, title: str = "", *, safety: Safety = Safety.UNSAFE) -> tuple[Fix, ...]:
        """For ``fixes=``: write another value. Empty where the text has no such place (a default, a flag, a budget). A fix is unsafe
        unless its rule says that it changes nothing in any run that trains."""
        return cures.set_value(self._edited(), at, value, title, safety)

    def delete(self, at: Setting | Entry, title: str = "", *, safety: Safety = Safety.UNSAFE) -> tuple[Fix, ...]:
        return cures.delete(self._edited(), at, title, safety)

    def rename(self, at: Setting | Entry, name: str, title: str = "", *, safety: Safety = Safety.UNSAFE) -> tuple[Fix, ...]:
        return cures.rename(self._edited(), at, name, title, safety)

    def insert_after(
        self, at: Setting | Entry, name: str, value: Value, title: str = "", *, safety: Safety = Safety.UNSAFE
    ) -> tuple[Fix, ...]:
        """For ``fixes=``: a new key behind the one at ``at``."""
        return cures.insert_after(self._edited(), at, name, value, title, safety)

    def advice(self, title: str) -> tuple[Fix, ...]:
        """For ``fixes=``: told, never applied."""
        return cures.advice(title)

    def finding(
        self,
        at: At,
        message: str,
        *,
        help: str = "",
        because: Iterable[Setting] = (),
        related: Iterable[Elsewhere] = (),
        fixes: Iterable[Fix] = (),
        numbers: Mapping[str, Any] | None = None,
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        key: str | None = None,
        value: str | None = None,
    ) -> Finding:
        """A finding of the bound rule at ``at``.

        A default stands nowhere: then the first of ``because`` that has a place is used, else the top of the file. Settings in
        ``because`` that stand elsewhere become related places by themselves. ``numbers`` carry their unit in the name
        (``need_bytes``, ``seq_tokens``). ``severity`` and ``confidence`` default to the rule's own.
        """
        rule = self.rule
        if rule is None:
            raise RuntimeError("finding() is called by a rule that the engine runs; bind the context first")
        reasons = [at, *because] if isinstance(at, Setting) else list(because)
        place = self._place(at, reasons)
        return Finding(
            code=rule.code,
            name=rule.name,
            severity=severity or rule.severity,
            confidence=confidence or rule.confidence,
            message=message,
            location=place.location,
            help=help,
            key=place.key if key is None else key,
            value=place.value if value is None else value,
            related=self._related(place.location, related, reasons),
            fixes=tuple(fixes),
            numbers=dict(numbers or {}),
            because=_reasons(reasons),
            runs=(self.label,) if self.label else (),
        )

    def _place(self, at: At, reasons: Iterable[Setting]) -> Place:
        for candidate in (at, *reasons):
            place = place_of(candidate, self._source())
            if place is not None:
                return place
        return Place(self.anchor)

    def _related(self, primary: Location, given: Iterable[Elsewhere], reasons: Iterable[Setting]) -> tuple[Related, ...]:
        """The places given, then the reasons that stand elsewhere; each line once."""
        found = {primary: Related(primary, "")}
        for item in given:
            related = item if isinstance(item, Related) else self._elsewhere(*item)
            if related:
                found.setdefault(related.location, related)
        for setting in reasons:
            location = setting.origin.location
            if location:
                found.setdefault(location, Related(location, f"{setting.origin.key or setting.name} is {setting.shown}"))
        return tuple(related for location, related in found.items() if location != primary)

    def _elsewhere(self, at: At, message: str) -> Related | None:
        place = place_of(at, self._source())
        return Related(place.location, message) if place else None


def _reasons(settings: Iterable[Setting]) -> tuple[Because, ...]:
    return tuple(dict.fromkeys(setting.because() for setting in settings))


@open_record
class RunContext(Context):
    """One run on one target, in one matrix cell.

    ``run.settings`` are what will run; ``budget_run.settings`` what the budget claims. ``plan`` is a ``memory.plan.Plan``;
    ``recorded`` what was measured of this run, in its budget and in the budget.lock beside it; ``named`` what the files say that a
    declared run names, and that decide nothing; ``watched`` what it was written from; ``beside`` the files of both.
    ``architecture`` is the model's shape, ``model_steps`` how it is known where its name alone does not say. Where the name only suggests
    a model, rules are given a run without one, and ``supposed`` is the answer if it is that.
    """

    run: Run
    target: Target | None = None
    cell: str = ""
    budget: Budget | None = None
    budget_run: BudgetRun | None = None
    plan: Any = None
    estimate: Estimate | None = None
    recorded: tuple[Line, ...] = ()
    named: Settings = field(default_factory=Settings, repr=False)
    watched: tuple[Watched, ...] = ()
    beside: tuple[str, ...] = ()
    architecture: Architecture | None = field(default=None, repr=False)
    model_steps: tuple[OriginStep, ...] = ()
    supposed: Estimate | None = None

    @property
    def answer(self) -> Estimate | None:
        """What is told of the run: its estimate, or the one that rests on what its model's name suggests."""
        return self.supposed or self.estimate

    @property
    def short_rows(self) -> ShortRows | None:
        """How it stands with short rows, where its length is only a limit; None where every batch is as long, or a budget says so."""
        claim, length = self.claim("seq_len"), self.setting("seq_len")
        said = claim is not None and length is not None and claim.known and claim.value == length.value
        return self.estimate.short_rows if self.estimate is not None and not said else None

    @property
    def label(self) -> str:
        """``sft``, ``sft@cloud`` or ``sft@cloud[seq=4096]``."""
        return run_label(self.run.name, self.target.name if self.target else None, self.cell)

    @property
    def anchor(self) -> Location:
        if self.run.readings:
            return Location((self.run.trainer or self.run.readings[0]).document.path)
        origin = self.budget_run.origin.location if self.budget_run else None
        return origin or Location(self.budget.path if self.budget else self.run.name)

    def _edited(self) -> tuple[Document, ...]:
        return tuple(reading.document for reading in self.run.readings)

    @property
    def program(self) -> FollowedProgram | None:
        """The program of the project that was followed to make this run; None where a reader reads its files."""
        return next((reading.program for reading in self.run.readings if reading.program is not None), None)

    def setting(self, name: str) -> Setting | None:
        return self.run.settings.get(name)

    def value(self, name: str, default: Any = None) -> Any:
        """The plain value; ``default`` where the setting is absent or not known (``auto``, ``${VAR}``)."""
        return self.run.settings.value(name, default)

    def claim(self, name: str) -> Setting | None:
        """What the budget says about this setting."""
        return self.budget_run.settings.get(name) if self.budget_run else None

    def documents(self, format: str | None = None) -> tuple[Reading, ...]:
        return tuple(reading for reading in self.run.readings if format in (None, reading.format))

    def reading(self, format: str) -> Reading | None:
        found = self.run.reading(format)
        return found if found is not None or format != ENGINE else self.engine

    @property
    def engine(self) -> Reading | None:
        """What the trainer's own document holds of DeepSpeed's, where no file of its own does."""
        from budgetlint.rules_api.toolbox.documents import engine_inside  # the toolbox is loaded where it is asked

        trainer = self.run.trainer
        return engine_inside(trainer) if trainer is not None and self.run.reading(ENGINE) is None else None

    @property
    def formats(self) -> frozenset[str]:
        """Of its documents, and of what stands inside them."""
        own = frozenset(reading.format for reading in self.run.readings)
        return own if self.engine is None else own | {ENGINE}

    def at_least(self, package: str, version: str) -> bool | None:
        """Does the run use ``package >= version``? None when the stack does not tell."""
        return self.run.stack.at_least(package, version)


@open_record
class DocumentContext(Context):
    """One document that a reader recognised. Values are read as the framework's own loader reads them.

    ``stack_of`` finds the framework versions that hold for it, ``program_of`` the text of the script that a command's flags go to, where it
    lies in the project, ``asked_for`` the keys that the project's own programs ask for by name; only rules that need them
    ask.
    """

    reading: Reading
    stack_of: Callable[[Reading], Stack] = field(default=lambda _reading: Stack(), repr=False)
    program_of: Callable[[Reading], SourceFile | None] = field(default=lambda _reading: None, repr=False)
    asked_for: Callable[[], frozenset[str]] = field(default=frozenset, repr=False)

    @property
    def program(self) -> SourceFile | None:
        """The script that takes these flags; None for a tool, and for what is not here."""
        return self.program_of(self.reading)

    def at_least(self, package: str, version: str) -> bool | None:
        """Is the document used with ``package >= version``? None when the stack does not tell."""
        return self.stack_of(self.reading).at_least(package, version)

    @property
    def anchor(self) -> Location:
        return Location(self.reading.document.path)

    def _source(self) -> SourceFile:
        return self.reading.document.source

    def _edited(self) -> tuple[Document, ...]:
        return (self.reading.document,)

    @property
    def format(self) -> str:
        return self.reading.format

    def entry(self, path: str) -> Entry | None:
        """Key and value at a dotted path (``zero_optimization.stage``)."""
        return self.reading.document.entry(path)

    def node(self, path: str) -> Node | None:
        return self.reading.document.get(path)

    def text(self, path: str) -> str | None:
        """The value at a path as it is written, unquoted; None for a block or nothing."""
        node = self.node(path)
        return node.text if isinstance(node, Scalar) else None

    def setting(self, name: str) -> Setting | None:
        return self.reading.settings.get(name)

    def value(self, name: str, default: Any = None) -> Any:
        return self.reading.settings.value(name, default)


@open_record
class BudgetContext(Context):
    """One budget. ``source`` is its text (None for a budget made from command-line settings)."""

    budget: Budget
    source: SourceFile | None = None

    @property
    def anchor(self) -> Location:
        return Location(self.budget.path)

    def _source(self) -> SourceFile | None:
        return self.source


@open_record
class Judged:
    """Everything that one check is about, ready to be handed to the rules.

    ``findings`` are problems that were met before any rule could run (a file that cannot be read); ``sources`` further texts
    that findings may point into, such as included budgets; their comments may hold suppressions. ``flags`` are the arguments of
    the programs that launch commands start, as documents; ``crashes`` what raised so far.
    """

    runs: tuple[RunContext, ...] = ()
    documents: tuple[DocumentContext, ...] = ()
    budgets: tuple[BudgetContext, ...] = ()
    findings: tuple[Finding, ...] = ()
    sources: tuple[SourceFile, ...] = ()
    flags: tuple[DocumentContext, ...] = ()
    crashes: tuple[Crash, ...] = ()
