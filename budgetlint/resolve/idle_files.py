"""Files that only programs which train nothing are known to read: no runs, whatever they look like."""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.source import SourceFile
from budgetlint.files.wanted import PYTHON_SUFFIX, is_readme
from budgetlint.frameworks.manifest import CONVERTS
from budgetlint.launch import Launch
from budgetlint.readers.known_programs import known_program
from budgetlint.resolve.edges import candidates
from budgetlint.resolve.file_entries import is_script
from budgetlint.resolve.references import place_of
from budgetlint.resolve.state import Assembly


def idle_files(work: Assembly) -> Iterator[str]:
    """One of a strict trainer's own format is still a recipe of it, unless a converter is given it: that takes a model's shape from it."""
    for launch, does in (one for launches in work.idle.values() for one in launches):
        for path in filter(None, (place_of(work, reference) for reference in launch.configs)):
            consumer = work.project.add(path).consumer
            if consumer is not None and consumer.program == launch.program.program and not consumer.followed:
                yield path
        if does == CONVERTS and _is_own(launch):
            yield from _named(work, launch.source.path, (word.text for word in launch.words))
    yield from _handed(work)


def _is_own(launch: Launch) -> bool:
    return launch.program.program.endswith(PYTHON_SUFFIX) and known_program(launch.program.program) is None


def _handed(work: Assembly) -> Iterator[str]:
    """What a call hands to a script that only converts."""
    converting = {
        path
        for path, launches in work.idle.items()
        if not work.launched.get(path) and all(does == CONVERTS and _is_own(launch) for launch, does in launches)
    }
    if not converting:
        return
    from budgetlint.launch.calls import names_in, script_calls
    from budgetlint.launch.fenced import shown_calls

    names = frozenset(path.rpartition("/")[2] for path in converting)
    for entry in list(work.project.entries.values()):
        source = entry.source
        if not isinstance(source, SourceFile) or not names_in(source.text) & names:
            continue
        calls = shown_calls(source) if is_readme(entry.path) else script_calls(source) if is_script(entry.path, source) else ()
        for call in calls:
            if converting.intersection(candidates(entry.path, call.path)):
                yield from _named(work, entry.path, call.arguments or ())


def _named(work: Assembly, named_in: str, words: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    for word in words:
        path = next((one for one in candidates(named_in, word) if one in work.project.entries), None)
        if path is not None:
            yield path
