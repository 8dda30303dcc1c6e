"""The cache folder lies in the checkout, and a change may bring one: it deletes nothing of others, and believes nothing of others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from budgetlint.engine import cache
from budgetlint.engine.cache import FOLDER, KEPT, MARK, MARKS

FITS = "device 24GiB; model qwen2.5-7b; lora r=8; batch 1; seq 512; optimizer adamw; quant nf4\n"
TOO_LARGE = "device 24GiB; model qwen2.5-72b; batch 64; seq 32768; optimizer adamw\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def project(shell, tmp_path: Path, home: Path):
    root = tmp_path / "repository"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    project = replace(shell, root=root, environ={"HOME": str(home)})
    project.write("a.budget", FITS)
    return project


def entries(project) -> list[Path]:
    return sorted((project.root / FOLDER).glob("*.json")) if (project.root / FOLDER).is_dir() else []


def test_it_remembers_here(project) -> None:
    assert project("check").code == 0
    assert len(entries(project)) == 1


# -- a folder that is not the cache's own ------------------------------------------------------------------------------------

TAG = MARKS[MARK]
FOLDERS: dict[str, Callable[[Path, Path], None]] = {
    "a link to another folder": lambda folder, other: folder.symlink_to(other),
    "a link to another folder that has the mark": lambda folder, other: (folder.symlink_to(other), (other / MARK).write_text(TAG)),
    "a folder without the mark": lambda folder, other: shutil.copytree(other, folder),
    "a folder whose mark is a link": lambda folder, other: (
        shutil.copytree(other, folder),
        (other / MARK).write_text(TAG),
        (folder / MARK).symlink_to(other / MARK),
    ),
    "a folder with another's mark": lambda folder, other: (shutil.copytree(other, folder), (folder / MARK).write_text(TAG.upper())),
    "a file": lambda folder, other: folder.write_text("mine"),
}


@pytest.mark.parametrize("lay", FOLDERS.values(), ids=FOLDERS)
def test_what_is_not_its_own_stays_as_it_is(project, home: Path, lay: Callable[[Path, Path], None]) -> None:
    other = home / "victim"
    other.mkdir()
    for number in range(KEPT + 20):
        (other / f"data{number}.json").write_text("precious")
        (other / f"{number:064x}.json").write_text("precious")
    folder = project.root / FOLDER
    lay(folder, other)
    there = {path: path.read_bytes() for base in (folder, other) for path in (base.rglob("*") if base.is_dir() else [base])}
    assert project("check").code == 0
    assert {path: path.read_bytes() for base in (folder, other) for path in (base.rglob("*") if base.is_dir() else [base])} == there


@pytest.mark.parametrize("place", [".gitignore", f"{'0' * 64}.json"])
def test_a_link_in_its_own_folder_is_not_written_through(project, home: Path, place: str) -> None:
    project("check")
    (project.root / FOLDER / place).unlink(missing_ok=True)
    (project.root / FOLDER / place).symlink_to(home / "made")
    project.write("a.budget", FITS + "\n")
    for entry in entries(project):
        if entry.name != place:
            entry.unlink()
            entry.symlink_to(home / "entry")
    project("check")
    assert not (home / "made").exists() and not (home / "entry").exists()


def test_only_entries_are_ever_deleted(project) -> None:
    project("check")
    folder = project.root / FOLDER
    mine = [folder / "data.json", folder / f"{'g' * 64}.json", folder / "notes"]
    for path in mine:
        path.write_text("mine")
        os.utime(path, (0, 0))
    for number in range(KEPT + 10):
        path = folder / f"{number:064x}.json"
        path.write_text("old")
        os.utime(path, (number, number))
    project.write("a.budget", FITS + "\n")
    project("check")
    assert all(path.exists() for path in mine)
    assert len([path for path in entries(project) if path not in mine]) == KEPT


# -- an entry that is not to be believed -------------------------------------------------------------------------------------


def forged(project, change: Callable[[dict], None]) -> None:
    """The one entry, changed by somebody who knows its form but not the key."""
    (path,) = entries(project)
    signature, _, body = path.read_text().partition("\n")
    entry = json.loads(body)
    change(entry)
    path.write_text(f"{signature}\n{json.dumps(entry)}")


def _says_nothing(entry: dict) -> None:
    entry["seen"] |= {"expanded": [], "globbed": [], "read": {}, "exists": {}}
    entry["stamps"] = []


CHANGES: dict[str, Callable[[dict], None]] = {
    "it saw nothing": _says_nothing,
    "it saw no text": lambda entry: entry["seen"].update(read={}),
    "it asks no code": lambda entry: entry.update(stamps=[]),
    "it says something else": lambda entry: entry.update(out="No problem.\n", code=0),
    "it says the same": lambda entry: entry.update(more="room"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_forged_entry_is_not_believed(project, change: Callable[[dict], None]) -> None:
    project("check")
    forged(project, change)
    project.write("a.budget", TOO_LARGE)
    assert project("check").code == 1
    project.write("a.budget", FITS)
    ran = project("check")
    assert (ran.code, "1 run judged: 1 fits." in ran.out) == (0, True)


@pytest.mark.parametrize("change", [_says_nothing, CHANGES["it saw no text"], CHANGES["it asks no code"]])
def test_an_entry_that_does_not_say_all_is_not_believed_though_it_is_signed(project, home: Path, change: Callable[[dict], None]) -> None:
    project("check")
    (path,) = entries(project)
    entry = json.loads(path.read_text().partition("\n")[2])
    change(entry)
    body = json.dumps(entry | {"code": 0, "out": "forged"})
    store = cache.store_of(project.root, {"HOME": str(home)})
    assert store is not None
    path.write_text(f"{cache._signed(store, path.stem, body)}\n{body}")
    assert "forged" not in project("check").out


def test_a_cache_that_git_tracks_is_not_used(project) -> None:
    project("check")
    subprocess.run(["git", "-C", str(project.root), "add", "-f", FOLDER], check=True)
    (path,) = entries(project)
    written = path.read_bytes()
    project.write("a.budget", FITS + "\n")
    project("check")
    assert [path.read_bytes() for path in entries(project)] == [written]


@pytest.mark.parametrize("place", ["HOME", "XDG_CACHE_HOME"])
def test_without_a_key_outside_the_checkout_nothing_is_remembered(project, place: str) -> None:
    for _ in range(2):
        assert replace(project, environ={place: str(project.root / "inside")})("check").code == 0
    assert not entries(project) and not (project.root / "inside").exists()


def test_a_key_that_is_a_link_is_not_used(project, home: Path) -> None:
    key = home / ".cache" / "budgetlint" / "key"
    key.parent.mkdir(parents=True)
    project.write("key", "k" * 32)
    key.symlink_to(project.root / "key")
    project("check")
    assert not entries(project)


def test_a_relative_cache_folder_is_no_place_for_the_key(project, home: Path) -> None:
    replace(project, environ={"XDG_CACHE_HOME": ".cache"})("check")
    assert not (project.root / ".cache").exists()


def test_the_key_is_the_users_alone(project, home: Path) -> None:
    project("check")
    assert (home / ".cache" / "budgetlint" / "key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("words", "remembers"), [((), False), (("--cache",), True), (("--no-cache",), False)])
def test_on_a_ci_machine_only_who_asks_gets_it(project, home: Path, words: tuple[str, ...], remembers: bool) -> None:
    replace(project, environ={"HOME": str(home), "CI": "true"})("check", *words)
    assert bool(entries(project)) is remembers
