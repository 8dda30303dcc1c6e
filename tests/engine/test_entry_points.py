"""Who offers rules and readers: of the site folders the same as ``importlib.metadata`` says, without it."""

from __future__ import annotations

import site
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from budgetlint.isolation import entry_points as installed_points
from budgetlint.isolation.entry_points import RULES, EntryPoint


def _installed(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "entry_points.txt").write_text(text, encoding="utf-8")
    (folder / name / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.partition('-')[0]}\nVersion: 1\n", encoding="utf-8")


def _by_metadata() -> list[tuple[str, str]]:
    return sorted((point.name, point.value) for point in entry_points(group=RULES))


def _ours() -> list[tuple[str, str]]:
    return sorted((offer.name, offer.value) for offer in installed_points.entry_points_of(RULES))


@pytest.fixture
def site_folder(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a folder the first of the interpreter's site folders."""

    def prepend(folder: Path) -> None:
        known = site.getsitepackages()
        monkeypatch.setattr(site, "getsitepackages", lambda: [str(folder), *known])
        monkeypatch.syspath_prepend(str(folder))

    return prepend


def test_what_is_installed_here() -> None:
    assert ("builtin", "budgetlint_rules:RULES") in _ours()
    assert _ours() == _by_metadata()


@pytest.mark.parametrize(
    "text",
    [
        "[budgetlint.rules]\nacme = acme_rules:RULES\n",
        "[console_scripts]\nx = y:z\n\n[budgetlint.rules]\n# a comment\nacme=acme_rules:RULES\nother = acme.more\n[x]\na = b:c\n",
        "[ budgetlint.rules ]\nacme = acme_rules:RULES\n",
        "[budgetlint.rules.more]\nacme = acme_rules:RULES\n",
        "[console_scripts]\nbudgetlint.rules = y:z\n",
        "",
    ],
)
def test_a_distribution_in_a_site_folder(text: str, tmp_path: Path, site_folder: Callable[[Path], None]) -> None:
    _installed(tmp_path, "acme_rules-1.0.dist-info", text)
    site_folder(tmp_path)
    assert [one for one in _ours() if "acme" in one[1]] == [one for one in _by_metadata() if "acme" in one[1]]


def test_the_first_of_one_name_hides_the_others(tmp_path: Path, site_folder: Callable[[Path], None]) -> None:
    for folder in ("first", "second"):
        _installed(tmp_path / folder, "Acme.Rules-1.0.dist-info", f"[budgetlint.rules]\nacme = acme_{folder}:RULES\n")
        site_folder(tmp_path / folder)
    assert [one for one in _ours() if one[0] == "acme"] == [("acme", "acme_second:RULES")]


def test_what_only_lies_on_the_path_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(tmp_path, "acme_rules.egg-info", "[budgetlint.rules]\nacme = acme_rules:RULES\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert ("acme", "acme_rules:RULES") in _by_metadata()
    assert ("acme", "acme_rules:RULES") not in _ours()


def test_loading_follows_attributes() -> None:
    assert EntryPoint("x", "collections:OrderedDict.fromkeys [extra]", "").load().__name__ == "fromkeys"
