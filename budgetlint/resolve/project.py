"""What lies in a project: every config file read, recognised and turned into a reading; every budget; every problem."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING

from budgetlint.base.crash import Crash
from budgetlint.base.finding import Confidence, Finding, Severity
from budgetlint.base.limits import NODES, told
from budgetlint.base.record import field, open_record, open_state, replace
from budgetlint.base.source import Location, SourceFile, UnreadableFile
from budgetlint.documents import Document, Problem, Scalar
from budgetlint.documents.failure import TOO_LARGE
from budgetlint.documents.load import format_of, load
from budgetlint.files.disk import NOTEBOOK_SUFFIX, PYTHON_SUFFIX, Files, is_named, is_readme, makes_arguments, starts_programs
from budgetlint.files.walk import TOO_LARGE as OVER_SIZE
from budgetlint.files.walk import Passed
from budgetlint.frameworks import every_format, manifests
from budgetlint.readers import Reader, Tie, identify, reader_of
from budgetlint.readers.marks import candidates
from budgetlint.settings.consumer import Consumer
from budgetlint.settings.run import Reading

if TYPE_CHECKING:  # most projects hold neither
    from budgetlint.language.budget import Budget, Measured
    from budgetlint.launch import Launch

BUDGET_SUFFIX = ".budget"
LONG_JSON = 16_000
"""Characters from which an outline costs less than the tree: a config has fewer."""
LOCK = "budget.lock"


def lock_beside(budget: str) -> str:
    """The path of a budget's lock: in its folder; for a budget from the command line in the working directory."""
    return posixpath.join(posixpath.dirname(budget), LOCK)


Started = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]
"""The arguments and the variables that a script is started with."""
Sourced = tuple[int, SourceFile]
"""Where a script sources another."""


