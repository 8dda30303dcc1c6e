"""Nothing of the checked repository is imported, wherever Python would look for it."""

from __future__ import annotations

import ast
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAM = str(Path(sys.executable).parent / "budgetlint")
MODULE = (sys.executable, "-m", "budgetlint")
ENVIRONMENT = runpy.run_path(str(Path(__file__).parents[1] / "environment.py"))["environment"]
RUNS = "import pathlib; pathlib.Path({mark!r}).write_text('code of the repository ran')\nRULES = []\n"
POINTS = "[budgetlint.rules]\nx = evil_plug:RULES\n"


@dataclass(frozen=True)
class Hostile:
    """A repository, and the file that its code would leave behind."""

    root: Path
    mark: Path

    def code(self, name: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RUNS.format(mark=str(self.mark)), encoding="utf-8")

    def run(
        self, *words: str, cwd: Path | None = None, environ: Mapping[str, str] | None = None, crash: bool = False
    ) -> subprocess.CompletedProcess[str]:
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        ran = subprocess.run(
            words, cwd=cwd or self.root, env=inherited | dict(environ or {}), capture_output=True, text=True, timeout=60, check=False
        )
        assert crash or "Traceback" not in ran.stderr, ran.stderr
        return ran


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / "a.budget").write_text("device 24GiB; model qwen2.5-0.5b; lora r=8; batch 1; seq 128\n")
    (root / "train.yaml").write_text("model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 1\noutput_dir: x\n")
    return Hostile(root, tmp_path / "RAN")


LOOKS = {
    "python -m": (MODULE, {}),
    "PYTHONPATH names it": ((PROGRAM,), {"PYTHONPATH": "{root}"}),
    "PYTHONPATH names a folder in it, and the working directory": ((PROGRAM,), {"PYTHONPATH": "src:"}),
    "PYTHONPATH names the working directory": ((PROGRAM,), {"PYTHONPATH": "."}),
    "PYTHONPATH over a link": ((PROGRAM,), {"PYTHONPATH": "{root}/../link"}),
    "HOME lies in it": ((PROGRAM,), {"HOME": "{root}"}),
}


@pytest.mark.parametrize("folder", ["evil.egg-info", "evil-1.0.dist-info"])
@pytest.mark.parametrize(("command", "environ"), LOOKS.values(), ids=LOOKS)
def test_what_lies_in_the_repository_is_not_installed(
    hostile: Hostile, folder: str, command: tuple[str, ...], environ: dict[str, str]
) -> None:
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (hostile.root.parent / "link").symlink_to(hostile.root)
    for place in (".", "src", f".local/lib/{version}/site-packages"):
        (hostile.root / place / folder).mkdir(parents=True)
        (hostile.root / place / folder / "entry_points.txt").write_text(POINTS)
        hostile.code(f"{place}/evil_plug.py")
    ran = hostile.run(*command, "check", "--no-cache", environ={key: text.format(root=hostile.root) for key, text in environ.items()})
    assert ran.returncode == 0, ran.stdout
    assert "BL906" not in ran.stdout
    assert not hostile.mark.exists()


def _imported(command: tuple[str, ...], folder: Path) -> set[str]:
    """The modules of others that budgetlint imports anywhere, without those that Python loads before it: on its own, for the console
    script (``re``), or to find the module of ``-m`` (``runpy``, and what that imports)."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in Path(PACKAGE).rglob("*.py") if "probe" not in path.parts)
    nodes = [node for tree in trees for node in ast.walk(tree)]
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    folder.mkdir()
    (folder / "loaded.py").write_text("import sys; print(*sys.modules)")
    asked = ("-m", "loaded") if command == MODULE else ("-c", "import re, loaded")
    started = subprocess.run([sys.executable, *asked], cwd=folder, capture_output=True, text=True, check=True).stdout.split()
    return {name.partition(".")[0] for name in plain | named} - {"budgetlint", *(name.partition(".")[0] for name in started)}


PACKAGE = str(Path(__import__("budgetlint").__file__).parent)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "environ"), LOOKS.values(), ids=LOOKS)
def test_modules_of_the_repository_hide_nobody_elses(hostile: Hostile, command: tuple[str, ...], environ: dict[str, str]) -> None:
    names = sorted(_imported(command, hostile.root.parent / "before"))
    assert {"lark", "ruamel", "json", "tomllib", "pydantic"} <= set(names)
    for place in (".", "src"):
        for name in names:
            hostile.code(f"{place}/{name}.py")
    (hostile.root.parent / "link").symlink_to(hostile.root)
    environ = {key: text.format(root=hostile.root) for key, text in environ.items()}
    for words in (("check", "--no-cache"), ("estimate",), ("files", "--format", "json"), ("rule", "BL101"), ("check", "--format", "sarif")):
        assert hostile.run(*command, *words, environ=environ).returncode == 0
    assert not hostile.mark.exists()


def test_a_repository_that_is_named_is_not_imported_from_elsewhere(hostile: Hostile, tmp_path: Path) -> None:
    for name in ("json.py", "lark.py", "evil_plug.py"):
        hostile.code(name)
    ran = hostile.run(PROGRAM, "check", "--no-cache", str(hostile.root), cwd=tmp_path, environ={"PYTHONPATH": str(hostile.root)})
    assert ran.returncode == 0
    assert not hostile.mark.exists()


def test_what_the_user_put_on_the_path_stays_there(hostile: Hostile, tmp_path: Path) -> None:
    """Another folder than the checked one is the user's own affair."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "json.py").write_text(RUNS.format(mark=str(hostile.mark)))
    hostile.run(PROGRAM, "files", "--format", "json", environ={"PYTHONPATH": str(tmp_path / "own")}, crash=True)
    assert hostile.mark.exists()


