"""The GPU session: its grid can be measured as it stands, and what it writes is one more source of the accuracy benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gpu_probe
import pytest
from accuracy_score import Outcome, judge_row
from gpu_grid import GRID, TINY
from probed import probed_rows

from budgetlint.probe.ask import Failed
from budgetlint.resolve.runs import judge_texts

GIB = 2**30
CARD = {"name": "NVIDIA H200", "kind": "cuda", "total": 150_000_000_000, "free": 149_000_000_000, "capability": "9.0", "driver": ""}


def found(work: dict[str, Any], allocated: int, **changes: Any) -> dict[str, Any]:
    """What a child would answer."""
    use = {"allocated": allocated, "reserved": allocated + GIB, "device": allocated + 2 * GIB}
    versions = {"torch": "2.13.0", "transformers": "5.24.0", "peft": "0.21.2", "budgetlint": "0.1.0"}
    return {"versions": versions, "card": CARD, "work": work, "outcome": "ok", "phases": {"backward": use}, **changes}


def test_the_grid_is_large_enough_and_each_cell_its_own() -> None:
    assert len(GRID) >= 25
    assert len({cell.id for cell in GRID}) == len(GRID)


@pytest.mark.parametrize("cell", [*GRID, *TINY], ids=lambda cell: cell.id)
def test_every_cell_is_a_budget_that_can_be_measured(cell: Any) -> None:
    judged = judge_texts({"cell.budget": cell.budget.replace("{device}", "h200")})
    assert [problem.message for one in judged.budgets for problem in one.budget.problems] == []
    work = gpu_probe._work(cell, "cuda")
    assert bool(work.imitated) is bool(cell.imitate)


def test_the_grid_fits_a_card_of_24_gib_but_for_the_one_that_must_not() -> None:
    needs = {cell.id: gpu_probe.run_of(cell.budget).estimate for cell in GRID if not cell.imitate}
    assert {name for name, estimate in needs.items() if estimate is None or estimate.need.bytes > 24 * GIB} == set()


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """A session of which one run was measured, one ran out of memory, one failed."""

    def ask(request: dict[str, Any], *_: Any) -> dict[str, Any]:
        work = request["work"]
        if work["job"]["lora"] is None and work["imitated"]:
            return found(work, GIB, outcome="oom", failed_in="forward")
        if work["job"]["lora"] is not None:
            raise Failed("the probe's process ended with code 1")
        return found(work, gpu_probe.run_of(GRID[0].budget).estimate.allocated.bytes)  # type: ignore[union-attr]

    monkeypatch.setattr(gpu_probe, "ask", ask)
    monkeypatch.setattr(gpu_probe, "missing", lambda _: ())
    monkeypatch.setattr(gpu_probe, "GRID", (GRID[0], next(cell for cell in GRID if "lora" in cell.id), GRID[-1]))
    assert gpu_probe.main(["--out", str(tmp_path / "probed_h200.json")]) == 0
    return [judge_row(row) for row in probed_rows(tmp_path)]


def test_a_session_is_one_more_source(session: list[Outcome]) -> None:
    measured, oom = session
    assert (measured.id, measured.family, measured.reason) == ("probed_h200-full-autocast", "probed-h200", "")
    assert "device h200; " in measured.text and "stack torch@2.13.0 transformers@5.24.0" in measured.text
    assert [(one.metric, abs(one.error) < 0.01) for one in measured.comparisons][:1] == [("allocated", True)]
    assert {one.metric for one in measured.comparisons} == {"allocated", "reserved", "device"}
    assert (oom.row["observation"], oom.comparisons) == ("oom", ())
    assert "device rtx-3060" in oom.text and oom.estimate is not None


def test_no_run_begins_without_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gpu_probe, "missing", lambda _: ())
    assert gpu_probe.main(["--seconds", "0", "--out", str(tmp_path / "none.json")]) == 1
    runs = json.loads((tmp_path / "none.json").read_text())["runs"]
    assert {run["error"] for run in runs} == {"no time left"} and len(runs) == len(GRID)


def test_ctrl_c_keeps_what_was_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers = iter([0, 1])

    def ask(request: dict[str, Any], *_: Any) -> dict[str, Any]:
        if next(answers):
            raise KeyboardInterrupt
        return found(request["work"], GIB)

    monkeypatch.setattr(gpu_probe, "ask", ask)
    monkeypatch.setattr(gpu_probe, "missing", lambda _: ())
    assert gpu_probe.main(["--out", str(tmp_path / "some.json")]) == 0
    runs = json.loads((tmp_path / "some.json").read_text())["runs"]
    assert ["measured" in run for run in runs[:2]] == [True, False]
    assert {run["error"] for run in runs[1:]} == {"stopped"}


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gpu_probe, "missing", lambda _: ("torch",))
    assert gpu_probe.main([]) == 2
    assert "torch" in capsys.readouterr().err


@pytest.mark.slow
def test_the_path_without_a_gpu(tmp_path: Path) -> None:
    """Real processes on the CPU: a tiny grid, from the budget to the accuracy benchmark."""
    for package in ("torch", "transformers", "peft"):
        pytest.importorskip(package)
    assert gpu_probe.main(["--device", "cpu", "--tiny", "--out", str(tmp_path / "probed_cpu.json")]) == 0
    outcomes = [judge_row(row) for row in probed_rows(tmp_path)]
    assert [one.id for one in outcomes] == ["probed_cpu-tiny-full", "probed_cpu-tiny-lora"]
    assert all(abs(comparison.error) < 0.02 for one in outcomes for comparison in one.comparisons)
