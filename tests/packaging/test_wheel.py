"""The wheel holds the tree: every module, table and grammar file, nothing else; and it works where only it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SOURCES = ("budgetlint", "rules", "grammar", "pyproject.toml", "README.md", "LICENSE")
RENAMED = {"rules": "budgetlint_rules", "grammar": "budgetlint_grammar"}
SHIPPED = (".py", ".json", ".lark", ".md", ".txt", "py.typed")
NEEDS_SETUPTOOLS = 77
"""``license = "Apache-2.0"`` as text (PEP 639)."""


def _builds_here() -> bool:
    try:
        return int(version("setuptools").partition(".")[0]) >= NEEDS_SETUPTOOLS
    except PackageNotFoundError:
        return False


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that the tree stays clean and nothing stale is in it."""
    copy = tmp_path_factory.mktemp("tree")
    for name in SOURCES:
        source = repository / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
        else:
            shutil.copy(source, copy / name)
    isolation = ["--no-isolation"] if _builds_here() else []
    command = [sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", str(copy / "out"), str(copy)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (built,) = (copy / "out").iterdir()
    return built


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def _tree(repository: Path) -> Iterator[str]:
    for top in ("budgetlint", "rules", "grammar"):
        for path in (repository / top).rglob("*"):
            inner = path.relative_to(repository / top)
            if path.is_file() and path.name.endswith(SHIPPED) and not any(part.startswith((".", "__py")) for part in inner.parts):
                yield f"{RENAMED.get(top, top)}/{inner.as_posix()}"


def test_the_wheel_holds_the_tree_and_nothing_else(wheel: Path, repository: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == set(_tree(repository))


def test_it_is_pure_and_has_its_license(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert any(name.endswith(".dist-info/licenses/LICENSE") for name in archive.namelist())


def test_the_entry_points(unpacked: Path) -> None:
    (info,) = unpacked.glob("budgetlint-*.dist-info")
    text = (info / "entry_points.txt").read_text(encoding="utf-8")
    assert "budgetlint = budgetlint.__main__:run" in text
    assert "[budgetlint.rules]\nbuiltin = budgetlint_rules:RULES" in text


def program(unpacked: Path, *argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(unpacked)}
    return subprocess.run([sys.executable, "-m", "budgetlint", *argv], cwd=cwd, capture_output=True, text=True, timeout=120, env=environ)


def test_it_runs_from_the_wheel_with_every_rule(unpacked: Path, repository: Path, tmp_path: Path) -> None:
    where = [sys.executable, "-c", "import budgetlint, budgetlint_rules; print(budgetlint.__file__, budgetlint_rules.__file__)"]
    ran = subprocess.run(where, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(unpacked)})
    assert all(path.startswith(str(unpacked)) for path in ran.stdout.split()), ran.stdout
    listed = json.loads(program(unpacked, "rule", "--all", "--format", "json", cwd=tmp_path).stdout)["rules"]
    modules = {path.stem for path in (repository / "rules").glob("[a-z]*.py")}
    assert modules <= {rule["name"].replace("-", "_") for rule in listed}


def test_it_checks_the_examples_from_the_wheel(unpacked: Path, repository: Path) -> None:
    ran = program(unpacked, "check", "examples", cwd=repository)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "does not fit" in ran.stdout


def test_the_version_is_one(unpacked: Path) -> None:
    from budgetlint import __version__

    assert [path.name for path in unpacked.glob("*.dist-info")] == [f"budgetlint-{__version__}.dist-info"]
