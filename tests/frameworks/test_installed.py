"""A reader of another package comes in by its entry point, and does what a built-in one does; a broken one is a finding.

The example is added as CONTRIBUTING says: a folder, one line (here of its own ``pyproject.toml``), its tests. Nothing of budgetlint is
touched.
"""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from budgetlint.frameworks._index import MANIFESTS
from budgetlint.frameworks.installed import brought
from budgetlint.frameworks.manifest import Format, Manifest
from budgetlint.isolation.entry_points import READERS, EntryPoint

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "reader-plugin"
ENVIRONMENT = runpy.run_path(str(ROOT / "tests" / "environment.py"))["environment"]
TRAIN = "fit:\n  base: Qwen/Qwen2.5-1.5B\n  batch: 4\n  context: 2048\n"
BUDGET = "device rtx-4090\n"


def install(site: Path, code: Path | None = None, about: str = "acme_reader-1.0.dist-info") -> None:
    """What pip leaves of the example in a site folder; ``code`` is where its package is copied to, if elsewhere."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = (f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in rows.items()) for group, rows in project["entry-points"].items())
    (site / about).mkdir()
    (site / about / "entry_points.txt").write_text("".join(points), encoding="utf-8")
    shutil.copytree(EXAMPLE / "acme_reader", (code or site) / "acme_reader", ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which the example is installed."""
    made, site = ENVIRONMENT(tmp_path_factory.mktemp("reader") / "environment")
    install(site)
    return Path(made)


def run(python: Path | str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "budgetlint", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def project(folder: Path, **more: str) -> Path:
    (folder / ".git").mkdir()
    (folder / "train.yaml").write_text(TRAIN, encoding="utf-8")
    (folder / "house.budget").write_text(BUDGET, encoding="utf-8")
    for name, text in more.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_its_own_tests_pass(python: Path, tmp_path: Path) -> None:
    tests = shutil.copytree(EXAMPLE / "tests", tmp_path / "tests")
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_its_files_are_recognised_and_its_runs_estimated(python: Path, tmp_path: Path) -> None:
    ran = run(python, project(tmp_path), "estimate", "--format", "json")
    (found,) = json.loads(ran.stdout)["runs"]
    assert (ran.returncode, found["verdict"], found["params"]) == (0, "does-not-fit", 1_543_714_304)
    assert '"fit.batch"' in ran.stdout


def test_files_names_its_format(python: Path, tmp_path: Path) -> None:
    told = run(python, project(tmp_path, run_sh="acme-train fit train.yaml\n"), "files").stdout
    assert [line.split()[1] for line in told.splitlines() if line.startswith(("train.yaml", "run.sh"))] == ["acme", "acme"]


def test_a_mistake_in_its_file_is_told_at_its_place(python: Path, tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "train.yaml").write_text(TRAIN.replace("batch: 4", "batch: many"), encoding="utf-8")
    assert "train.yaml:3:10: error BL907" in run(python, folder, "check", "--no-cache", "--format", "concise").stdout


def test_solve_writes_in_its_words(python: Path, tmp_path: Path) -> None:
    """Its manifest says how a setting is spelled: what would fit is offered in its own keys."""
    ran = run(python, project(tmp_path), "solve", "--format", "json")
    texts = {edit["text"].strip() for found in json.loads(ran.stdout)["runs"] for one in found["remedies"] for edit in one["edits"]}
    assert "gradient_checkpointing: true" in texts


def test_without_it_nobody_claims_the_file(tmp_path: Path) -> None:
    told = run(sys.executable, project(tmp_path), "files").stdout
    assert " acme " not in told


def test_a_reader_that_cannot_be_imported_is_contained(tmp_path: Path) -> None:
    """Its files fail, each by a finding; the others are checked."""
    python, site = ENVIRONMENT(tmp_path / "environment")
    install(site)
    (site / "acme_reader" / "reader.py").write_text("import no_such_module_at_all\n", encoding="utf-8")
    (tmp_path / "repository").mkdir()
    folder = project(tmp_path / "repository")
    (folder / "other.yaml").write_text("base_model: x\nsequence_len: many\nmicro_batch_size: 1\nadapter: lora\n", encoding="utf-8")
    ran = run(python, folder, "check", "--no-cache", "--format", "json")
    found = {(one["code"], one["file"]) for one in json.loads(ran.stdout)["findings"]}
    assert {("BL998", "train.yaml"), ("BL907", "other.yaml")} <= found


# -- what is not loaded ------------------------------------------------------------------------------------------------------


def test_of_the_checked_folder_nothing_is_loaded(tmp_path: Path) -> None:
    """An editable install of the checkout: who proposes a change does not bring the reader that reads it."""
    python, site = ENVIRONMENT(tmp_path / "environment")
    (tmp_path / "repository").mkdir()
    folder = project(tmp_path / "repository")
    install(site, code=folder)
    mark = tmp_path / "RAN"
    (folder / "acme_reader" / "__init__.py").write_text(f"open({str(mark)!r}, 'w').close()\n", encoding="utf-8")
    (site / "__editable__.acme.pth").write_text(f"{folder}\n", encoding="utf-8")
    ran = run(python, folder, "check", "--no-cache", "--format", "json")
    (found,) = (one for one in json.loads(ran.stdout)["findings"] if one["code"] == "BL906")
    assert str(folder / "acme_reader") in found["message"]
    assert not mark.exists()


def test_what_lies_in_the_checked_folder_is_not_installed(tmp_path: Path) -> None:
    folder = project(tmp_path)
    install(folder, about="acme_reader.egg-info")
    told = run(sys.executable, folder, "check", "--no-cache")
    assert "BL906" not in told.stdout
    assert " acme " not in run(sys.executable, folder, "files").stdout


ACME = (Format("acme", "Acme"),)
BROKEN = {
    "acme_reader:MISSING": (None, "cannot be loaded"),
    "no_such_module_at_all:MANIFEST": (None, "ModuleNotFoundError"),
    "acme_reader:TEXT": ("text", "is not a Manifest"),
    "acme_reader:NO_FORMAT": (Manifest("acme", (), reader="acme_reader"), "names no format"),
    "acme_reader:NO_READER": (Manifest("acme", ACME), "does not say which module"),
    "acme_reader:NAME": (Manifest("litgpt", ACME, reader="acme_reader"), "is called 'litgpt'"),
    "acme_reader:CODE": (Manifest("acme", ACME, reader="acme_reader", model_code="acme"), "which no estimate knows"),
    "acme_reader:TEXTS": (Manifest("acme", ACME, reader="acme_reader", top="fit"), "one text where a tuple of texts belongs"),  # type: ignore[arg-type]
    "acme_reader:FORMAT": (Manifest("acme", (Format("trl", "TRL"),), reader="acme_reader"), "'trl', which there is already"),
}


@pytest.mark.parametrize(("value", "offered", "says"), [(value, *row) for value, row in BROKEN.items()], ids=BROKEN)
def test_a_broken_one_is_left_out_and_told(value: str, offered: object, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("acme_reader")
    if offered is not None:
        setattr(module, value.partition(":")[2], offered)
    monkeypatch.setitem(sys.modules, "acme_reader", module)
    found = brought([EntryPoint("acme", value, "acme-reader", READERS)], MANIFESTS)
    assert found.manifests == ()
    (left,) = found.left
    assert (left.who, left.place) == ("acme-reader", "")
    assert says in left.why
