"""Patterns of paths: what git and ruff users expect of ``exclude``, of ``in=`` and of ``config runs/*.yaml``."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.files.disk import ChangedFiles, DiskFiles, TextFiles
from budgetlint.files.glob import is_excluded, names_file, those_named

TREE = ("a.yaml", "old/a.yaml", "old/x/b.yaml", "x/old/c.yaml", "x/old.yaml", "older/d.yaml", "old.yaml", "x/y/a.yaml")

EXCLUDED = [
    ("old", {"old/a.yaml", "old/x/b.yaml", "x/old/c.yaml"}),
    ("old/", {"old/a.yaml", "old/x/b.yaml", "x/old/c.yaml"}),
    ("./old", {"old/a.yaml", "old/x/b.yaml"}),
    ("./old/", {"old/a.yaml", "old/x/b.yaml"}),
    ("/old", {"old/a.yaml", "old/x/b.yaml"}),
    ("old/*", {"old/a.yaml", "old/x/b.yaml"}),
    ("old/**", {"old/a.yaml", "old/x/b.yaml"}),
    ("old/*.yaml", {"old/a.yaml"}),
    ("old/**/*.yaml", {"old/a.yaml", "old/x/b.yaml"}),
    ("x/old", {"x/old/c.yaml"}),
    ("a.yaml", {"a.yaml", "old/a.yaml", "x/y/a.yaml"}),
    ("/a.yaml", {"a.yaml"}),
    ("a.yaml/", set()),
    ("**/a.yaml", {"a.yaml", "old/a.yaml", "x/y/a.yaml"}),
    ("**/old", {"old/a.yaml", "old/x/b.yaml", "x/old/c.yaml"}),
    ("**/old/*.yaml", {"old/a.yaml", "x/old/c.yaml"}),
    ("x/**/a.yaml", {"x/y/a.yaml"}),
    ("*/a.yaml", {"old/a.yaml"}),
    ("old*", {"old/a.yaml", "old/x/b.yaml", "x/old/c.yaml", "x/old.yaml", "older/d.yaml", "old.yaml"}),
    ("ol?/[ab].yaml", {"old/a.yaml"}),
    ("[!o]*/old", {"x/old/c.yaml"}),
    ("*", set(TREE)),
    ("**", set(TREE)),
    ("", set()),
    ("/", set()),
    (".", set()),
    ("OLD", set()),
    ("[z-a]", set()),
    ("[", set()),
]


@pytest.mark.parametrize(("pattern", "out"), EXCLUDED)
def test_exclude_is_read_as_git_and_ruff_read_it(pattern: str, out: set[str]) -> None:
    assert {path for path in TREE if is_excluded([pattern], path)} == out


@pytest.mark.parametrize(("pattern", "out"), EXCLUDED)
def test_a_walk_leaves_out_the_same(pattern: str, out: set[str], tmp_path: Path) -> None:
    for path in TREE:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x: 1\n", encoding="utf-8")
    assert set(TREE) - set(DiskFiles(tmp_path, [pattern]).expand(["."])) == out


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_git_says_the_same(tmp_path: Path) -> None:
    """But for ``./old``, which git never matches, and a range the wrong way round."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for pattern, out in EXCLUDED:
        if pattern.startswith("./") or pattern == ".":
            continue
        (tmp_path / ".git" / "info" / "exclude").write_text(f"{pattern}\n", encoding="utf-8")
        ran = subprocess.run(["git", "-C", str(tmp_path), "check-ignore", "--no-index", *TREE], capture_output=True, text=True, check=False)
        assert set(ran.stdout.split()) == out, pattern


@pytest.mark.parametrize(
    ("pattern", "path", "is_it"),
    [
        ("*.json", "x/ds/a.json", True),
        ("ds/*.json", "ds/a.json", True),
        ("ds/*.json", "x/ds/a.json", True),
        ("ds/*.json", "./ds/a.json", True),
        ("ds/*.json", "ds/x/a.json", False),
        ("/ds/*.json", "x/ds/a.json", False),
        ("./ds/*.json", "x/ds/a.json", False),
        ("sweeps", "x/sweeps/y/a.yaml", True),
        ("sweeps/*", "sweeps/y/a.yaml", True),
        ("a.yaml", "b.yaml", False),
        ("ds/*.json", "x\\ds\\a.json", True),
    ],
)
def test_a_level_holds_in_these_files(pattern: str, path: str, is_it: bool) -> None:
    assert names_file(pattern, path) is is_it


NAMED = [("old", ["old/a.yaml", "old/x/b.yaml"]), ("old/x", ["old/a.yaml"]), ("old/*", []), ("a.yaml", ["old/x/b.yaml"])]
GLOBS = ("*.yaml", "*/*.yaml", "**/*.yaml", "x/**/a.yaml", "old/a.yaml", "./old/*.yaml", "**", "x/**", "nothing/*")


@pytest.mark.parametrize(("pattern", "left"), NAMED)
def test_a_folder_that_is_named_is_looked_through(pattern: str, left: list[str], tmp_path: Path) -> None:
    for path in TREE:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x: 1\n", encoding="utf-8")
    assert list(DiskFiles(tmp_path, [pattern]).expand(["old"])) == left
    assert [path for path in TREE if path.startswith("old/") and not is_excluded([pattern], path, "old")] == left


@pytest.mark.parametrize("pattern", GLOBS)
def test_files_in_memory_are_found_as_on_the_disk(pattern: str, tmp_path: Path) -> None:
    for path in TREE:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x: 1\n", encoding="utf-8")
    disk = DiskFiles(tmp_path).glob(pattern)
    assert TextFiles(dict.fromkeys(TREE, "x: 1\n")).glob(pattern) == disk == sorted(those_named(pattern, TREE))
    assert ChangedFiles(TextFiles({}), dict.fromkeys(TREE, "x: 1\n")).glob(pattern) == disk


def test_many_stars_cost_no_more_than_both_lengths() -> None:
    """A matcher that tries again from each ``**`` would not come back."""
    assert not is_excluded(["/".join(["**", "a"] * 60) + "/b"], "/".join(["a"] * 120))
    assert is_excluded(["*a" * 30], "a" * 60)


NAMES = st.sampled_from(["a", "b", "ab"])
PARTS = st.sampled_from(["a", "b", "*", "a*", "?", "**"])


@given(st.lists(PARTS, min_size=1, max_size=4), st.lists(NAMES, min_size=1, max_size=4))
@settings(max_examples=300)
def test_what_covers_a_folder_covers_what_is_below(parts: list[str], names: list[str]) -> None:
    pattern, folder = "/".join(parts), "/".join(names)
    for below, end in product(("c", "c/d"), ("", "/")):
        assert is_excluded([pattern], f"{folder}/{below}{end}") or not is_excluded([pattern], f"{folder}/")
