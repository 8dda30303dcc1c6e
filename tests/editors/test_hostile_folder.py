"""Opening a file starts nothing that came with it: not from an environment, not through PATH, not by settings of the folder."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

INTO_THE_FOLDER = ("", ".", "bin", "node_modules/.bin", "{folder}/bin", "{folder}/runs/bin", "{folder}/runs/..", "{link}")
RIGHT = "the right one"
PACKAGE = Path(__file__).parents[2] / "editors/vscode/package.json"


@pytest.fixture(params=["neovim", "emacs", "vscode"])
def editor(request: pytest.FixtureRequest, started) -> Any:
    return started(request.param)


def test_the_program_of_the_user_is_started_and_not_in_the_folder(editor, hostile) -> None:
    told = editor.open(hostile.config, hostile.path(*INTO_THE_FOLDER, str(hostile.outside)))
    assert hostile.started == {RIGHT: hostile.outside}, told


def test_where_only_the_folder_has_one_none_is_started_and_that_is_said(editor, hostile) -> None:
    told = editor.open(hostile.config, hostile.path(*INTO_THE_FOLDER))
    assert hostile.started == {}
    assert "came with the folder" in told or f"outside {hostile.folder}" in told


@pytest.mark.parametrize("chosen", ["bin/budgetlint", "./budgetlint", "../bin/budgetlint"])
def test_a_relative_program_is_refused(editor, hostile, chosen: str) -> None:
    told = editor.open(hostile.config, hostile.path(str(hostile.outside)), command=(chosen, "lsp"))
    assert hostile.started == {}
    assert chosen in told
    assert "absolute" in told


def test_the_environment_of_a_trusted_project_is_used(editor, hostile) -> None:
    editor.open(hostile.config, hostile.path(str(hostile.outside)), trusted=(str(hostile.folder.parent),))
    assert list(hostile.started) == [".venv/bin/budgetlint"]


def test_a_program_that_the_user_names_is_used_wherever_it_lies(editor, hostile) -> None:
    editor.open(hostile.config, hostile.path(str(hostile.outside)), command=(str(hostile.folder / "bin/budgetlint"), "lsp"))
    assert list(hostile.started) == ["bin/budgetlint"]


@pytest.mark.parametrize("kind", ["neovim", "emacs"])
@pytest.mark.parametrize("trusted", [".", "..", "", "{folder}/bin", "{folder}x", "{outside}"])
def test_another_folder_is_not_trusted(kind: str, started, hostile, trusted: str) -> None:
    """Nor is one that is a link in a trusted folder."""
    (hostile.outside / "link").symlink_to(hostile.folder)
    config = hostile.outside / "link/runs" / hostile.config.name if "outside" in trusted else hostile.config
    right = hostile.folder.parent / "bin"
    hostile.program(right / "budgetlint", RIGHT)
    started(kind).open(config, hostile.path(str(right)), trusted=(trusted.format(folder=hostile.folder, outside=hostile.outside),))
    assert list(hostile.started) == [RIGHT]


def test_emacs_reads_no_option_from_the_folder_even_where_all_variables_are_taken(started, hostile) -> None:
    started("emacs").open(hostile.config, hostile.path(str(hostile.outside)), locals=":all")
    assert list(hostile.started) == [RIGHT]


FOLDER_SETTINGS: dict[str, dict[str, Any]] = {
    "a program": {"folder": {"path": "{folder}/bin/budgetlint"}},
    "its environment": {"folder": {"useProjectEnvironment": True}},
    "both, in a folder that is not trusted": {"folder": {"path": "bin/budgetlint", "useProjectEnvironment": True}, "isTrusted": False},
    "the user's wish, in a folder that is not trusted": {"user": {"useProjectEnvironment": True}, "isTrusted": False},
}


@pytest.mark.parametrize("asked", FOLDER_SETTINGS.values(), ids=list(FOLDER_SETTINGS))
def test_vscode_takes_no_program_from_the_settings_of_a_folder(started, hostile, asked: dict[str, Any]) -> None:
    filled = json.loads(json.dumps(asked).replace("{folder}", str(hostile.folder)))
    started("vscode").open(hostile.config, hostile.path(str(hostile.outside)), **filled)
    assert list(hostile.started) == [RIGHT]


WINDOWS = """
const { find } = require("./program");
const path = require("node:path").win32;
const same = (one, other) => path.normalize(one).toLowerCase() === path.normalize(other).toLowerCase();
const [asked, files, links, PATH] = JSON.parse(process.argv[1]);
const system = {
  path, PATH, home: "C:\\\\Users\\\\me",
  isProgram: (place) => files.some((file) => same(file, place)),
  exists: (place) => same(place, "C:\\\\work\\\\repo\\\\.git"),
  real: (place) => Object.entries(links).reduce((seen, [from, to]) => seen.toLowerCase().replace(from.toLowerCase(), to), place),
};
console.log(JSON.stringify(find({ program: "", opened: ["c:\\\\Work\\\\repo\\\\runs"], environments: [], ...asked }, system)));
"""
MINE = r"C:\Users\me\.local\bin\budgetlint.exe"
ON_WINDOWS: list[tuple[str, dict[str, Any], list[str], str, str | None]] = [
    ("the folder's own", {}, [r"C:\work\repo\runs\budgetlint.exe", r"C:\work\repo\budgetlint.exe"], "", None),
    ("no bare name", {}, [r"C:\work\repo\runs\budgetlint.exe", MINE], r".;;bin;C:\Users\me\.local\bin", MINE),
    ("no batch file", {}, [r"D:\shims\budgetlint.bat", r"D:\shims\budgetlint.cmd"], r"D:\shims", None),
    ("a place of the current drive", {}, [r"\bin\budgetlint.exe", r"C:bin\budgetlint.exe"], r"\bin;C:bin", None),
    ("the repository in other letters", {}, [r"C:\WORK\Repo\bin\budgetlint.exe"], r"C:\WORK\Repo\bin", None),
    ("a junction into it", {}, [r"D:\junction\budgetlint.exe"], r"D:\junction", None),
    ("a relative setting", {"program": r"bin\budgetlint.exe"}, [r"bin\budgetlint.exe"], "", None),
    ("a home that is open", {"opened": [r"C:\Users\me"]}, [MINE], r"C:\Users\me\.local\bin", MINE),
    ("an environment", {"environments": [r"C:\a"]}, [r"C:\a\.venv\Scripts\budgetlint.exe"], "", r"C:\a\.venv\Scripts\budgetlint.exe"),
]


@pytest.mark.parametrize(("asked", "files", "path", "program"), [row[1:] for row in ON_WINDOWS], ids=[row[0] for row in ON_WINDOWS])
def test_vscode_on_windows(chooser: Path, asked: dict[str, Any], files: list[str], path: str, program: str | None) -> None:
    given = json.dumps([asked, files, {r"D:\junction": r"C:\work\repo\bin"}, path])
    ran = subprocess.run(["node", "-e", WINDOWS, given], cwd=chooser, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(ran.stdout).get("program") == program


def test_the_settings_that_choose_a_program_are_the_machines() -> None:
    package = json.loads(PACKAGE.read_text(encoding="utf-8"))
    offered = package["contributes"]["configuration"]["properties"]
    chosen = ["budgetlint.path", "budgetlint.useProjectEnvironment", "budgetlint.arguments"]
    assert [offered[name]["scope"] for name in chosen] == ["machine"] * 3
    assert package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] == chosen
