"""Every measured and simulated row becomes a budget without language errors, or says why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from accuracy import main
from accuracy_score import Comparison, Outcome, load, outcomes
from accuracy_stats import gates, stats_of
from rows import Inexpressible, budget_of

from budgetlint.memory.estimate import Range


@pytest.fixture(scope="module")
def judged() -> list[Outcome]:
    return outcomes(3)


def test_every_detailed_row_is_a_budget_or_has_a_reason(judged: list[Outcome]) -> None:
    wrong = [(one.id, one.reason) for one in judged if one.reason.startswith("language error")]
    assert wrong == []
    assert all(one.comparisons or one.reason for one in judged)


def test_most_detailed_rows_with_a_figure_are_compared(judged: list[Outcome]) -> None:
    two_sided = [one for one in judged if one.row["judge"] == "two_sided" and one.row["kind"] == "end_to_end"]
    assert sum(bool(one.comparisons) for one in two_sided) / len(two_sided) > 0.85


def test_a_row_says_only_what_was_printed() -> None:
    row = next(row for row in load("measurements.jsonl") if row["id"] == "fms-061")
    assert budget_of(row) == (
        "device a100-80gb; model mistralai/Mixtral-8x7B-Instruct-v0.1; quant nf4 double=on compute=bf16 upcast=norms; "
        "precision bf16-pure autocast=on; optimizer adamw; lora r=16 targets=[q_proj, k_proj, v_proj, o_proj] dropout=0.1 dtype=fp32; "
        "batch 4; seq 4096 packing=on; recompute full; attention flash; "
        "stack torch@2.4.1 transformers@4.48.1 trl@0.13.0 peft@0.13.2 accelerate@1.0.1 bitsandbytes@0.43.3"
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"method": "vblora"}, "the method vblora"),
        ({"model": "nobody/no-model-9b"}, "the model is not in the catalog"),
        ({"parallel": {"type": "fsdp2_full_shard", "world": 8, "pipeline_parallel": 2}}, "how the pipeline cuts the batch"),
        ({"gpu": "a card of my own", "parallel": {"type": "ddp", "world": 2}}, "the card is not stated"),
        ({"kind": "component"}, "a part of a step"),
        ({"recompute": "not stated"}, "recomputation is not stated"),
    ],
)
def test_what_cannot_be_said_has_a_reason(change: dict[str, object], reason: str) -> None:
    row = next(row for row in load("measurements.jsonl") if row["id"] == "fms-009")
    with pytest.raises(Inexpressible, match=reason):
        budget_of({**row, **change})


def test_an_estimate_inside_the_printed_digits_has_no_error() -> None:
    figure = Comparison("allocated", 100, 95, 105, Range(104, 90, 110))
    assert figure.error == 0
    assert figure.within


def test_an_error_is_the_distance_from_the_printed_digits() -> None:
    figures = [Comparison("allocated", 100, 95, 105, Range(best, best - 1, best + 1)) for best in (85, 110, 100)]
    assert [figure.error for figure in figures] == [-0.1, 0.05, 0]
    assert [figure.within for figure in figures] == [False, False, True]
    found = stats_of(figures)
    assert found is not None
    assert (found.rows, found.median, found.p90, found.worst, found.under) == (3, 0.05, 0.1, -0.1, 1)


def test_every_line_of_the_issue_has_rows(judged: list[Outcome]) -> None:
    assert [gate.name for gate in gates(judged) if gate.reached == "no rows"] == []


def test_every_fact_of_the_copy_has_a_source() -> None:
    rows = load("measurements.jsonl")
    assert len(rows) == len({row["id"] for row in rows}) > 1500
    assert all(row["source"] and row["family"] for row in rows)


def test_one_row_shows_budget_bill_and_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--row", "fms-009"]) == 0
    out = capsys.readouterr().out
    weights = "weights: parameter 7,241,732,096 x 2 B"
    for expected in ("device a100-80gb; model mistralai/Mistral-7B-v0.1", weights, "allocated: printed 72,434,837,504"):
        assert expected in out


def test_json_holds_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    assert main(["--source", "fms-granite", "--json", str(file)]) == 0
    assert "fms-granite" in capsys.readouterr().out
    written = json.loads(file.read_text(encoding="utf-8"))
    assert len(written["rows"]) == 20
    assert written["rows"][0]["figures"][0]["metric"] == "allocated"
