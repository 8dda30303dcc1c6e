"""What lies in a project: every config file read, recognised and turned into a reading; every budget; every problem."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.crash import Crash
from budgetlint.base.finding import Finding, Severity
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import Location, SourceFile, UnreadableFile
from budgetlint.documents import Document, Problem
from budgetlint.documents.failure import TOO_LARGE
from budgetlint.documents.load import load
from budgetlint.files.disk import Files
from budgetlint.files.walk import TOO_LARGE as OVER_SIZE
from budgetlint.files.walk import Passed
from budgetlint.files.wanted import NOTEBOOK_SUFFIX, PYTHON_SUFFIX, is_exported, is_readme, makes_arguments
from budgetlint.readers import Reader, Tie, identify
from budgetlint.resolve.file_entries import FileEntry, is_script, notebook_entry, program_entry, readme_entry, script_entry
from budgetlint.resolve.file_findings import file_finding
from budgetlint.resolve.file_kinds import (
    MEASURED,
    RECORDED,
    foreign_keys,
    job_kind,
    job_launches,
    looks_like_config,
    looks_like_job,
    looks_like_large_config,
    reader_named,
    unclaimed_data,
    with_values,
)
from budgetlint.settings.run import Reading

if TYPE_CHECKING:  # most projects hold neither
    from budgetlint.language.budget import Budget, Measured
    from budgetlint.launch import Launch

BUDGET_SUFFIX = ".budget"
LOCK = "budget.lock"


def lock_beside(budget: str) -> str:
    """The path of a budget's lock: in its folder; for a budget from the command line in the working directory."""
    return posixpath.join(posixpath.dirname(budget), LOCK)


