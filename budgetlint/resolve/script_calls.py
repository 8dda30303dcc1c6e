"""Scripts that other scripts of the project start: where every call gives the same literal arguments, they are those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import load
from budgetlint.resolve.edges import CALL, Edge, candidates
from budgetlint.resolve.project import FileEntry, Project, is_script, script_entry

if TYPE_CHECKING:
    from budgetlint.launch.calls import Call

ROUNDS = 3
"""A script that starts a script that starts a script."""


def with_arguments(project: Project) -> tuple[Edge, ...]:
    """Read the scripts again that the project itself starts with arguments or variables; which line starts which script."""
    scripts = {entry.path: entry for entry in project.entries.values() if _is_plain_script(entry)}
    if not scripts:
        return ()
    names = frozenset(path.rpartition("/")[2] for path in scripts)
    callers = [entry for entry in project.entries.values() if entry.source is not None and not entry.readings and _may_call(entry, names)]
    edges: dict[Edge, None] = {}
    for _ in range(ROUNDS):
        if not callers or not _round(project, scripts, callers, edges):
            break
    return tuple(edges)


def _is_plain_script(entry: FileEntry) -> bool:
    return entry.source is not None and bool(entry.launches or "$1" in entry.source.text) and is_script(entry.path, entry.source)


def _may_call(entry: FileEntry, names: frozenset[str]) -> bool:
    from budgetlint.launch.calls import names_in

    source = entry.source
    return source is not None and bool((names_in(source.text) & names) - {entry.path.rpartition("/")[2]})


def _round(project: Project, scripts: dict[str, FileEntry], callers: Iterable[FileEntry], edges: dict[Edge, None]) -> bool:
    """Read what the calls of one round tell; did a script get arguments that it did not have before?"""
    changed = False
    for path, calls in _by_script(project, scripts, callers, edges).items():
        entry, call = project.entries[path], next(iter(calls))
        if len(calls) == 1 and call.arguments is not None and entry.source is not None and not entry.arguments:
            project.entries[path] = script_entry(entry.source, call.arguments, dict(call.environment))
            changed = changed or bool(call.arguments)
    return changed


def _by_script(
    project: Project, scripts: dict[str, FileEntry], callers: Iterable[FileEntry], edges: dict[Edge, None]
) -> dict[str, set[Call]]:
    """The different calls of each script, each an edge."""
    found: dict[str, set[Call]] = {}
    for caller in callers:
        for call in _calls(project.entries[caller.path]):
            path = next((one for one in candidates(caller.path, call.path) if one in scripts and one != caller.path), None)
            if path is not None:
                found.setdefault(path, set()).add(replace(call, path=path, start=0))
                edges[_edge(caller, call, path)] = None
    return found


def _edge(caller: FileEntry, call: Call, path: str) -> Edge:
    line = caller.source.locate(Span(call.start, call.start)).line if caller.source is not None else 0
    return Edge(path, caller.path, line, call.path, CALL)


def _calls(entry: FileEntry) -> Iterator[Call]:
    from budgetlint.launch.calls import document_calls, script_calls

    source = entry.source
    if isinstance(source, SourceFile) and is_script(entry.path, source):
        yield from script_calls(source, entry.arguments)
    elif source is not None and source.path.endswith((".yaml", ".yml")):
        for document in load(source):
            if document.root is not None:
                yield from document_calls(document)
