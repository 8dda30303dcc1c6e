"""The command line as tests call it: in process, with its own streams, in a folder of its own."""

from __future__ import annotations

import cProfile
import gc
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from budgetlint.cli import main
from budgetlint.commands.console import Console
from budgetlint.memory import phases
from budgetlint.memory.term import written

settings.register_profile("counted", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("counted")
"""No test fails by a clock: a busy machine is no fault of the code."""


def pytest_collection_finish() -> None:
    """What was collected stays to the end: twenty thousand tests and their tables are not looked through at each collection of garbage."""
    gc.collect()
    gc.freeze()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Ran:
    """What one call came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def last(self) -> str:
        return self.out.rstrip("\n").rpartition("\n")[2]


@dataclass(frozen=True)
class Shell:
    """``shell("check", "--info")`` runs budgetlint in ``root``."""

    root: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *argv: str, stdin: str = "", terminal: bool = False, environ: Mapping[str, str] | None = None) -> Ran:
        out, err = (Terminal() if terminal else io.StringIO()), io.StringIO()
        code = main(argv, Console(out, err, io.StringIO(stdin), self.environ if environ is None else environ, self.root))
        return Ran(code, out.getvalue(), err.getvalue())

    def write(self, path: str, content: str | bytes) -> Path:
        """Put a file below the root."""
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return whole


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty project."""
    (tmp_path / ".git").mkdir()
    return Shell(tmp_path)


def _nothing_is_below_zero(name: str, moments: tuple[phases.Moment, ...]) -> phases.Phase:
    """Every moment of every step that a test estimates, not only those that win."""
    below = [(name, moment, term.id, term.bytes) for moment, parts in moments for term in written(parts) if term.bytes < 0]
    assert not below, f"terms below zero: {below}"
    return _chosen(name, moments)


_chosen, phases._highest = phases._highest, _nothing_is_below_zero


IGNORABLE = {"\u034f", "\u115f", "\u1160", "\u3164", "\uffa0", *map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0))}
OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;(?:https://[!-~]*)?\x1b\\")
COMMAND = re.compile(r"\s*::(?!:)|.*##\w*\[")
ANNOTATION = re.compile(r"::(?:error|warning|notice) ")


def faults_of(text: str, kept: str = "\n", *, codes: bool = False, annotations: bool = False) -> set[str]:
    """The characters of a printed text that have no look of their own, and the lines that a runner obeys: GitHub's behind blanks as .NET
    trims them, a bracketed one anywhere. ``codes``: budgetlint's own colors are none, ``annotations``: nor are its own commands."""
    bare = OURS.sub("", text) if codes else text
    hidden = {c for c in bare if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or c in IGNORABLE} - set(kept)
    lines = {line for line in re.split(r"[\r\n]", bare) if COMMAND.match(line)}
    return hidden | {line for line in lines if not (annotations and ANNOTATION.match(line) and not re.search(r"##\w*\[", line))}


@pytest.fixture(scope="session")
def faults() -> Callable[..., set[str]]:
    return faults_of


class Calls:
    """How many functions are entered while it is open, Python's and built-in ones: the same on every machine."""

    def __init__(self) -> None:
        self._profile = cProfile.Profile()

    def __enter__(self) -> Calls:
        self._profile.enable()
        return self

    def __exit__(self, *_: object) -> None:
        self._profile.disable()

    @property
    def count(self) -> int:
        return sum(entry.callcount for entry in self._profile.getstats())


@pytest.fixture
def calls() -> Calls:
    """The work of what is done in ``with calls:``; more of it where it is opened again. What a test bounds instead of seconds."""
    return Calls()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The tree of this project."""
    return Path(__file__).parent.parent
