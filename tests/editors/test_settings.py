"""What lies in editors/ keeps to the language and to the server."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from budgetlint import __version__
from budgetlint.files.wanted import CONFIG_SUFFIXES
from budgetlint.language.statements import STATEMENTS

EDITORS = Path(__file__).parents[2] / "editors"
CODE = EDITORS / "vscode"


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _keywords() -> list[str]:
    """Every word that the statement patterns of the highlighting match at the start of a line."""
    patterns = _json(CODE / "syntaxes/budget.tmLanguage.json")["repository"]["statement"]["patterns"]
    words = [word for pattern in patterns for word in re.findall(r"[a-z]{2,}", pattern["match"])]
    assert all(any(re.match(pattern["match"], f"{word} x = 1") for pattern in patterns) for word in words)
    return words


def test_highlighting_knows_every_statement() -> None:
    assert set(_keywords()) == {*STATEMENTS, "let"}


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("# a note", "comment"),
        ("3.5GiB", "constant.numeric"),
        ("90%", "constant.numeric"),
        ("2027-01-31", "constant.numeric.date"),
        ("$batch", "variable"),
        ("rtx-4090", "string.unquoted"),
        ("'a b'", "string.quoted.single"),
        ("on", "constant.language"),
    ],
)
def test_what_a_value_is_highlighted_as(text: str, scope: str) -> None:
    repository = _json(CODE / "syntaxes/budget.tmLanguage.json")["repository"]
    rules = [repository["comment"], *repository["value"]["patterns"]]
    first = next(rule for rule in rules if (found := re.match(rule.get("match", "(?!)"), text)) and found.end() == len(text))
    names = [first.get("name", ""), *(capture["name"] for capture in first.get("captures", {}).values())]
    assert any(name.startswith(scope) for name in names)


def test_the_extension_names_only_settings_that_it_offers() -> None:
    package = _json(CODE / "package.json")
    offered = set(package["contributes"]["configuration"]["properties"])
    code = (CODE / "src/extension.ts").read_text(encoding="utf-8")
    named = set(re.findall(r"\bbudgetlint\.(?:path|useProjectEnvironment|arguments|trace\.server)\b", code)) | {"budgetlint.trace.server"}
    assert named == offered
    languages = re.search(r"const LANGUAGES = (\[.*?\]);", code, re.DOTALL)
    assert languages
    assert [f"onLanguage:{name}" for name in json.loads(languages[1])] == package["activationEvents"][:-1]
    assert package["version"] == __version__


def test_the_extension_opens_what_a_check_reads() -> None:
    code = (CODE / "src/extension.ts").read_text(encoding="utf-8")
    pattern = re.search(r"\*\*/\*\.\{(.*?)\}", code)
    assert pattern
    assert {f".{suffix}" for suffix in pattern[1].split(",")} == CONFIG_SUFFIXES


def test_the_settings_for_helix_name_the_server_for_each_language() -> None:
    settings = tomllib.loads((EDITORS / "helix/languages.toml").read_text(encoding="utf-8"))
    assert settings["language-server"]["budgetlint"]["args"] == ["lsp"]
    assert all("budgetlint" in language["language-servers"] for language in settings["language"])
