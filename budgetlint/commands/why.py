"""``budgetlint files --why``: for each file the lines that make it part of a run, and what leads to those. The setting that
``estimate --why`` asks about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from budgetlint.resolve.edges import ACCEPTED as BY_KEYS
from budgetlint.resolve.edges import COMMAND, HOLDS, Edge, by_file, chain
from budgetlint.resolve.edges import OPENED as IN_TEXT
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.state import Assembly
from budgetlint.settings.consumer import ACCEPTED, LAUNCH, OPENED

_RULES = {LAUNCH: COMMAND, OPENED: IN_TEXT, ACCEPTED: BY_KEYS}


def edges_of(work: Assembly) -> dict[str, list[Edge]]:
    """Every edge of the project, by the file that it leads to: what was followed, then who reads a file that nothing was followed to."""
    followed = {(edge.file, edge.by) for edge in work.edges}
    readers = (edge for entry in work.project.entries.values() if (edge := _by_reader(entry)) is not None)
    return by_file((*work.edges, *(edge for edge in readers if (edge.file, edge.by) not in followed)))


def _by_reader(entry: FileEntry) -> Edge | None:
    """A command of a README names a file without making a run; a program opens it."""
    consumer = entry.consumer
    if consumer is None or entry.launches or consumer.evidence not in _RULES or consumer.file in ("", entry.path):
        return None
    return Edge(entry.path, consumer.file, consumer.line, "", _RULES[consumer.evidence])


def setting_named(text: str) -> str:
    """The setting that somebody means by its name, or as the language says it (``seq``, ``lora.r``)."""
    from budgetlint.base.suggest import did_you_mean
    from budgetlint.commands.misuse import Misuse
    from budgetlint.language.statements import setting_paths
    from budgetlint.settings.vocabulary import SETTINGS

    if text in SETTINGS:
        return text
    paths = setting_paths()
    if text not in paths:
        raise Misuse(f"--why {text}: unknown setting '{text}'{did_you_mean(text, (*SETTINGS, *paths))}")
    return paths[text][0]


SHOWN = 12
"""Lines for one file: a base of a hundred configs is told by some of them, and in JSON by all."""


def why(into: Mapping[str, Sequence[Edge]], file: str) -> Iterator[str]:
    """A line for each edge that leads to a file, those behind it further in."""
    for number, (depth, edge) in enumerate(chain(into, file)):
        if number == SHOWN:
            yield "  ... and more: --format json has all"
            return
        yield f"{'  ' * (depth + 1)}{_said(edge)} ({edge.rule}, {edge.certainty})"


def _said(edge: Edge) -> str:
    at = f"{edge.by}:{edge.line}" if edge.line else edge.by
    return f"because {at} {_verb(edge)}"


def _verb(edge: Edge) -> str:
    if edge.rule == HOLDS:
        return "lies in or below its folder"
    if edge.rule == BY_KEYS:
        return "is the program that takes its keys"
    return f"names {edge.text or edge.file}"
