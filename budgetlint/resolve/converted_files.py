"""Files that only converters are given: hyperparameters of a conversion, whatever trainer's keys they hold. No run comes of them.

A README's command counts as well: it is often all that starts a converter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.files.disk import is_readme
from budgetlint.launch.calls import shown_calls
from budgetlint.launch.purpose import is_converter
from budgetlint.launch.read import started_launches
from budgetlint.resolve.edges import candidates
from budgetlint.resolve.references import place_of
from budgetlint.resolve.state import Assembly

if TYPE_CHECKING:
    from budgetlint.launch import Launch

_CONFIGS = (".yaml", ".yml", ".json")


def converted_files(work: Assembly) -> Iterator[str]:
    """The files among the arguments of converters that no other launch names."""
    converters = [launch for launches in work.idle.values() for launch, _ in launches if is_converter(launch.program.program)]
    if not converters:
        return
    mine = {id(launch.program) for launch in converters}
    others = [launch for entry in work.project.entries.values() for launch in entry.launches if id(launch.program) not in mine]
    taken = {place_of(work, reference) for launch in others for reference in launch.configs}
    for launch in (*converters, *_shown(work, {launch.source.path for launch in converters})):
        yield from (path for path in _given(work, launch) if path not in taken)


def _shown(work: Assembly, scripts: set[str]) -> Iterator[Launch]:
    """The converters that READMEs start by these scripts."""
    for entry in list(work.project.entries.values()):
        if entry.source is None or not is_readme(entry.path):
            continue
        for call in shown_calls(entry.source):
            path = next((one for one in candidates(entry.path, call.path) if one in scripts), None)
            script = work.project.entries[path].source if path is not None else None
            if script is not None and call.arguments:
                launches = started_launches(script, [(call.arguments, dict(call.environment))])
                yield from (launch for launch in launches if is_converter(launch.program.program))


def _given(work: Assembly, launch: Launch) -> Iterator[str]:
    for word in launch.words:
        text = word.text.rpartition("=")[2]
        if word.is_told and text.endswith(_CONFIGS):
            path = next((one for one in candidates(launch.source.path, text) if one in work.project.entries), None)
            if path is not None:
                yield path