@open_record
class FileEntry:
    """What one file was taken for: ``format`` is a reader's name, ``budget``, a kind of job file, or None where nobody claims it.
    ``launches`` are the training commands of a script or job file, ``arguments`` what the script is started with."""

    path: str
    format: str | None
    readings: tuple[Reading, ...] = ()
    budget: Budget | None = None
    source: SourceFile | None = None
    problem: str = ""
    launches: tuple[Launch, ...] = ()
    arguments: tuple[str, ...] = ()
    starts: tuple[Started, ...] = ()
    """The ways in which the project itself starts a script."""
    sourced: tuple[Sourced, ...] = ()
    library: bool = False
    """Other scripts source it."""
    commands: tuple[Launch, ...] = ()
    """The training commands that a README shows: they say who reads a file, and start no run."""
    read_by: Consumer | None = None
    """The first budget that reads keys of it."""
    kind: str = ""
    """The format that a budget names for it."""
    started: tuple[int, ...] = ()
    """Of a budget: how many of the launches each of its runs has."""

    @property
    def consumer(self) -> Consumer | None:
        """Who reads it; of a script, the program of its first training command."""
        told = (self.read_by, *(reading.consumer for reading in self.readings), *(launch.consumer for launch in self.launches))
        return next((consumer for consumer in told if consumer is not None), None)


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
            self.findings.append(_file_finding("internal-error", Location(where.partition("#")[0]), message, cure))

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
        if path.endswith(BUDGET_SUFFIX):
            return self._budget(path, source)
        if path.rpartition("/")[2] == LOCK:
            return self._lock(path, source)
        if is_readme(path):
            return _readme(source)
        if is_script(path, source):
            return script_entry(source)
        if path.endswith(NOTEBOOK_SUFFIX):
            return _notebook(source)
        if path.endswith(PYTHON_SUFFIX) and not makes_arguments(source.text.encode(errors="replace")):
            return FileEntry(path, None, source=source)
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
        self.findings.append(_file_finding("unreadable-file", Location(wrong.path), f"{wrong.path} {wrong.problem}", wrong.cure))
        return FileEntry(wrong.path, None, problem=wrong.problem)

    def _budget(self, path: str, source: SourceFile) -> FileEntry:
        from budgetlint.language import read_budget

        budget = read_budget(source, load=self.files.read)
        return FileEntry(path, "budget", budget=budget, source=source)

    def _lock(self, path: str, source: SourceFile) -> FileEntry:
        """Measured lines, in the language of budgets; it holds for no file and makes no run."""
        from budgetlint.language import read_budget

        budget = read_budget(source, load=self.files.read)
        self.findings.extend(budget.problems)
        self.locked_lines[path] = tuple(line for run in budget.runs[:1] for line in run.measured)
        return FileEntry(path, "budget-lock", source=source)

    def locked(self, path: str) -> tuple[Measured, ...]:
        """What the lock at ``path`` says was measured."""
        self.add(path)
        return self.locked_lines.get(path, ())

    def _config(self, path: str, source: SourceFile) -> FileEntry:
        if all(word in source.text for word in MEASURED):
            return FileEntry(path, None, source=source)
        data = _data(path, source)
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
            if looks_like_config(document.source.text):
                self.findings.append(
                    _file_finding(
                        "unparsable-file", problem.location, f"not valid {document.format.upper()}: {problem.message}", problem.cure
                    )
                )
            return f"not valid {document.format.upper()}: {problem.message}"
        return ""

    def _too_large(self, document: Document, problem: Problem) -> str:
        text = document.source.text
        if RECORDED not in text and (_looks_like_large_config(document.source) or looks_like_job(text)):
            message = f"{document.path} holds {problem.message}"
            self.findings.append(_file_finding(TOO_LARGE, problem.location, message, problem.cure))
        return f"holds {problem.message}"

    def _tie(self, document: Document, tie: Tie) -> str:
        names = " and ".join(reader.format for reader in tie.readers)
        self.findings.append(
            _file_finding(
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
            _file_finding(
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


SCRIPT_SUFFIXES = (".sh", ".bash", ".slurm", ".sbatch", ".mk", ".dockerfile")


def is_script(path: str, source: SourceFile) -> bool:
    """By name, or by a shell's first line. The launch package is imported for scripts only."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(SCRIPT_SUFFIXES) or is_named(name) or (source.text.startswith("#!") and "sh" in source.text[:40])


def script_entry(source: SourceFile, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> FileEntry:
    """A script with its launches, taken for what its first training command is; ``arguments`` and ``environment`` are those it is
    started with."""
    return replace(started_entry(source, ((tuple(arguments), tuple((environment or {}).items())),), ()), starts=())


def started_entry(source: SourceFile, starts: Sequence[Started], sourced: Sequence[Sourced], *, library: bool = False) -> FileEntry:
    """A script that is started in each of these ways; a ``library`` is one that others source."""
    from budgetlint.launch.read import started_launches
    from budgetlint.launch.readings import format_of
    from budgetlint.launch.slurm import is_slurm

    ways = [(arguments, dict(environment)) for arguments, environment in starts] or [((), {})]
    launches = started_launches(source, ways, sourced, library=library)
    format = "slurm" if is_slurm(source) else next((name for launch in launches if (name := format_of(launch))), None)
    entry = FileEntry(source.path, format, source=source, launches=launches, arguments=tuple(ways[0][0]))
    return replace(entry, starts=tuple(starts), sourced=tuple(sourced), library=library)


def _notebook(source: SourceFile) -> FileEntry:
    """A notebook with the training commands that it hands to a shell."""
    launches: tuple[Launch, ...] = ()
    if starts_programs(source.text.encode(errors="replace")):
        from budgetlint.documents.notebook import cells_of
        from budgetlint.launch.read import script_launches

        cells = cells_of(source)
        launches = script_launches(cells.commands) if cells is not None else ()
    return FileEntry(source.path, None, source=source, launches=launches)


def _readme(source: SourceFile) -> FileEntry:
    from budgetlint.launch.fenced import shown_launches

    return FileEntry(source.path, None, source=source, commands=shown_launches(source))


JOB_KEYS = ("run", "command", "entrypoint", "apiVersion", "resources", "services", "jobs")


def _data(path: str, source: SourceFile) -> FileEntry | None:
    """The entry of a long JSON file that nobody claims, told by its outline; None for every other file."""
    if len(source.text) < LONG_JSON or format_of(source) != "json":
        return None
    from budgetlint.documents.json_outline import outline

    found = outline(source)
    if found is None or not _is_nobodys(found.document):
        return None
    if not found.is_too_large:
        return FileEntry(path, None, source=source)
    may_be_config = RECORDED not in source.text and (_looks_like_large_config(source) or looks_like_job(source.text))
    return None if may_be_config else FileEntry(path, None, source=source, problem=f"holds {told(NODES)}")


def _is_nobodys(outline: Document) -> bool:
    """No reader would be asked, and its keys are of no job and of no two trainers."""
    mapping = outline.mapping
    is_job = mapping is not None and any(key in mapping for key in JOB_KEYS)
    return not is_job and not candidates(outline) and len(foreign_keys(outline)) < 2


def job_kind(document: Document) -> str:
    """The kind of a job file; empty for everything else, found out from its first keys."""
    mapping = document.mapping
    if mapping is None or not any(key in mapping for key in JOB_KEYS):
        return ""
    from budgetlint.launch.jobs import SKYPILOT, kind_of

    kind = kind_of(document)
    return kind if kind == SKYPILOT or job_launches(document) else ""


def job_launches(document: Document) -> tuple[Launch, ...]:
    """The launches in a job file that a reader or a config can make a run of."""
    from budgetlint.launch.read import document_launches
    from budgetlint.launch.readings import format_of

    return tuple(launch for launch in document_launches(document) if launch.configs or format_of(launch))


def reader_named(kind: str) -> Reader | None:
    """The reader a budget's ``kind=`` names, by format name or a common spelling of it."""
    name, kinds = kind.lower().replace("-", "_"), _kinds()
    wanted = (kinds.get(kind.lower(), name), kinds.get(name, name), name)
    return next((reader for word in wanted if (reader := reader_of(word)) is not None), None)


@cache
def _kinds() -> Mapping[str, str]:
    return {kind: format.name for format in every_format() for kind in format.kinds}


def looks_like_config(text: str) -> bool:
    """Does an unparsable text hold a key that only a training config has?"""
    return any(key in text for manifest in manifests() for key in manifest.telling)


def _looks_like_large_config(source: SourceFile) -> bool:
    """Of a text that is larger than any config more words tell."""
    return any(source.mentions(word) for manifest in manifests() for word in manifest.telling_large) or looks_like_config(source.text)


def looks_like_job(text: str) -> bool:
    """May an unread rest of a text be a job that trains?"""
    return any(f"{key}:" in text for key in JOB_KEYS) and any(word in text for word in LAUNCHERS)


RECORDED = '"log_history"'
"""A ``trainer_state.json`` (transformers ``trainer_callback.py``) holds keys of a config beside everything that was logged."""
MEASURED = ('"train_runtime":', '"train_samples_per_second":')
"""What the Trainer writes down of a training that is over, in JSON (transformers 5.24 ``trainer_utils.py`` speed_metrics): no config."""
LAUNCHERS = ("torchrun", "accelerate launch", "deepspeed", "torch.distributed", "train.py")

ENOUGH = 3
"""Keys of the first level that one framework only has."""


def foreign_keys(document: Document) -> dict[str, list[Scalar]]:
    """The keys of each framework of which there are enough to mean it, in the order of the text."""
    mapping = document.mapping
    keys = [entry.key for entry in mapping.entries] if mapping is not None else []
    found = {format.name: [key for key in keys if key.text in format.own_keys][:ENOUGH] for format in every_format() if format.own_keys}
    meant = {name: some for name, some in found.items() if len(some) >= ENOUGH}
    return dict(sorted(meant.items(), key=lambda pair: pair[1][0].span.start))


CODES = {
    "unreadable-file": "BL910",
    "unparsable-file": "BL911",
    "ambiguous-format": "BL912",
    "missing-reference": "BL913",
    "no-such-config": "BL914",
    "too-large": "BL915",
    "command-cut-short": "BL916",
    "guessed-reference": "BL917",
    "launch-without-run": "BL918",
    "missing-key": "BL926",
    "misread-value": "BL907",
    "internal-error": "BL998",
}


def _file_finding(name: str, location: Location, message: str, help: str, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(CODES[name], name, severity, Confidence.HIGH, message, location, help)


file_finding = _file_finding


def open_project(files: Files, paths: Sequence[str], listed: tuple[str, ...] = ()) -> Project:
    """Read every config file among and below ``paths``."""
    project = Project(files, listed=listed)
    named = {posixpath.normpath(path) for path in paths}
    for path in files.expand(paths):
        if path in named or not project.passes(path):
            project.add(path)
    return project
