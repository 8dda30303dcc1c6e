"""Runs one program with one command line against the recording stand-ins, in a process of its own, and tells what it called."""

from __future__ import annotations

import compileall
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import yaml

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
STAND_INS = HERE / "stand_ins"
SECONDS = 60


@dataclass(frozen=True)
class Case:
    """A program and how it is started. ``path``: a file of ``programs/`` that is all there is, or one in a folder, with that folder.

    ``refused``: it stops with an error. ``unseen``: kinds of faults that are none here, since reading cannot tell. ``open``: what the
    interpreter does not do right yet.
    """

    path: str
    words: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    refused: bool = False
    module: str = ""
    unseen: str = ""
    open: str = ""

    def allows(self, kind: str) -> bool:
        return kind in self.unseen.split()

    @property
    def script(self) -> str:
        """The file that is followed: of a notebook, its cells as one script."""
        return cells_of(self.entry) if self.entry.endswith(".ipynb") else self.entry

    @property
    def name(self) -> str:
        return " ".join((*(f"{key}={value}" for key, value in self.environment.items()), self.path, *self.words))

    @property
    def entry(self) -> str:
        """The started file, below the root."""
        return self.path.partition("/")[2] or self.path


@dataclass(frozen=True)
class Called:
    """One call that decides memory, as Python reached it. ``direct``: by the program, not by a package that it called; ``parsed``: by a
    parser, of what was not the default. ``fields``: of an arguments object, as it came out of its making; ``of``: the number of the call
    whose object was changed."""

    name: str
    file: str
    line: int
    direct: bool
    arguments: Mapping[str, Any]
    parsed: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)
    of: int | None = None


@dataclass(frozen=True)
class Ran:
    """What a run came to: its exit status, what it called, in order, and what it said."""

    status: int
    calls: tuple[Called, ...]
    said: str


def cases(table: Path = PROGRAMS / "table.yaml") -> list[Case]:
    """Every command line of the table."""
    found = []
    for path, runs in yaml.safe_load(table.read_text(encoding="utf-8")).items():
        for run in runs:
            told = {"words": run} if isinstance(run, str) else run
            words = tuple(told.pop("words", "").split())
            found.append(Case(path, words, **{**told, "environment": {k: str(v) for k, v in told.get("environment", {}).items()}}))
    return found


def place(case: Case, root: Path) -> None:
    """The files of a program, alone in ``root``."""
    folder, _, rest = case.path.partition("/")
    if rest:
        shutil.copytree(PROGRAMS / folder, root, dirs_exist_ok=True)
    else:
        root.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROGRAMS / folder, root / folder)


def execute(root: Path, entry: str, words: Sequence[str] = (), environment: Mapping[str, str] | None = None, module: str = "") -> Ran:
    """Python runs ``root / entry`` in ``root``; the packages that it finds are the stand-ins and those of the tests."""
    log = root.parent / f"{root.name}.jsonl"
    log.unlink(missing_ok=True)
    given = ["-m", module] if module else [_runnable(root, entry)]
    child = subprocess.run(
        [sys.executable, "-B", *given, *words],
        cwd=root,
        env=_environment(root, log, environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Ran(child.returncode, _calls(log), child.stderr + child.stdout)


def execute_case(case: Case, root: Path) -> Ran:
    place(case, root)
    return execute(root, case.entry, case.words, case.environment, case.module)


class _Forks:
    """A Python that is started once and forks for each program."""

    def __init__(self, environment: Mapping[str, str], *words: str) -> None:
        compileall.compile_dir(STAND_INS, quiet=2)  # of which no program writes anything
        command = [sys.executable, "-B", str(HERE / "server.py"), *words]
        self.child = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.communicate("")

    def ask(self, **asked: object) -> int:
        """The exit status of one program."""
        assert self.child.stdin and self.child.stdout
        self.child.stdin.write(json.dumps(asked) + "\n")
        self.child.stdin.flush()
        return int(self.child.stdout.readline())


class Programs(_Forks):
    """Runs cases as `execute_case` does, each in a process of its own, without starting Python for each."""

    def __init__(self, folder: Path) -> None:
        super().__init__(_environment(folder, folder / "none.jsonl", {}), "--bare")

    def execute_case(self, case: Case, root: Path) -> Ran:
        place(case, root)
        log, said = root.parent / f"{root.name}.jsonl", root.parent / f"{root.name}.said"
        log.unlink(missing_ok=True)
        entry = case.entry if case.module else _runnable(root, case.entry)
        environment = _environment(root, log, case.environment)
        status = self.ask(root=str(root), entry=entry, words=case.words, environment=environment, module=case.module, said=str(said))
        return Ran(status, _calls(log), said.read_text(encoding="utf-8"))


class Server(_Forks):
    """Runs small programs of one file, one after the other, each in a process of its own, with the stand-ins imported."""

    def __init__(self, root: Path) -> None:
        self.root, self.log = root.resolve(), root.parent / f"{root.name}.jsonl"
        super().__init__(_environment(self.root, self.log, {}))

    def execute(self, text: str, words: Sequence[str] = (), gpus: int = 1) -> Ran:
        self.log.unlink(missing_ok=True)
        said = self.log.with_suffix(".jsonl.said")
        said.unlink(missing_ok=True)
        (self.root / "program.py").write_text(text, encoding="utf-8")
        status = self.ask(root=str(self.root), entry="program.py", words=list(words), log=str(self.log), gpus=gpus)
        return Ran(status, _calls(self.log), said.read_text(encoding="utf-8") if said.exists() else "")


def _calls(log: Path) -> tuple[Called, ...]:
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return tuple(Called(**json.loads(line)) for line in lines)


def _environment(root: Path, log: Path, given: Mapping[str, str]) -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "SYSTEMROOT", "TMPDIR") if key in os.environ}
    ours = {"PYTHONPATH": str(STAND_INS), "RECORD_TO": str(log), "RECORD_ROOT": str(root.resolve()), "HOME": str(root.parent)}
    return {**kept, **ours, "PYTHONHASHSEED": "0", "NO_COLOR": "1", "COLUMNS": "140", **given}


def cells_of(notebook: str) -> str:
    """Where the code cells of a notebook are put."""
    return f"{Path(notebook).stem}__cells.py"


def _runnable(root: Path, entry: str) -> str:
    """A notebook as a script: its code cells one after the other, at the lines that they have when they are put one below the other."""
    if not entry.endswith(".ipynb"):
        return entry
    cells = json.loads((root / entry).read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    script = root / cells_of(entry)
    script.write_text(code + "\n", encoding="utf-8")
    return script.name
