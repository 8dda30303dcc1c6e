"""Every Python that is here says the same of the examples, byte for byte: 3.11 to 3.14, from PATH, pyenv or uv."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TREE = ("README.md", "LICENSE", "pyproject.toml", "budgetlint", "rules", "grammar")
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
THIS = ".".join(map(str, sys.version_info[:2]))
OFFLINE = re.compile(
    "Failed to establish a new connection|Temporary failure in name resolution|Network is unreachable|No matching distribution"
)
COMMANDS = (
    ("check", "--no-cache", "--info", "--format", "json"),
    ("check", "--no-cache", "--format", "sarif"),
    ("estimate", "--format", "json"),
    ("files", "--format", "json"),
)


def python_of(version: str) -> str | None:
    """A program that is this Python: in PATH, or one of pyenv's that no shim names."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [shutil.which(f"python{version}"), *sorted(home.glob(f"{version}.*/bin/python{version}"))]
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    for place in filter(None, places):
        ran = subprocess.run([place, "-I", "-c", asked], capture_output=True, text=True, check=False)
        if ran.stdout.strip() == version:
            return str(place)
    return None


def said_by(program: Path) -> list[bytes]:
    """What each command prints about the examples, under warnings that are errors."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | {"PYTHONWARNINGS": "error"}
    ran = [subprocess.run([program, *words, "examples"], cwd=ROOT, env=environ, capture_output=True, check=False) for words in COMMANDS]
    assert [one.stderr for one in ran] == [b""] * len(COMMANDS)
    assert {one.returncode for one in ran} <= {0, 1}
    return [one.stdout for one in ran]


@pytest.fixture(scope="module")
def here() -> list[bytes]:
    return said_by(Path(sys.executable).parent / "budgetlint")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once: it is pure, and each Python installs the same."""
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "tree"
    tree.mkdir()
    for name in TREE:
        place = ROOT / name
        shutil.copytree(place, tree / name, ignore=shutil.ignore_patterns("__pycache__")) if place.is_dir() else shutil.copy(place, tree)
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, tree], check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.mark.parametrize("version", [version for version in VERSIONS if version != THIS])
def test_the_bytes_are_the_same(version: str, here: list[bytes], wheel: Path, tmp_path: Path) -> None:
    """As this Python's, of which `here` is."""
    python = python_of(version) or pytest.skip(f"no Python {version} here")
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    installed = subprocess.run([programs / "python", "-m", "pip", "install", "-q", wheel], capture_output=True, text=True, check=False)
    if installed.returncode and OFFLINE.search(installed.stderr):
        pytest.skip("PyPI cannot be reached")
    assert installed.returncode == 0, installed.stderr
    assert said_by(programs / "budgetlint") == here
