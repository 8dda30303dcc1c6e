"""A folder that somebody else wrote, with programs that leave a mark when they are started; and real editors, or an editor's extension in
its own runtime, that open a file of it."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
EDITORS = HERE.parents[1] / "editors"
CODE = EDITORS / "vscode"

OWN = ("budgetlint", "bin/budgetlint", ".venv/bin/budgetlint", "venv/bin/budgetlint", "env/bin/budgetlint", "node_modules/.bin/budgetlint")
"""Programs of the folder."""

SETTINGS = {
    ".vscode/settings.json": '{"budgetlint.path": "{folder}/bin/budgetlint", "budgetlint.useProjectEnvironment": true}',
    ".dir-locals.el": '((nil . ((fill-column . 33) (budgetlint-program . "{folder}/bin/budgetlint") (budgetlint-trusted . ("{folder}")))))',
    ".nvim.lua": "vim.g.budgetlint = { trusted = { '{folder}' } }",
    ".exrc": "let g:budgetlint = {'trusted': ['{folder}']}",
    ".helix/languages.toml": '[language-server.budgetlint]\ncommand = "{folder}/bin/budgetlint"\n',
}
"""What the folder asks of an editor."""


@dataclass(frozen=True)
class Hostile:
    """``folder`` is a repository, ``outside`` holds a program ``budgetlint`` of the user, ``link`` leads into the folder."""

    folder: Path
    outside: Path
    link: Path
    marks: Path

    @property
    def config(self) -> Path:
        return self.folder / "runs/team.budget"

    @property
    def started(self) -> dict[str, Path]:
        """The working directory of each program that was started, by its name."""
        return {mark.name.replace("|", "/"): Path(mark.read_text(encoding="utf-8").strip()) for mark in self.marks.iterdir()}

    def path(self, *entries: str) -> str:
        """A PATH that ends where ``sh`` is. The server itself is started by its absolute path."""
        return os.pathsep.join((*(entry.format(folder=self.folder, link=self.link) for entry in entries), "/usr/bin", "/bin"))

    def program(self, place: Path, name: str) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        server = Path(sys.executable).with_name("budgetlint")
        place.write_text(f'#!/bin/sh\npwd > "{self.marks}/{name.replace("/", "|")}"\nexec "{server}" "$@"\n', encoding="utf-8")
        place.chmod(0o755)


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    made = Hostile(tmp_path / "work/repo", tmp_path / "outside", tmp_path / "link", tmp_path / "marks")
    for folder in (made.folder / ".git", made.outside, made.marks, made.config.parent, tmp_path / "home"):
        folder.mkdir(parents=True)
    for name in OWN:
        made.program(made.folder / name, name)
        made.program(made.config.parent / name, f"runs/{name}")
    made.program(made.outside / "budgetlint", "the right one")
    made.link.symlink_to(made.folder / "bin")
    for name, text in SETTINGS.items():
        (made.folder / name).parent.mkdir(exist_ok=True)
        (made.folder / name).write_text(text.replace("{folder}", str(made.folder)), encoding="utf-8")
    made.config.write_text("device 24GiB; reserve 1GiB; model qwen2.5-1.5b; optimizer adamw\n", encoding="utf-8")
    return made


def done(words: list[str], folder: Path, path: str, home: Path) -> str:
    homes = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")}
    environ = {**os.environ, **homes, "PATH": path}
    ran = subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def needed(name: str) -> str:
    """Where a program lies; without it the test is skipped."""
    return shutil.which(name) or pytest.skip(f"no {name} on PATH (Debian: apt-get install neovim emacs-nox elpa-eglot nodejs npm)")


class Neovim:
    """``trusted`` and ``command`` are the user's ``vim.g.budgetlint``."""

    def __init__(self, work: Path) -> None:
        self.program, self.work = needed("nvim"), work

    def open(self, config: Path, path: str, **options: Any) -> str:
        told = self.work / "told"
        chosen = {"budgetlint": options, "told": str(told), "file": str(config)}
        variables = " | ".join(f"let g:{name} = {json.dumps(value)}" for name, value in chosen.items())
        scripts = ["-S", str(EDITORS / "neovim/budgetlint.lua"), "-S", str(HERE / "started.lua")]
        done([self.program, "--headless", "--clean", "--cmd", variables, *scripts, "-c", "cquit"], config.parent, path, self.work / "home")
        return told.read_text(encoding="utf-8")


