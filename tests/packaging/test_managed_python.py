"""The README's two commands where Python refuses installs outside an environment (PEP 668: Debian, Ubuntu, Homebrew)."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MARKER = "EXTERNALLY-MANAGED"
TREE = ("README.md", "LICENSE", "pyproject.toml", "budgetlint", "rules", "grammar", "examples")
OFFLINE = re.compile("Failed to establish a new connection|Temporary failure in name resolution|Network is unreachable")
IS_MANAGED = f"""
import ensurepip, pip, pathlib, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 11) or not (pathlib.Path(sysconfig.get_path("stdlib")) / "{MARKER}").exists())
"""


def of_the_system(folder: Path) -> Path | None:
    """A folder in which ``python3`` is the system's own."""
    places = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin")
    return next((Path(place) for place in places if _is_managed(Path(place))), None)


def made_from_this(folder: Path) -> Path | None:
    """This Python once more, its library as links, with the marker that a distribution puts there."""
    library = Path(sysconfig.get_path("stdlib"))
    programs, copy = folder / "bin", folder / library.relative_to(sys.base_prefix)
    for new in (programs, copy / "site-packages"):
        new.mkdir(parents=True)
    shutil.copy(Path(sys._base_executable).resolve(), programs / "python3")  # type: ignore[attr-defined]
    for place in (*library.iterdir(), *library.glob("site-packages/pip*")):
        if place.name != "site-packages":
            (copy / place.relative_to(library)).symlink_to(place)
    (copy / MARKER).write_text("[externally-managed]\nError=make an environment\n", encoding="utf-8")
    return programs if _is_managed(programs) else None


def _is_managed(programs: Path) -> bool:
    python = programs / "python3"
    return python.exists() and subprocess.run([python, "-I", "-c", IS_MANAGED], capture_output=True, check=False).returncode == 0


NEEDED = "a Python 3.11 or newer that is managed and has pip and venv (Debian: apt-get install python3-pip python3-venv)"


@pytest.fixture(scope="module", params=[of_the_system, made_from_this])
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a managed ``python3``."""
    return request.param(tmp_path_factory.mktemp("python")) or pytest.skip(f"not here: {NEEDED}")


@pytest.fixture(scope="module")
def tree(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout."""
    folder = tmp_path_factory.mktemp("tree")
    for name in TREE:
        source = repository / name
        unneeded = shutil.ignore_patterns("__pycache__")
        (shutil.copytree(source, folder / name, ignore=unneeded) if source.is_dir() else shutil.copy(source, folder))
    return folder


def run(folder: Path, programs: Path, *words: str) -> subprocess.CompletedProcess[str]:
    outside = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")}
    environ = {**outside, "PATH": os.pathsep.join((str(programs), "/usr/bin", "/bin"))}
    ran = subprocess.run(words, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return pytest.skip("pip reaches no index here") if OFFLINE.search(ran.stdout) else ran


@pytest.fixture(scope="module")
def commands(repository: Path) -> list[str]:
    page = (repository / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(python3 -m venv .*?)^```$", page, re.MULTILINE | re.DOTALL)


def test_pip_alone_is_refused(tree: Path, programs: Path) -> None:
    ran = run(tree, programs, "python3", "-m", "pip", "install", ".")
    assert ran.returncode == 1
    assert "externally-managed-environment" in ran.stdout


def test_both_begin_with_an_environment_also_where_one_is_active(tmp_path: Path, programs: Path, commands: list[str]) -> None:
    """Typed into zsh where that is there, on one of the two."""
    shell = "zsh" if programs.is_relative_to("/usr") and shutil.which("zsh") else "bash"
    (begin,) = {command.partition("\n")[0] for command in commands}
    where = "command -v pip && command -v python && python -c 'import sys; print(sys.prefix)'"
    ran = run(tmp_path, programs, shell, "-ec", f"{begin}\n{where}\n{begin}\n{where}")
    place = tmp_path / ".venv"
    assert ran.stdout.splitlines() == [str(place / "bin/pip"), str(place / "bin/python"), str(place)] * 2


def test_the_first_command_checks_the_examples(
    tree: Path, commands: list[str], repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """On the system's Python; only where that is none, on the one that is made."""
    made = (kind(tmp_path_factory.mktemp("python")) for kind in (of_the_system, made_from_this))
    programs = next(filter(None, made), None) or pytest.skip(f"not here: {NEEDED}")
    ran = run(tree, programs, "bash", "-c", commands[0])
    assert ran.returncode == 1, ran.stdout
    listed = re.search(r"^for expected in (.*); do$", (repository / ".ci/run").read_text(encoding="utf-8"), re.MULTILINE)
    assert listed is not None
    assert [expected for expected in shlex.split(listed[1]) if expected not in ran.stdout] == []
