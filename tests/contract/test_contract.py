"""Every difference from the last release that a script could trip over is known, and has a note for whoever migrates."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
AGAIN = "python tests/contract/listing.py > tests/contract/today.txt"


def lines(name: str) -> list[str]:
    return (HERE / name).read_text(encoding="utf-8").splitlines()


def rows() -> list[dict[str, Any]]:
    """``starts``: how a difference begins (``+ line`` is new, ``- line`` is gone); its ``note``; ``changelog``: the words that tell it to
    whoever migrates."""
    found: list[dict[str, Any]] = json.loads((HERE / "accepted.json").read_text(encoding="utf-8"))
    return found


def accepted() -> list[tuple[str, str]]:
    return [(start, row["note"]) for row in rows() for start in row["starts"]]


def test_the_listing_is_that_of_today(repository: Path) -> None:
    found = subprocess.run(
        [sys.executable, str(HERE / "listing.py"), str(repository)], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.splitlines() == lines("today.txt"), AGAIN


def test_every_difference_from_the_last_release_has_a_note() -> None:
    was, now = set(lines("last_release.txt")), set(lines("today.txt"))
    differences = [*(f"+ {line}" for line in now - was), *(f"- {line}" for line in was - now)]
    starts = tuple(start for start, _ in accepted())
    without = [line for line in differences if not line.startswith(starts)]
    assert sorted(without) == [], "a script may depend on this: give it a note in accepted.json and in the changelog"
    assert [start for start in starts if not any(line.startswith(start) for line in differences)] == [], "no such difference"
    assert all(len(note) > 20 for _, note in accepted())


def test_the_changelog_tells_every_difference(repository: Path) -> None:
    changelog = " ".join((repository / "CHANGELOG.md").read_text(encoding="utf-8").split())
    assert [row["changelog"] for row in rows() if row["changelog"] not in changelog] == []
    assert [row["changelog"] for row in rows() if len(row["changelog"]) < 7] == []


def test_a_field_that_is_gone_or_means_something_else_stands_under_migration(repository: Path) -> None:
    migration = " ".join((repository / "CHANGELOG.md").read_text(encoding="utf-8").partition("Migration:")[2].split())
    gone = [row for row in rows() if any(start.startswith("- ") for start in row["starts"])]
    assert [row["changelog"] for row in gone if row["changelog"] not in migration] == []


def test_nothing_is_gone_that_version_1_promised() -> None:
    """Fields may be added, never renamed; options and exit codes likewise."""
    gone = [line for line in lines("last_release.txt") if line.startswith(("json:", "exit code:")) and line not in set(lines("today.txt"))]
    assert [line for line in gone if " = " not in line] == []
