"""The files that a config or a command names: where a path leads, and what is read there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from budgetlint.base.finding import Severity
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile
from budgetlint.base.suggest import near_names
from budgetlint.documents import Document
from budgetlint.files.wanted import PYTHON_SUFFIX, makes_arguments
from budgetlint.isolation.boundary import LEADS_OUT
from budgetlint.readers import Reader, identify
from budgetlint.readers.launcher import FORMAT as LAUNCHER
from budgetlint.resolve.composition import composed
from budgetlint.resolve.edges import BY_NAME, COMMAND, Edge, after_cd, beside, candidates, rule_of
from budgetlint.resolve.file_findings import file_finding
from budgetlint.resolve.state import Assembly
from budgetlint.settings.run import Reading, Reference, Role, Setting, Settings

if TYPE_CHECKING:
    from budgetlint.documents.shell_written import FileOf  # most files that are named are here


def referenced(work: Assembly, trainer: Reading) -> tuple[Reading, ...]:
    """The readings of the files that a trainer document names, and of those that they name."""
    return resolve_references(work, trainer, list(trainer.references))


def resolve_references(work: Assembly, trainer: Reading, queue: list[Reference]) -> tuple[Reading, ...]:
    found: list[Reading] = []
    while queue:
        reference = queue.pop(0)
        named = _named(work, trainer, reference)
        if reference.role is Role.LAUNCHER and any(reading.role is Role.ENGINE for reading in named):
            found.append(_absent(trainer, reference))  # accelerate stops at the keys of a DeepSpeed file: it is no engine's there
            continue
        for reading in named:
            if reading not in found and reading is not trainer:
                found.append(reading)
                queue.extend(reading.references)
        if not named and reference.role in (Role.ENGINE, Role.LAUNCHER) and not _says_how(trainer):
            found.append(_absent(trainer, reference))
    return tuple(found)


def _says_how(trainer: Reading) -> bool:
    """Its own arguments name the sharding too (``--zero-stage 1`` beside a DeepSpeed file that the script writes)."""
    shard = trainer.settings.get("shard")
    return trainer.format == "megatron" and shard is not None and shard.known


def _absent(trainer: Reading, reference: Reference) -> Reading:
    """A file of the engine or the launcher that is not here: nobody knows how it shards the model."""
    document = Document(reference.origin.source or trainer.document.source, "absent", None)
    shard = Setting("shard", None, reference.origin, reference.text, "symbolic")
    return Reading(LAUNCHER, reference.role, document, Settings([shard]))


def _named(work: Assembly, trainer: Reading, reference: Reference) -> Iterable[Reading]:
    """The readings of the file, else of the trainer's own file of that name."""
    named_in = reference.origin.source.path if reference.origin.source else trainer.document.path
    written = written_by_script(reference)
    if written is not None:
        return written
    reference = _copied(reference)
    path = _found(work, reference, named_in)
    return _elsewhere(work, trainer, reference) if path is None else _joined(work, reference, named_in, path)


def _elsewhere(work: Assembly, trainer: Reading, reference: Reference) -> tuple[Reading, ...]:
    """Of a file that is not here: what the trainer's package ships under its name."""
    from budgetlint.readers.deepspeed.shipped import shipped_engine  # most files that are named are here

    shipped = shipped_engine(trainer, reference)
    if shipped is None:
        _missing(work, reference)
    return () if shipped is None else (shipped,)


def written_by_script(reference: Reference) -> tuple[Reading, ...] | None:
    """The file that the script itself writes under this name: no readings where nobody knows what stands in it, None where it writes
    none."""
    facts = reference.origin.source.facts if reference.origin.source else {}
    if not facts:
        return None
    from budgetlint.documents.shell_written import FACT, Copied  # of a script, which is read by then

    held: Mapping[str, FileOf] = facts.get(FACT, {})
    name = posixpath.normpath(reference.text)
    if name not in held:
        return None
    document = held[name]
    if isinstance(document, Copied):
        return None
    if document is None:
        return ()  # what lies under that name in the repository is not what the run reads
    reader = identify(document)
    return (reader.read(document),) if isinstance(reader, Reader) and reader.role is reference.role else None


def _copied(reference: Reference) -> Reference:
    """The file that the script makes the named one a copy of."""
    facts = reference.origin.source.facts if reference.origin.source else {}
    if not facts:
        return reference
    from budgetlint.documents.shell_written import FACT, Copied

    found = facts.get(FACT, {}).get(posixpath.normpath(reference.text))
    return replace(reference, text=found.path) if isinstance(found, Copied) else reference


def _missing(work: Assembly, reference: Reference) -> None:
    if not _is_literal(reference.text) or not reference.origin.location:
        return
    why = LEADS_OUT if work.files.leads_out(posixpath.normpath(reference.text)) else "does not exist here"
    work.project.findings.append(
        file_finding(
            "missing-reference",
            reference.origin.location,
            f"{reference.text} {why}: the run is judged without it",
            _nearest(work, reference.text)
            or "paths are tried from the working directory, from this file's folder and from the folders above it",
            severity=Severity.INFO,
        )
    )


