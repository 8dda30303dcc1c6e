"""Soundness by execution: whatever the interpreter says of a program for certain is what Python does.

Every program of the table is run against recording stand-ins of its packages, and so are programs made by chance; `compare` says what
of the interpreter's claims Python does not bear out. What is not right yet is told in the table, by the run; mended, it has to go there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.program.chance.program import HEAD, program
from tests.program.compare import faults, followed, shares
from tests.program.execute import Case, Programs, Server, cases, execute_case

CASES = cases()
SNIPPETS = yaml.safe_load((Path(__file__).parent / "snippets.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    with Programs(tmp_path_factory.mktemp("programs")) as running:
        yield running


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_program(case: Case, programs: Programs, tmp_path: Path) -> None:
    root = (tmp_path / "program").resolve()
    ran = programs.execute_case(case, root)
    assert (ran.status != 0) == case.refused, ran.said
    assert case.refused or ran.calls, ran.said
    assert all(call.line and call.file for call in ran.calls)
    told = [fault for fault in faults(root, ran, followed(root, case.script, case.words, case.environment)) if not case.allows(fault.kind)]
    assert bool(told) == bool(case.open), "\n".join(map(str, told)) or f"mended: {case.open}"


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case.path != "chance.py"][::6], ids=lambda case: case.name)
def test_a_program_that_is_forked_runs_as_one_that_is_started(case: Case, programs: Programs, tmp_path: Path) -> None:
    root = (tmp_path / "program").resolve()
    forked, started = programs.execute_case(case, root), execute_case(case, root)
    assert (forked.status, forked.calls) == (started.status, started.calls), started.said


def test_enough_programs() -> None:
    assert len({case.path for case in CASES}) >= 60


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("generated") / "program"
    root.mkdir()
    with Server(root) as running:
        yield running


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet["name"])
def test_snippet(server: Server, snippet: dict[str, Any]) -> None:
    words = snippet.get("words", "").split()
    ran = server.execute(f"{HEAD}\n{snippet['text']}", words)
    assert ran.calls, ran.said
    try:
        told = list(map(str, faults(server.root, ran, followed(server.root, "program.py", words, {}))))
    except AssertionError:  # the interpreter's own
        if not snippet.get("open"):
            raise
        told = ["it stops in an error of its own"]
    assert bool(told) == bool(snippet.get("open")), "\n".join(told) or "mended: the table says it is open"


@pytest.mark.slow
@settings(max_examples=250, derandomize=True, database=None, phases=[Phase.generate])
@given(random=st.randoms(use_true_random=False))
def test_generated(server: Server, random: Random) -> None:
    made = program(random)
    ran = server.execute(made.text, made.words)
    told = faults(server.root, ran, followed(server.root, "program.py", made.words, {}))
    assert not [fault for fault in told if fault.kind != "stops"], f"{made.text}\n{ran.said}\n" + "\n".join(map(str, told))


@pytest.mark.slow
def test_most_is_known(server: Server) -> None:
    """Soundness is no silence: of what generated programs hand to their calls nine in ten are told."""
    known = total = 0
    for seed in range(60):
        made = program(Random(seed))
        ran = server.execute(made.text, made.words)
        one, all_ = shares(ran, followed(server.root, "program.py", made.words, {}))
        known, total = known + one, total + all_
    assert known >= 0.85 * total, (known, total)