@open_state
class Project:
    """Files by path, read at most once. ``findings`` are the problems met on the way; ``listed`` are files that are not read
    unless one is named, because nothing but their own runs is asked about."""

    files: Files
    entries: dict[str, FileEntry] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    listed: tuple[str, ...] = ()
    locked_lines: dict[str, tuple[Measured, ...]] = field(default_factory=dict)
    crashes: list[Crash] = field(default_factory=list)
    passed: list[Passed] = field(default_factory=list)
    """Files that were found, and are no config for their size."""
    bind: Callable[[Budget], Budget] | None = None
    """What a policy makes of each budget."""
    templates: dict[str, Finding] = field(default_factory=dict)
    """By path, files that nobody named and that something may fill in before they are read, with what is wrong with them till then."""
    named: frozenset[str] = frozenset()
    claim: Callable[[FileEntry], FileEntry] | None = None
    """Says who reads a file, once all that is here is known."""
    _scripts: dict[str, dict[str, str]] = field(default_factory=dict)
    """By folder, the console scripts that hold there."""

    def add(self, path: str) -> FileEntry:
        """Read one file and say what it is. Files that nobody claims are kept with ``format`` None."""
        if path not in self.entries:
            with self.contained("reading", path):
                self.entries[path] = self._read(path)
            self.entries.setdefault(path, FileEntry(path, None, problem="reading it failed: a bug in budgetlint"))
            self._claimed(path)
        return self.entries[path]

    def _claimed(self, path: str) -> None:
        if self.claim is not None:
            with self.contained("reading", path):
                self.entries[path] = self.claim(self.entries[path])

    @contextmanager
    def contained(self, part: str, where: str) -> Iterator[None]:
        """What raises inside is one finding about ``where``, a file or a run; the rest goes on."""
        try:
            yield
        except Exception:  # a bug may raise anything
            import traceback

            crash = Crash(part, where, traceback.format_exc())
            self.crashes.append(crash)
            message = f"{part} {where} failed: {crash.error}"
            cure = "this is a bug in budgetlint: report it with this file; the other files are checked"
            self.findings.append(file_finding("internal-error", Location(where.partition("#")[0]), message, cure))

    def passes(self, path: str) -> bool:
        """Is this a file that nobody named, and larger than any config? A repository may hold its data set as JSON."""
        source = self.files.read(path)
        if not isinstance(source, UnreadableFile) or not source.too_large:
            return False
        self.entries[path] = FileEntry(path, None, problem=source.problem)
        self.passed.append(Passed(path, OVER_SIZE))
        return True

    def _read(self, path: str) -> FileEntry:
        source = self.files.read(path)
        if isinstance(source, UnreadableFile):
            return self._unreadable(source)
        self._named_scripts(source)
        with_values(source, self._text)
        if path.endswith(BUDGET_SUFFIX):
            return self._budget(path, source)
        if path.rpartition("/")[2] == LOCK:
            return self._lock(path, source)
        if is_readme(path):
            return readme_entry(source)
        if is_script(path, source):
            return script_entry(source)
        if path.endswith(NOTEBOOK_SUFFIX) or (path.endswith(PYTHON_SUFFIX) and is_exported(source.text.encode(errors="replace"))):
            return notebook_entry(source)
        if path.endswith(PYTHON_SUFFIX) and not makes_arguments(source.text.encode(errors="replace")):
            return program_entry(source)
        return self._config(path, source)

    def _named_scripts(self, source: SourceFile) -> None:
        """Tell a file that may start programs which console scripts the project declares."""
        path = source.path
        if not (path.endswith((BUDGET_SUFFIX, NOTEBOOK_SUFFIX)) or is_readme(path) or is_script(path, source)):
            return
        from budgetlint.launch.console import FACT, beside

        found = beside(path, self._text, self._scripts)
        if found:
            source.facts[FACT] = found

    def _text(self, path: str) -> SourceFile | None:
        found = self.files.read(path) if self.files.exists(path) else None
        return found if isinstance(found, SourceFile) else None

    def console_scripts(self) -> Mapping[str, str]:
        """What the project's own folder declares, and those of its scripts."""
        from budgetlint.launch.console import beside

        beside("", self._text, self._scripts)
        return {name: target for found in self._scripts.values() for name, target in found.items()}

    def _unreadable(self, wrong: UnreadableFile) -> FileEntry:
        self.findings.append(file_finding("unreadable-file", Location(wrong.path), f"{wrong.path} {wrong.problem}", wrong.cure))
        return FileEntry(wrong.path, None, problem=wrong.problem)

    def _budget(self, path: str, source: SourceFile) -> FileEntry:
        from budgetlint.language import read_budget

        budget = self.bound(read_budget(source, load=self.files.read))
        return FileEntry(path, "budget", budget=budget, source=source)

    def bound(self, budget: Budget) -> Budget:
        return budget if self.bind is None else self.bind(budget)

    def _lock(self, path: str, source: SourceFile) -> FileEntry:
        """Measured lines, in the language of budgets; it holds for no file and makes no run."""
        from budgetlint.language import read_budget

        budget = read_budget(source, load=self.files.read)
        self.findings.extend(budget.problems)
        self.locked_lines[path] = tuple(line for run in self.bound(budget).runs[:1] for line in run.measured)
        return FileEntry(path, "budget-lock", source=source)

    def locked(self, path: str) -> tuple[Measured, ...]:
        """What the lock at ``path`` says was measured."""
        self.add(path)
        return self.locked_lines.get(path, ())

    def _config(self, path: str, source: SourceFile) -> FileEntry:
        if all(word in source.text for word in MEASURED):
            return FileEntry(path, None, source=source)
        data = unclaimed_data(path, source)
        if data is not None:
            return data
        readings: list[Reading] = []
        launches: list[Launch] = []
        job = problem = ""
        for document in load(source):
            if document.root is None:
                problem = problem or self._unparsed(document)
                continue
            found = identify(document)
            if isinstance(found, Tie):
                problem = self._tie(document, found)
            elif found is not None:
                readings.append(found.read(document))
            elif kind := job_kind(document):
                job = job or kind
                launches.extend(job_launches(document))
            else:
                problem = self._mixed(document) or problem
        format_name = readings[0].format if readings else job or None
        return FileEntry(path, format_name, tuple(readings), source=source, problem=problem, launches=tuple(launches))

    def _unparsed(self, document: Document) -> str:
        """A file that does not parse is a finding only when its text looks like a training config, else it is just listed."""
        for problem in document.problems:
            if problem.kind == TOO_LARGE:
                return self._too_large(document, problem)
            wrong = f"not valid {document.format.upper()}: {problem.message}"
            if looks_like_config(document.source.text):
                self._tell_unparsable(document, file_finding("unparsable-file", problem.location, wrong, problem.cure))
            return wrong
        return ""

    def _tell_unparsable(self, document: Document, finding: Finding) -> None:
        from budgetlint.resolve.templates import is_template  # it asks what launches open

        if document.path not in self.named and is_template(document.source.text):
            self.templates[document.path] = finding
        else:
            self.findings.append(finding)

    def _too_large(self, document: Document, problem: Problem) -> str:
        text = document.source.text
        if RECORDED not in text and (looks_like_large_config(document.source) or looks_like_job(text)):
            message = f"{document.path} holds {problem.message}"
            self.findings.append(file_finding(TOO_LARGE, problem.location, message, problem.cure))
        return f"holds {problem.message}"

    def _tie(self, document: Document, tie: Tie) -> str:
        names = " and ".join(reader.format for reader in tie.readers)
        self.findings.append(
            file_finding(
                "ambiguous-format",
                Location(document.path),
                f"{document.path} reads equally well as {names}",
                "say which in a budget: config PATH kind=NAME",
                severity=Severity.WARNING,
            )
        )
        return f"equally {names}"

    def _mixed(self, document: Document) -> str:
        """A document that nobody claims because it holds the keys of two trainers: neither would start with it."""
        found = foreign_keys(document)
        if len(found) < 2:
            return ""
        (one, ours), (other, theirs), *_ = found.items()
        told = f"keys of {one} ({', '.join(key.text for key in ours)}) beside keys of {other} ({', '.join(key.text for key in theirs)})"
        self.findings.append(
            file_finding(
                "ambiguous-format",
                document.source.locate(theirs[0].span),
                f"{document.path} holds {told}: it is read as neither",
                "keep the keys of one trainer, or say which in a budget: config PATH kind=NAME",
                severity=Severity.WARNING,
            )
        )
        return told

    def as_kind(self, path: str, kind: str) -> FileEntry:
        """Read a file as the format a budget names for it (``config train.yaml kind=axolotl``)."""
        reader = reader_named(kind)
        entry = self.add(path)
        if reader is None or entry.source is None or entry.budget is not None:
            return entry
        with self.contained("reading", path):
            found = entry if entry.format == reader.format else self._read_by(reader, entry.source)
            self.entries[path] = replace(found, kind=kind)
        self._claimed(path)
        return self.entries[path]

    def _read_by(self, reader: Reader, source: SourceFile) -> FileEntry:
        readings = tuple(reader.read(document) for document in load(source) if document.root is not None)
        return FileEntry(source.path, readings[0].format if readings else None, readings, source=source)

    @cached_property
    def names(self) -> Mapping[str, list[str]]:
        """Paths by base name, for references that resolve by a unique name."""
        found: dict[str, list[str]] = {}
        for path in dict.fromkeys((*self.entries, *self.listed)):
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found


def open_project(
    files: Files, paths: Sequence[str], listed: tuple[str, ...] = (), bind: Callable[[Budget], Budget] | None = None
) -> Project:
    """Read every config file among and below ``paths``."""
    named = frozenset(posixpath.normpath(path) for path in paths)
    project = Project(files, listed=listed, bind=bind, named=named)
    for path in files.expand(paths):
        if path in named or not project.passes(path):
            project.add(path)
    return project
