"""The linter as it was at one commit, in an environment of its own: what is looked at is never what is being mended."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from first_looks import Refused
from first_looks.trees import commit_of, git

LINTER = ("budgetlint", "rules", "grammar", "pyproject.toml")
"""What the answer depends on."""
LIMIT_SECONDS = 600

Answer = Mapping[str, Any]


class Linter(NamedTuple):
    """The program, and the commit it was installed from."""

    commit: str
    program: Sequence[str]


def frozen_commit(root: Path, name: str) -> str:
    """The full id of a commit of this project. Raises `Refused` where the checkout is at it and holds something else."""
    if name.endswith("-dirty"):
        raise Refused(f"{name}: a dirty tree cannot be looked up again; commit it, and look at the commit")
    commit = commit_of(root, name)
    changed = git(root, "status", "--porcelain", "--", *LINTER).decode("utf-8").splitlines()
    if changed and commit == commit_of(root):
        raise Refused(f"{changed[0][3:]} is not committed, so it would not be looked at: commit or stash it first")
    return commit


def committed_at(root: Path, commit: str) -> datetime:
    return datetime.fromtimestamp(int(git(root, "show", "--no-patch", "--format=%ct", commit)), UTC)


def committed_data(root: Path, path: Path) -> None:
    """Raises `Refused` where a file of inputs is not in the last commit as it stands: nobody could tell that it was written before."""
    if git(root, "status", "--porcelain", "--", str(path)).strip():
        raise Refused(f"{path.name} is not committed as it stands: commit it before the look, so that it is seen to be older")


def installed(root: Path, commit: str, folder: Path) -> Linter:
    """The linter of a commit, installed below ``folder`` from ``git archive``; what is there already is taken."""
    place = folder / f"budgetlint-{commit[:12]}"
    marker = place / "commit"
    if not marker.exists() or marker.read_text(encoding="ascii") != commit:
        _install(root, commit, place)
        marker.write_text(commit, encoding="ascii")
    return Linter(commit, (str(place / "bin" / "budgetlint"),))


def _install(root: Path, commit: str, place: Path) -> None:
    with tempfile.TemporaryDirectory() as source:
        with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--format=tar", commit))) as archive:
            archive.extractall(source, filter="data")
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([str(place / "bin" / "pip"), "install", "--quiet", "--no-cache-dir", source], check=True)


def check(linter: Linter, tree: Path, budget: str = "", *, preview: bool = False) -> Answer:
    """``budgetlint check --info`` over a tree, as data; ``{"crashed": text}`` where it gives none. ``preview``: asks preview rules too."""
    options = (*(("--preview",) if preview else ()), *(("--budget", budget) if budget else ()))
    return _answer(linter, tree, "check", "--no-cache", "--info", *options)


def beyond(answer: Answer, more: Answer) -> Iterator[Mapping[str, Any]]:
    """The findings of a second answer that the first lacks: a line that moved is none."""
    old = [_told(one) for one in answer.get("findings", ())]
    for one in more.get("findings", ()):
        if _told(one) in old:
            old.remove(_told(one))
        else:
            yield one


def _told(finding: Mapping[str, Any]) -> tuple[str, str, str]:
    return finding["name"], finding["file"], finding["message"]


def estimate(linter: Linter, tree: Path, budget: str = "", *, settings: bool = False) -> Answer:
    """``budgetlint estimate`` over a tree: the bills, or the settings of each run."""
    return _answer(linter, tree, "estimate", *(("--budget", budget) if budget else ()), *(("--settings",) if settings else ()))


def files(linter: Linter, tree: Path) -> Answer:
    return _answer(linter, tree, "files")


def _answer(linter: Linter, tree: Path, command: str, *options: str) -> Answer:
    words = [*linter.program, command, *options, "--format", "json", "."]
    try:
        ran = subprocess.run(words, cwd=tree, capture_output=True, check=False, timeout=LIMIT_SECONDS, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return {"crashed": f"{command}: no answer in {LIMIT_SECONDS} s"}
    try:
        found: Answer = json.loads(ran.stdout)
    except ValueError:
        return {"crashed": f"{command}: exit code {ran.returncode}: {ran.stderr.strip()[-400:]}"}
    return found
