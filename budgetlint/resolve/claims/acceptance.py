"""Files that nobody names, and which one program of the project takes: it is followed with the file in place of its config.

A parser takes a file whose keys are fields of it, with all that it requires (transformers ``hf_argparser.py``, TRL ``scripts/utils.py``).
Any other program takes a file if it comes to its trainer with it: each key that it reads is there, and what it trains stands in the file.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.limits import PROGRAM_FILES
from budgetlint.base.record import field, open_state
from budgetlint.base.source import SourceFile, SpanIn
from budgetlint.documents import Document, Mapping, Node, Scalar, Sequence
from budgetlint.resolve.claims.openers import Openers

if TYPE_CHECKING:
    from budgetlint.resolve.program_run import ProgramRun

LONGEST = 40_000
"""Characters of a config: of 1,610 YAML and JSON files of public repositories 99 % have fewer than 31,000."""
_LEAST_KEYS, _LEAST_USED = 2, 2
_YAML = (".yaml", ".yml")
_GLOBAL = expression(r"(?:\s*#[^\n]*\n)*?\s*#\s*@package\s+_global_\s*(?:\n|\Z)")
_SUFFIXES = {
    "json": (".json",),
    "pyyaml": (".yaml", ".yml"),
    "omegaconf": (".yaml", ".yml"),
    "yaml12": (".yaml", ".yml"),
    "toml": (".toml",),
}


@open_state
class Acceptance:
    """The programs of a project, and which of them take a file."""

    openers: Openers
    _tried: list[str] = field(default_factory=list)

    def may_take(self, source: SourceFile) -> bool:
        """By its name, its size, and the words that stand there: most data of a project is passed over without being parsed."""
        suffix = posixpath.splitext(source.path)[1].lower()
        if is_global(source) and any(_as_group(run, source.path) for run in self._composing):
            return True
        return len(source.text) <= LONGEST and any(_may_hold(run, source.text, suffix) for run in self._programs)

    def takers(self, document: Document) -> list[ProgramRun]:
        """The runs of the programs that take a file, at most two."""
        found: list[ProgramRun] = []
        whole = is_global(document.source)
        for run in self._composing if whole else self._programs:
            taken = self._with_group(run, document) if whole else self._taken(run, document)
            if taken is not None:
                found.append(taken)
            if len(found) > 1:
                break
        return found

    @cached_property
    def _programs(self) -> tuple[ProgramRun, ...]:
        """Those that read a file which somebody names, each once."""
        runs = [*(run for _, run, _ in self.openers.launched), *self.openers.alone.values()]
        return tuple({run.path: run for run in reversed(runs) if run.followed.sought}.values())

    @cached_property
    def _composing(self) -> tuple[ProgramRun, ...]:
        """Those that train, and read YAML which Hydra may compose, each once."""
        runs = [*(run for _, run, _ in self.openers.launched), *self.openers.alone.values()]
        return tuple(
            {run.path: run for run in reversed(runs) if run.trainings and any(path.endswith(_YAML) for path in run.opened)}.values()
        )

    def _with_group(self, program: ProgramRun, document: Document) -> ProgramRun | None:
        """``experiment=NAME`` where the defaults have a place for it, else ``+experiment=NAME``."""
        word = _as_group(program, document.path)
        for one in (word, f"+{word}") if word else ():
            if len(self._tried) >= PROGRAM_FILES.most:
                return None
            self._tried.append(document.path)
            run = self.openers.work.programs.given(program.path, (one,))
            if run is not None and _comes_to_train(run, document):
                return run
        return None

    def _taken(self, program: ProgramRun, document: Document) -> ProgramRun | None:
        mapping, path = document.mapping, document.path
        if mapping is None or len(mapping.keys()) < _LEAST_KEYS or not self._may_take(program, frozenset(mapping.keys())):
            return None
        for words in _ways(program, path):
            if len(self._tried) >= PROGRAM_FILES.most:
                return None
            self._tried.append(path)
            run = self.openers.work.programs.given(program.path, words)
            if run is not None and _comes_to_train(run, document):
                return run
        return None

    def _may_take(self, program: ProgramRun, keys: frozenset[str]) -> bool:
        """By the fields of its parsers, else by the words of its text: half of the keys stand there."""
        interfaces = program.followed.interfaces
        if interfaces:
            return any(one.takes(keys) for one in interfaces)
        words = self.openers.work.programs.closures.words(program.path)
        return 2 * len(keys & words) >= len(keys)


def is_global(source: SourceFile) -> bool:
    """Does a config of a Hydra group stand for the whole (Hydra 1.3 ``# @package _global_``)?"""
    return source.path.endswith(_YAML) and len(source.text) <= LONGEST and _GLOBAL.match(source.text) is not None


def _as_group(program: ProgramRun, path: str) -> str:
    """The word that takes a file of a group in a folder of configs that the program reads; empty for any other file, those of a folder
    within a group included: they are kept away as often as meant."""
    folders = {posixpath.dirname(one) for one in program.opened if one.endswith(_YAML)}
    for folder in sorted(folders, key=len):
        below = path.removeprefix(f"{folder}/") if folder and path.startswith(f"{folder}/") else path if not folder else ""
        group, _, name = below.rpartition("/")
        if group and "/" not in group:
            return f"{group}={posixpath.splitext(name)[0]}"
    return ""


def _may_hold(program: ProgramRun, text: str, suffix: str) -> bool:
    if not any(suffix in _SUFFIXES.get(one.loader, ()) for one in program.followed.sought):
        return False
    interfaces = program.followed.interfaces
    return not interfaces or any(all(field in text for field in one.required) for one in interfaces)


def _ways(program: ProgramRun, path: str) -> Iterator[tuple[str, ...]]:
    """The words that would name the file."""
    for one in program.followed.sought:
        if posixpath.splitext(path)[1].lower() in _SUFFIXES.get(one.loader, ()):
            yield (one.flag, path) if one.flag else (path,)


def _comes_to_train(run: ProgramRun, document: Document) -> bool:
    """Does the program train what the file says, and stop at nothing?"""
    if run.reading is None or not run.knows_model or document.path not in run.opened:
        return False
    return sum(1 for _ in _from(run.reading.document, document.source)) >= _LEAST_USED


def _from(document: Document, source: SourceFile) -> Iterator[Node]:
    """The values of a run that stand in a file."""
    waiting: list[Node | None] = [document.root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            waiting += [entry.value for entry in node.entries]
        elif isinstance(node, Sequence):
            waiting += node.items
        elif isinstance(node, Scalar) and isinstance(node.span, SpanIn) and node.span.source.path == source.path:
            yield node
