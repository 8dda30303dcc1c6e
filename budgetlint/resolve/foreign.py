"""``reads`` of a budget: the files that it matches, and the keys there as settings, each with its place in its own file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.finding import Confidence, Finding, Related, Severity
from budgetlint.base.record import replace
from budgetlint.base.source import Location, SourceFile, Span, UnreadableFile
from budgetlint.documents import Document, load
from budgetlint.language.budget import ReadKey, Reads
from budgetlint.language.suggest import nearest
from budgetlint.readers.stated import stated_by
from budgetlint.resolve.edges import READ, Edge
from budgetlint.resolve.file_findings import CODES, file_finding
from budgetlint.resolve.foreign_values import Missing, Unfit, implied_adapter, settings_at, unresolved
from budgetlint.resolve.named_files import matches
from budgetlint.resolve.state import Assembly, Stated
from budgetlint.settings.consumer import BUDGET, Consumer
from budgetlint.settings.run import Reading, Setting

FORMATS = ("yaml", "json", "toml")


def stated(work: Assembly, statements: Iterable[Reads]) -> list[Stated]:
    """One for each file of the glob that matches several; without one, a single one with the keys of every file."""
    found = [(one, _paths(work, one)) for one in statements]
    many = next(((one, paths) for one, paths in found if len(paths) > 1), None)
    every = [many[1]] if many is not None else [[""]]
    return [Stated(tuple(_of_run(work, found, path)), path) for paths in every for path in paths]


def _of_run(work: Assembly, found: Iterable[tuple[Reads, list[str]]], path: str) -> Iterator[Reading]:
    """The readings of one run; a second glob with several files belongs to nobody."""
    for one, paths in found:
        if len(paths) == 1 or path in paths:
            yield _read(work, one, path if len(paths) > 1 else paths[0])
        else:
            if paths:
                _no_file(work, one, f"matches {len(paths)} files, and so does another reads of this run")
            yield _unread(one)


# -- the files -----------------------------------------------------------------------------------------------------------


def _paths(work: Assembly, one: Reads) -> list[str]:
    paths, why = matches(work.files, one)
    if why:
        _no_file(work, one, why)
    return paths


def _no_file(work: Assembly, one: Reads, why: str) -> None:
    location = one.origin.location or Location(one.path)
    cure = "paths are relative to the budget file; what it should read is unresolved"
    _tell(work, file_finding("no-such-config", location, f"reads {one.path} {why}", cure))


def _tell(work: Assembly, finding: Finding) -> None:
    """Each problem once."""
    what = (finding.location, finding.message)
    if what not in work.told:
        work.told.add(what)
        work.project.findings.append(finding)


def _read(work: Assembly, one: Reads, path: str) -> Reading:
    entry = work.project.add(path)
    work.bound.add(path)
    named = one.origin.location
    if named is not None:
        work.edges[Edge(path, named.file, named.line, one.path, READ)] = None
        consumer = Consumer(named.file, BUDGET, named.file, named.line)
        work.project.entries[path] = replace(entry, read_by=consumer)
    document = _document(work, one, path)
    if document is None:
        return _unread(one)
    settings = [setting for key in one.keys for setting in _of_key(work, document, key)]
    return stated_by(document.source, [*settings, *implied_adapter(one.keys, settings)])


def _document(work: Assembly, one: Reads, path: str) -> Document | None:
    """The one document of a file; None after saying why there is none."""
    source = work.files.read(path)
    if isinstance(source, UnreadableFile):
        if all(known.location.file != path for known in work.project.findings):  # one that nobody named was passed over
            _no_file(work, one, f"{source.problem} ({path})")
        return None
    if path not in work.foreign:
        work.foreign[path] = load(source)
    documents = work.foreign[path]
    first = documents[0] if documents else None
    if first is None or first.format not in FORMATS:
        _no_file(work, one, f"is no YAML, JSON or TOML ({path})")
    elif len(documents) > 1:
        _no_file(work, one, f"holds {len(documents)} documents, and one is read ({path})")
    elif first.root is None:
        _unparsed(work, one, first, source)
    else:
        return first
    return None


def _unparsed(work: Assembly, one: Reads, document: Document, source: SourceFile) -> None:
    if not document.problems:
        _no_file(work, one, f"is empty ({source.path})")
    for problem in document.problems[:1]:
        message = f"not valid {document.format.upper()}: {problem.message}"
        _tell(work, file_finding("unparsable-file", problem.location, message, problem.cure))


def _unread(one: Reads) -> Reading:
    """Nothing of the file is known: each setting is unresolved, where the budget names its key."""
    source = one.origin.source
    assert source is not None
    settings = [setting for key in one.keys for setting in unresolved(key, key.origin)]
    return stated_by(source, [*settings, *implied_adapter(one.keys, settings)])


# -- the keys ------------------------------------------------------------------------------------------------------------


def _of_key(work: Assembly, document: Document, key: ReadKey) -> list[Setting]:
    found = settings_at(document, key)
    if isinstance(found, Missing):
        _tell(work, _missing(document, key, found))
        return unresolved(key, replace(key.origin, key=found.path))
    if isinstance(found, Unfit):
        location = found.origin.location or Location(document.path)
        finding = file_finding("misread-value", location, f"{found.origin.key}: {found.wrong.message}", found.wrong.help)
        _tell(work, replace(finding, key=found.origin.key, related=_said(key, "read by the budget here")))
        return unresolved(key, found.origin)
    return found


def _missing(document: Document, key: ReadKey, found: Missing) -> Finding:
    """At the last key on the way that is there; the first line of the file where none is."""
    span = found.at.key.span if found.at.key is not None else Span(0, 0)
    close = nearest(found.at.missing, found.at.instead)
    near = f"{found.at.reached}.{close}" if close and found.at.reached else close
    below = f"'{found.at.reached}' has no key '{found.at.missing}'" if found.at.reached else f"there is no key '{found.at.missing}'"
    message = f"{below}: the budget reads {key.name} from '{found.path}'" if not found.is_null else (
        f"'{found.path}' is null: the budget reads {key.name} from it"
    )  # fmt: skip
    cure = f"did you mean '{near}'? write {key.name}={near} in the budget, or the key here" if near else _keys(found)
    return Finding(
        CODES["missing-key"], "missing-key", Severity.ERROR, Confidence.HIGH, message, document.source.locate(span), cure,
        key=found.at.reached, related=_said(key, "the budget reads it here"),
    )  # fmt: skip


def _keys(found: Missing) -> str:
    if found.is_null:
        return "write the value, or take the setting out of the budget's reads; until then it is unresolved"
    shown = ", ".join(found.at.instead[:SHOWN])
    more = ", …" if len(found.at.instead) > SHOWN else ""
    return f"the keys there are {shown}{more}" if shown else "there are no keys there; until it is written the setting is unresolved"


SHOWN = 8
"""Keys in a cure."""


def _said(key: ReadKey, words: str) -> tuple[Related, ...]:
    location = key.origin.location
    return (Related(location, words),) if location is not None else ()
