"""Every command line says to the interpreter what it says to the real parser: the same values, or both refuse.

The lines stand in ``tables/``, a file for each parser; others are made of them by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.command_lines.chance import lines
from tests.program.command_lines.real import Program, differences, programs

PARSERS = {
    "argparse": (), "hf": (), "click": ("click",), "typer": ("typer",), "fire": ("fire",), "tyro": ("tyro",),
    "datargs": ("datargs",), "tap": ("tap",), "draccus": ("draccus",), "pyrallis": ("pyrallis",),
    "omegaconf": ("omegaconf",),
    "hydra": ("hydra", "omegaconf"),
}  # fmt: skip
"""Tables, and the packages that they need."""
SEEDS = (1, 2)
"""Of the many lines; the few have 0."""
TABLES = {parser: programs(parser) for parser in PARSERS}
CASES = [
    pytest.param(parser, program, id=f"{parser}, {program.name}", marks=[pytest.mark.slow] if parser == "hydra" else [])
    for parser, found in TABLES.items()
    for program in found
]
by_program = pytest.mark.parametrize(("parser", "program"), CASES)


@by_program
def test_lines_of_the_table(parser: str, program: Program, tmp_path: Path) -> None:
    assert not _different(parser, program, program.lines, tmp_path)


@by_program
def test_lines_by_chance(parser: str, program: Program, tmp_path: Path) -> None:
    assert not _different(parser, program, _by_chance(program, 0, 8), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@by_program
def test_more_lines_by_chance(parser: str, program: Program, seed: int, tmp_path: Path) -> None:
    assert not _different(parser, program, _by_chance(program, seed, 20 if parser == "hydra" else 60), tmp_path)


@pytest.mark.parametrize("parser", PARSERS)
def test_enough_lines(parser: str) -> None:
    found = [line for program in TABLES[parser] for line in program.lines]
    unknown = [line for program in TABLES[parser] for line in program.unknown]
    assert len(found) >= 15
    assert len(unknown) <= len(found) / 15


def _by_chance(program: Program, seed: int, count: int) -> list[str]:
    """None of a program of which hardly a line is known."""
    return list(lines(program, seed, count)) if len(program.unknown) * 2 < len(program.lines) else []


def _different(parser: str, program: Program, tried: list[str] | tuple[str, ...], root: Path) -> dict[str, list[str]]:
    for package in PARSERS[parser]:
        pytest.importorskip(package)
    found = {}
    for number, line in enumerate(tried):
        folder = root / str(number)
        folder.mkdir()
        # tyro 1.0 takes ``--x=y`` for two words, 0.9 as argparse does; what stands behind ``--`` is fire's own, not all of it is read
        unknown = line in program.unknown or (parser == "tyro" and "=" in line) or (parser == "fire" and " -- " in line)
        if told := differences(program.text, line, program.files, folder, unknown=unknown):
            found[line] = told
    return found
