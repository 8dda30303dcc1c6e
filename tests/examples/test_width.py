"""What people read fits 100 columns, over every example project."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetlint.report.style import WIDTH, cells

EXAMPLES = Path(__file__).parents[2] / "examples"
PROJECTS = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir() and not path.name.endswith("-plugin"))
COMMANDS = [
    ["check", "--info"],
    ["check", "--statistics"],
    ["check", "--fix", "--diff"],
    ["estimate"],
    ["estimate", "--textbook"],
    ["solve"],
    ["init", "--dry-run"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("project", PROJECTS)
def test_lines_fit_the_page(shell, project: str, command: list[str]) -> None:
    for path in sorted((EXAMPLES / project).rglob("*")):
        if path.is_file():
            shell.write(str(path.relative_to(EXAMPLES / project)), path.read_bytes())
    ran = shell(*command)
    assert ran.code < 2, ran.err
    assert [line for line in ran.out.splitlines() if cells(line) > WIDTH and not _is_one_word(line)] == []


def _is_one_word(line: str) -> bool:
    """Paths, addresses and patterns are never split: a terminal would not copy them whole."""
    return cells(max(line.split(), key=cells)) > WIDTH - 10