# -- plugins -----------------------------------------------------------------------------------------------------------------

LINE = (
    "from budgetlint.base.finding import Confidence, Severity\nfrom budgetlint.rule import Rule\n"
    "RULES = [Rule('ACME001', 'acme', Severity.ERROR, Confidence.HIGH, 'run', lambda run: (), 'One.', '1.0')]\n"
)


def _plugin(hostile: Hostile, site: Path, module: Path) -> None:
    (site / "acme-1.0.dist-info").mkdir()
    (site / "acme-1.0.dist-info" / "entry_points.txt").write_text("[budgetlint.rules]\nacme = acme_rules:RULES\n")
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(RUNS.format(mark=str(hostile.mark)) + LINE)


def _by_pth(site: Path, folder: Path) -> None:
    (site / "__editable__.acme-1.0.pth").write_text(f"{folder}\n")


def _by_finder(site: Path, folder: Path) -> None:
    """As setuptools installs a package whose folder has another layout (``__editable___acme_1_0_finder``)."""
    (site / "acme_finder.py").write_text(
        "import sys\nfrom importlib.util import spec_from_file_location\nclass Finder:\n    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        return spec_from_file_location(name, {str(folder / 'acme_rules.py')!r}) if name == 'acme_rules' else None\n"
        "sys.meta_path.append(Finder)\n"
    )
    (site / "acme.pth").write_text("import acme_finder\n")


def _by_link(site: Path, folder: Path) -> None:
    (site / "acme_rules.py").symlink_to(folder / "acme_rules.py")


@pytest.mark.parametrize("install", [_by_pth, _by_finder, _by_link], ids=["a .pth file", "a finder", "a link"])
def test_an_editable_install_of_the_checked_folder_is_refused(hostile: Hostile, tmp_path: Path, install) -> None:
    python, site = ENVIRONMENT(tmp_path / "environment")
    _plugin(hostile, site, hostile.root / "rules" / "acme_rules.py")
    install(site, hostile.root / "rules")
    ran = hostile.run(str(python), "-m", "budgetlint", "check", "--no-cache", "--format", "json")
    (found,) = (one for one in json.loads(ran.stdout)["findings"] if one["code"] == "BL906")
    assert (ran.returncode, found["severity"]) == (1, "error")
    assert str(hostile.root / "rules") in found["message"]
    assert not hostile.mark.exists()


@pytest.mark.parametrize("install", [_by_pth, _by_finder], ids=["a .pth file", "a finder"])
def test_an_editable_install_of_another_folder_runs(hostile: Hostile, tmp_path: Path, install) -> None:
    python, site = ENVIRONMENT(tmp_path / "environment")
    _plugin(hostile, site, tmp_path / "mine" / "acme_rules.py")
    install(site, tmp_path / "mine")
    ran = hostile.run(str(python), "-m", "budgetlint", "check", "--no-cache")
    assert (ran.returncode, hostile.mark.exists()) == (0, True)


def test_a_copy_in_the_projects_own_environment_runs(hostile: Hostile) -> None:
    """Who starts the Python of ``.venv`` has chosen it, wherever it lies."""
    python, site = ENVIRONMENT(hostile.root / ".venv")
    _plugin(hostile, site, site / "acme_rules.py")
    ran = hostile.run(str(python), "-m", "budgetlint", "rule", "ACME001")
    assert (ran.returncode, hostile.mark.exists()) == (0, True)
