"""One run gives one answer, however it is written: the same settings, bytes, verdict and rules, at other lines.

Runs, the ways to write them, and changes that mean nothing stand in tables beside this file. Where the answers differ, a reader or a rule
looks at how something is written instead of at what it comes to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random

import pytest

from tests.program.metamorphic.frameworks import KNOWN, Known
from tests.program.metamorphic.judged import Answer, answer
from tests.program.metamorphic.runs import RUNS, Run
from tests.program.metamorphic.surfaces import SURFACES, UNSTARTED, Files
from tests.program.metamorphic.variants import CHANGES, varied

_NAMES = [name for name in SURFACES if name != "literals"]
_AT_A_TIME = 4
by_run = pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
by_known = pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)


def files_of(run: Run, surface: str) -> Files:
    return {**{**SURFACES, **UNSTARTED}[surface](run.body, run.values, run.launcher), **run.files}


@cache
def _expected(number: int) -> Answer:
    return answer(files_of(RUNS[number], "literals"), RUNS[number].budget)


def expected(run: Run) -> Answer:
    return _expected(RUNS.index(run))


def _some(run: Run) -> list[str]:
    """A few surfaces, other ones for each run: all are tried by some."""
    at = RUNS.index(run) * _AT_A_TIME
    return [_NAMES[(at + one) % len(_NAMES)] for one in range(_AT_A_TIME)]


def _codes(found: Answer) -> set[str]:
    return {one.split()[0] for one in found.findings}


@by_run
def test_a_run_is_judged(run: Run) -> None:
    found = expected(run)
    assert found.verdict == run.verdict
    assert set(run.codes) <= _codes(found)


@by_run
def test_some_surfaces(run: Run) -> None:
    assert not _different(run, _some(run))


@pytest.mark.slow
@by_run
def test_every_surface(run: Run) -> None:
    assert not _different(run, _NAMES)


UNTOLD = {("steps over epochs", "argparse's defaults")}
"""Defaults of flags are there for whoever says nothing: that one makes another idle is told of values that somebody wrote."""


def _different(run: Run, names: list[str]) -> dict[str, list[str]]:
    told = [name for name in names if (run.name, name) not in UNTOLD]
    found = {name: expected(run).differs(answer(files_of(run, name), run.budget)) for name in told}
    return {name: differences for name, differences in found.items() if differences}


@pytest.mark.parametrize("run", RUNS[::4], ids=lambda run: run.name)
def test_a_notebook_is_the_script_of_its_cells(run: Run) -> None:
    script, notebook = (answer(files_of(run, name), run.budget) for name in UNSTARTED)
    assert not script.differs(notebook)


def _seeded(run: Run) -> Run | None:
    """The run with ``seed: 1``, where its arguments object takes one."""
    body = run.body.replace('output_dir="out", ', 'output_dir="out", seed={seed}, ')
    return run._replace(body=body, values={**run.values, "seed": 1}) if body != run.body else None


@pytest.mark.parametrize("run", RUNS[::3], ids=lambda run: run.name)
def test_a_seed_changes_nothing(run: Run) -> None:
    seeded = _seeded(run)
    if seeded is not None:
        surface = _some(run)[0]
        assert not expected(run).differs(answer(files_of(seeded, surface), run.budget)), surface


@by_run
def test_what_means_nothing_changes_nothing(run: Run) -> None:
    assert not _varied(run, Random(run.name), 1)


@pytest.mark.slow
@by_run
def test_many_things_that_mean_nothing_change_nothing(run: Run) -> None:
    assert not _varied(run, Random(f"many {run.name}"), 8)


def _varied(run: Run, random: Random, count: int) -> dict[str, list[str]]:
    found = {}
    for _ in range(count):
        surface = random.choice([name for name in SURFACES if (run.name, name) not in UNTOLD])
        names, files = varied(random, files_of(run, surface), 4)
        if told := expected(run).differs(answer(files, run.budget)):
            found[f"{surface}, {', '.join(names)}"] = told
    return found


# programs that are known by name


@by_known
def test_known_programs(known: Known) -> None:
    first, *others = known.surfaces
    found = answer(known.surfaces[first], known.budget)
    assert set(known.codes) <= _codes(found)
    different = _others(found, {name: known.surfaces[name] for name in others}, known)
    assert set(different) == set(known.open), different


def _others(found: Answer, surfaces: Mapping[str, Files], known: Known) -> dict[str, list[str]]:
    told = {name: found.differs(answer(files, known.budget)) for name, files in surfaces.items()}
    return {name: one for name, one in told.items() if one}


@by_known
def test_known_programs_varied(known: Known) -> None:
    assert not _known_varied(known, Random(known.name), 1)


@pytest.mark.slow
@by_known
def test_known_programs_varied_much(known: Known) -> None:
    assert not _known_varied(known, Random(f"many {known.name}"), 8)


def _known_varied(known: Known, random: Random, count: int) -> dict[str, list[str]]:
    found = {}
    first = answer(next(iter(known.surfaces.values())), known.budget)
    for _ in range(count):
        surface = random.choice([name for name in known.surfaces if name not in known.open])
        names, files = varied(random, dict(known.surfaces[surface]), 4)
        if told := first.differs(answer(files, known.budget)):
            found[f"{surface}, {', '.join(names)}"] = told
    return found


def test_the_tables_are_large_enough() -> None:
    assert len(RUNS) + len(KNOWN) >= 40
    assert len(SURFACES) >= 20
    assert len(CHANGES) >= 12
    assert sum(bool(one.codes) for one in (*RUNS, *KNOWN)) >= 25