class Emacs:
    """``trusted`` and ``command`` are the user's ``budgetlint-trusted`` and ``budgetlint-program``; ``locals`` which
    variables of a folder are taken without a question."""

    def __init__(self, work: Path) -> None:
        self.program, self.work = needed("emacs"), work

    def open(self, config: Path, path: str, trusted: tuple[str, ...] = (), command: tuple[str, ...] = (), locals: str = ":safe") -> str:
        listed = " ".join(map(json.dumps, trusted))
        chosen = f"(setq budgetlint-program {json.dumps(command[0])})" if command else ""
        options = f"(progn (setq enable-local-variables {locals} budgetlint-trusted '({listed})) {chosen})"
        opened = ["-l", str(HERE / "started.el"), "--eval", f"(budgetlint-opened {json.dumps(str(config))})"]
        words = [self.program, "-q", "--batch", "-l", str(EDITORS / "emacs/budgetlint.el"), "--eval", options, *opened]
        told = done(words, config.parent, path, self.work / "home")
        return pytest.skip("Emacs has no eglot (Debian: apt-get install elpa-eglot)") if "no eglot" in told else told


class Code:
    """The extension in node, with stand-ins for ``vscode`` and for its client, which starts what the real one would start. VS Code trusts a
    folder, not those below it: with ``trusted`` its user has done so and asked for environments."""

    def __init__(self, work: Path) -> None:
        self.program, self.work = needed("node"), work
        bundled(work / "bundle")

    def open(self, config: Path, path: str, trusted: tuple[str, ...] = (), command: tuple[str, ...] = (), **more: Any) -> str:
        user = {"useProjectEnvironment": bool(trusted)} | ({"path": command[0]} if command else {})
        asked = {"user": user, "isTrusted": True, "folders": [str(config.parent.parent)]} | more
        return done([self.program, "started.js", json.dumps(asked)], self.work / "bundle", path, self.work / "home")


def bundled(folder: Path) -> None:
    """The extension, and by itself its choice of a program, bundled by the esbuild that builds it, beside the stand-ins."""
    shutil.copytree(HERE / "stand_ins", folder / "node_modules")
    shutil.move(folder / "node_modules/started.js", folder)
    options = ["--bundle", "--platform=node", "--format=cjs", "--log-level=warning", "--external:vscode*"]
    sources = [str(CODE / "src" / name) for name in ("extension.ts", "program.ts")]
    subprocess.run([_esbuild(), *sources, *options, f"--outdir={folder}"], check=True, timeout=60)


@cache
def _esbuild() -> Path:
    wanted = json.loads((CODE / "package.json").read_text(encoding="utf-8"))["devDependencies"]["esbuild"]
    folder = Path(tempfile.mkdtemp(prefix="esbuild-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    words = [needed("npm"), "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", f"esbuild@{wanted}"]
    if subprocess.run(words, cwd=folder, capture_output=True, timeout=120, check=False).returncode:
        pytest.skip("npm cannot install esbuild here")
    return folder / "node_modules/.bin/esbuild"


@pytest.fixture
def started(tmp_path: Path) -> Callable[[str], Any]:
    """An editor by its name."""
    kinds = {"neovim": Neovim, "emacs": Emacs, "vscode": Code}
    return lambda kind: kinds[kind](tmp_path)


@pytest.fixture(scope="module")
def chooser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which node finds the extension's choice of a program."""
    folder = tmp_path_factory.mktemp("bundles") / "bundle"
    bundled(folder)
    return folder
