"""The commands of a budget: `launch COMMAND…` read as the launches of a file, and what of them starts nothing.

A command that runs a script of the project (``bash run.sh 7b``) is that script with those arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from budgetlint.base.finding import Finding
from budgetlint.base.limits import LAUNCHES
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import SourceFile, Span, UnreadableFile
from budgetlint.documents.shell_work import work_of
from budgetlint.files.disk import Files
from budgetlint.language.budget import Budget, BudgetRun, LaunchLine
from budgetlint.launch.build import Builder
from budgetlint.launch.read import LAUNCHES as PURPOSE
from budgetlint.launch.read import budget_launches, budget_script, given_by, script_launches
from budgetlint.resolve.edges import BOUND, CALL, Edge, candidates
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.file_findings import file_finding
from budgetlint.resolve.named_files import matches
from budgetlint.resolve.state import Assembly

if TYPE_CHECKING:
    from budgetlint.documents.shell_words import Word
    from budgetlint.launch import Launch

CURE = "write the command that starts the training itself: torchrun …, accelerate launch …, python train.py …, or a known program"


@open_state
class BudgetLaunches:
    """The launches of one budget, those of each of its runs apart. ``scripts`` are the scripts that its commands run, which make no runs
    of their own; ``edges`` say which line runs them, and which line binds the files of ``{config}``."""

    files: Files
    budget: Budget
    runs: list[tuple[Launch, ...]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    scripts: dict[str, None] = field(default_factory=dict)
    edges: dict[Edge, None] = field(default_factory=dict)
    builders: dict[int, Builder] = field(default_factory=dict)

    def read(self) -> BudgetLaunches:
        given = given_by((), {name: _plain(text) for name, text in self.budget.variables.items()})
        for run in self.budget.runs:
            self.runs.append(tuple(launch for line in run.launches for launch in self._line(run, line, given)))
        return self

    def _line(self, run: BudgetRun, line: LaunchLine, given: Mapping[str, Word]) -> Sequence[Launch]:
        builder = self.builders.setdefault(id(line.source), self._builder(line, given))
        builder.seen.clear()  # two runs may start the same command
        found: list[Launch] = []
        for config in self._configs(run, line):
            found.extend(self._command(builder, line, config))
            if builder.work.cut:  # told once, at the command that is one too many
                break
        if not found and not (line.takes_configs and run.configs):
            self.findings.append(starts_nothing(line.source, line.span, "it starts no program that is known to train"))
        return found

    def _builder(self, line: LaunchLine, given: Mapping[str, Word]) -> Builder:
        return Builder(line.source, given=given, work=work_of(line.source, PURPOSE))

    def _configs(self, run: BudgetRun, line: LaunchLine) -> Iterator[str]:
        """What ``{config}`` stands for, one after the other; without it the command is one. One more than are read, so that it is told."""
        if not line.takes_configs:
            yield ""
            return
        for ref in run.configs:
            for path in matches(self.files, ref)[0][: LAUNCHES.most + 1]:
                self.edges[Edge(path, line.source.path, line.source.locate(line.span).line, ref.path, BOUND)] = None
                yield path

    def _command(self, builder: Builder, line: LaunchLine, config: str) -> Sequence[Launch]:
        found = budget_launches(builder, line, config)
        return found or self._script(builder, line, config)

    def _script(self, builder: Builder, line: LaunchLine, config: str) -> Sequence[Launch]:
        """The launches of the script that a command runs."""
        script = budget_script(builder, line, config)
        path = next(filter(self.files.exists, candidates(line.source.path, script[0])), None) if script is not None else None
        source = self.files.read(path) if path is not None else None
        if script is None or path is None or source is None or isinstance(source, UnreadableFile):
            return ()
        self.scripts[path] = None
        self.edges[Edge(path, line.source.path, line.source.locate(line.span).line, script[0], CALL)] = None
        held = {name: word.text for name, word in builder.given.items()}
        return script_launches(source, script[1], held)


def enter_launches(work: Assembly) -> None:
    """Give the entry of every budget its launches, so that they count like those of a script: for the runs, and for who reads a file."""
    project = work.project
    budgets = [entry.budget for entry in project.entries.values() if entry.budget is not None]
    for budget in (*budgets, *([work.extra] if work.extra else [])):
        if not any(run.launches for run in budget.runs):
            continue
        with project.contained("reading the commands of", budget.path):
            found = BudgetLaunches(work.files, budget).read()
            entry = project.entries.get(budget.path) or FileEntry(budget.path, "budget")
            every = tuple(launch for launches in found.runs for launch in launches)
            project.entries[budget.path] = replace(entry, launches=every, started=tuple(map(len, found.runs)))
            project.findings.extend(found.findings)
            work.edges.update(found.edges)
            work.bound.update((budget.path, *found.scripts))


def launches_of_runs(work: Assembly, budget: Budget) -> Iterator[tuple[Launch, ...]]:
    """The launches of each run of a budget, with their consumers."""
    entry = work.project.entries.get(budget.path)
    rest = entry.launches if entry is not None else ()
    counts = entry.started if entry is not None and entry.started else (0,) * len(budget.runs)
    for count in counts:
        yield rest[:count]
        rest = rest[count:]


def starts_nothing(source: SourceFile, span: Span, why: str) -> Finding:
    return file_finding("launch-without-run", source.locate(span), f"no run comes of this command: {why}", CURE)


def _plain(text: str) -> str:
    """The value of a ``let`` as a command takes it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