def _nearest(work: Assembly, text: str) -> str:
    """The files whose names are spelled most like it, where they are one or two."""
    name = posixpath.basename(text)
    suffix, names = posixpath.splitext(name)[1], work.project.names
    near = near_names(name, [one for one in names if one.endswith(suffix) and _digits(one) == _digits(name)], alike=_ALIKE)
    paths = [path for one in near for path in names[one]]
    return f"did you mean {' or '.join(map(repr, paths))}?" if 0 < len(paths) < 3 else ""


_ALIKE = 0.85


def _digits(name: str) -> list[str]:
    """Where these differ (``zero2.json``, ``zero3.json``), the name is no slip."""
    return [sign for sign in name if sign.isdigit()]


def _joined(work: Assembly, reference: Reference, named_in: str, path: str) -> tuple[Reading, ...]:
    """The readings of the file that a reference leads to. Where only its name does, a finding and each reading say so."""
    readings = work.project.add(path).readings
    if not readings:
        return ()
    rule = rule_of(named_in, reference.text, path)
    is_beside = path == beside(named_in, reference.program, reference.text, work.files.exists)
    if rule == BY_NAME and (is_beside or path in after_cd(named_in, reference.text, reference.folder)):
        rule = COMMAND
    location = reference.origin.location
    work.edges[Edge(path, named_in, location.line if location else 0, reference.text, rule)] = None
    if rule != BY_NAME or location is None:
        return readings
    if not _is_certain(reference.text) or _is_made(reference):
        return tuple(replace(reading, guessed=f"{path}, the only file of the name, is taken for {reference.text}") for reading in readings)
    said = f"{reference.text} leads to no file here; {path}, the only one of that name, is taken for it"
    work.project.findings.append(file_finding("guessed-reference", location, said, _GUESSED, severity=Severity.INFO))
    return tuple(replace(reading, guessed=said) for reading in readings)


_GUESSED = "write the path from the working directory or from this file's folder, or bind the file in a budget: config PATH"


def _is_certain(text: str) -> bool:
    """Where a path with a variable or an answer of the shell leads, only the shell knows."""
    return not any(mark in text for mark in ("$", "`", "{", "<"))


def _is_made(reference: Reference) -> bool:
    """Does the script or notebook that names a file make it first: ``tune cp NAME FILE``, ``curl -o FILE``, ``%%writefile FILE``?"""
    source = reference.origin.source
    name = re.escape(reference.text.removeprefix("./"))
    made = rf"(?:\bcp [^\n]{{1,200}}[ /]|[>] ?|\btee |-[oO] |%%writefile )[\"']?(?:\./)?{name}\b"
    return source is not None and re.search(made, source.text) is not None


def place_of(work: Assembly, reference: Reference) -> str | None:
    """The path of the file that a reference names, if it is here."""
    return _found(work, reference, reference.origin.source.path if reference.origin.source else "")


def _found(work: Assembly, reference: Reference, named_in: str) -> str | None:
    """Where a path in a config leads: from the working directory, from the file's folder or one above it; a relative one that leads
    nowhere, to the only file of its name."""
    for path in (*after_cd(named_in, reference.text, reference.folder), *candidates(named_in, reference.text)):
        if work.files.exists(path):
            return path
    if reference.text.startswith(("/", "~")):
        return beside(named_in, reference.program, reference.text, work.files.exists)
    same_name = work.project.names.get(posixpath.basename(reference.text), [])
    return same_name[0] if len(same_name) == 1 else None


def _is_literal(text: str) -> bool:
    return not any(mark in text for mark in ("$", "{", "<")) and "/" in text and text.endswith((".json", ".yaml", ".yml"))


def quietly(work: Assembly, reference: Reference) -> tuple[Reading, ...]:
    """The readings of a file that may or may not be a config: nothing is said where it is none."""
    named_in = reference.origin.source.path if reference.origin.source else ""
    written = written_by_script(reference)
    if written:
        return written
    reference = _copied(reference)
    path = _found(work, reference, named_in)
    if written is not None and path is not None:
        return tuple(map(_rewritten, _composed(work, reference, named_in, path)))
    if path is None or (path.endswith(PYTHON_SUFFIX) and not _is_script(work, path)):
        return ()
    return _composed(work, reference, named_in, path)


def _composed(work: Assembly, reference: Reference, named_in: str, path: str) -> tuple[Reading, ...]:
    return tuple(composed(work, reading) for reading in _joined(work, reference, named_in, path))


def _rewritten(reading: Reading) -> Reading:
    """A file that the script changes before it is read: nobody knows what it says by then."""
    return replace(reading, settings=Settings(replace(one, value=None, state="symbolic", readings=()) for one in reading.settings.values()))


def _is_script(work: Assembly, path: str) -> bool:
    """Most programs that a command runs are no training scripts, and some no text: nothing is said about them."""
    if path in work.project.entries:
        return True
    source = work.files.read(path)
    return isinstance(source, SourceFile) and makes_arguments(source.text.encode(errors="replace"))


def program_text(work: Assembly, named_in: str, name: str) -> str | None:
    """The text of a program that a command names; None where it is not here."""
    for path in candidates(named_in, name):
        if work.files.exists(path):
            source = work.files.read(path)
            return source.text if isinstance(source, SourceFile) else None
    return None
