"""Scripts that other scripts of the project start or source: each is read once for every way in which it is started, with its arguments
and variables, and with what the scripts that it sources set. What asks for arguments and is started nowhere else is started as the README
shows it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.record import field, open_state
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import load
from budgetlint.files.wanted import is_readme
from budgetlint.resolve.edges import CALL, Edge, candidates
from budgetlint.resolve.file_entries import FileEntry, Sourced, Started, is_script, started_entry
from budgetlint.resolve.project import Project

if TYPE_CHECKING:
    from budgetlint.launch.calls import Call

ROUNDS = 3
"""A script that starts a script that starts a script."""
MOST_STARTS = 16
"""Ways in which one script is started; of more than that it is read as if nobody started it."""


def with_arguments(project: Project) -> tuple[Edge, ...]:
    """Read the scripts again that the project itself starts with arguments or variables; which line starts which script."""
    scripts = {entry.path for entry in project.entries.values() if entry.source is not None and is_script(entry.path, entry.source)}
    if not any(map(_is_plain_script, project.entries.values())):
        return ()
    names = frozenset(path.rpartition("/")[2] for path in scripts)
    asking = [project.entries[path] for path in scripts if _asks_and_tells(project.entries[path])]
    callers = [entry for entry in project.entries.values() if entry.source is not None and not entry.readings and _may_call(entry, names)]
    edges: dict[Edge, None] = {}
    given = {path for path in scripts if project.entries[path].arguments}
    for _ in range(ROUNDS):
        if not (callers or asking) or not _round(project, _Calls(project, scripts, edges).of(callers).in_comments(asking), given):
            break
    return tuple(edges)


def _is_plain_script(entry: FileEntry) -> bool:
    """May it start something, with arguments or without?"""
    return entry.source is not None and bool(entry.launches or "$1" in entry.source.text or "$@" in entry.source.text)


def _may_call(entry: FileEntry, names: frozenset[str]) -> bool:
    from budgetlint.launch.calls import names_in

    source = entry.source
    return source is not None and bool((names_in(source.text) & names) - {entry.path.rpartition("/")[2]})


def _round(project: Project, calls: _Calls, given: set[str]) -> bool:
    """Read what the calls of one round tell; is a script started in ways that were not known before? ``given`` are scripts that a user
    starts."""
    changed = False
    libraries = {source.path for sourced in calls.sourced.values() for _, source in sourced}
    for path in dict.fromkeys((*calls.starts, *calls.shown, *calls.sourced, *sorted(libraries))):
        entry = project.entries[path]
        told = tuple(calls.starts.get(path) or calls.shown.get(path) or ())
        starts = entry.starts if path in given or len(told) > MOST_STARTS else told or entry.starts
        sourced = tuple(calls.sourced.get(path, ()))
        library = path in libraries
        told_before = (entry.starts, [at for at, _ in entry.sourced], entry.library)
        if entry.source is not None and (starts, [at for at, _ in sourced], library) != told_before:
            project.entries[path] = started_entry(entry.source, starts, sourced, library=library)
            changed = True
    return changed


@open_state
class _Calls:
    """What the callers of a project start and source."""

    project: Project
    scripts: set[str]
    edges: dict[Edge, None]
    starts: dict[str, dict[Started, None]] = field(default_factory=dict)
    """By script, the different ways in which it is started."""
    shown: dict[str, dict[Started, None]] = field(default_factory=dict)
    """The same of a README, for a script that asks for arguments: where no script starts it, its readers do."""
    sourced: dict[str, list[Sourced]] = field(default_factory=dict)
    """By script, those that it sources."""

    def of(self, callers: Iterable[FileEntry]) -> _Calls:
        for caller in callers:
            for call in _calls(self.project.entries[caller.path]):
                path = next((one for one in candidates(caller.path, call.path) if one in self.scripts and one != caller.path), None)
                if path is not None:
                    self._add(caller, call, path)
        return self

    def in_comments(self, asking: Iterable[FileEntry]) -> _Calls:
        """What scripts show of their own use at their head."""
        from budgetlint.launch.in_comments import told_calls

        for entry in asking:
            assert entry.source is not None
            for call in told_calls(entry.source):
                if call.arguments and posixpath.basename(call.path) == posixpath.basename(entry.path):
                    self.shown.setdefault(entry.path, {})[call.arguments, call.environment] = None
        return self

    def _add(self, caller: FileEntry, call: Call, path: str) -> None:
        source = self.project.entries[path].source
        if is_readme(caller.path):
            if call.arguments and source is not None and _ASKS.search(source.text):
                self.shown.setdefault(path, {})[call.arguments, call.environment] = None
            return
        self.edges[_edge(caller, call, path)] = None
        if call.sourced and source is not None:
            known = self.sourced.setdefault(caller.path, [])
            if (call.start, source) not in known:
                known.append((call.start, source))
        is_started = call.arguments or (call.arguments is not None and not call.sourced)
        if is_started and call.arguments is not None and _is_plain_script(self.project.entries[path]):
            self.starts.setdefault(path, {})[call.arguments, call.environment] = None


def _asks_and_tells(entry: FileEntry) -> bool:
    """Does a script ask for arguments, and name itself in its own text?"""
    source = entry.source
    return source is not None and _ASKS.search(source.text) is not None and entry.path.rpartition("/")[2] in source.text


_ASKS = expression(r"\$\{?[1-9@*]")


def _edge(caller: FileEntry, call: Call, path: str) -> Edge:
    line = caller.source.locate(Span(call.start, call.start)).line if caller.source is not None else 0
    return Edge(path, caller.path, line, call.path, CALL)


def _calls(entry: FileEntry) -> Iterator[Call]:
    from budgetlint.launch.calls import document_calls, script_calls

    source = entry.source
    if isinstance(source, SourceFile) and is_script(entry.path, source):
        for arguments, environment in entry.starts or ((entry.arguments, ()),):
            yield from script_calls(source, arguments, dict(environment))
    elif isinstance(source, SourceFile) and is_readme(entry.path):
        from budgetlint.launch.fenced import shown_calls

        yield from shown_calls(source)
    elif source is not None and source.path.endswith((".yaml", ".yml")):
        for document in load(source):
            if document.root is not None:
                yield from document_calls(document)
