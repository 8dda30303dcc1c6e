"""``budgetlint.judge``: what a launcher calls with the settings that it has resolved."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import budgetlint

CARD = "device 24GiB; reserve 1GiB"
SETTINGS = {"model": "Qwen/Qwen2.5-1.5B", "micro_batch": 1, "seq_len": 2048, "precision": "bf16", "lora_r": 16, "lora_targets": ["q_proj"]}


def test_a_run_that_fits() -> None:
    answer = budgetlint.judge(SETTINGS, CARD, name="night", stack={"transformers": "5.24.0"})
    (run,) = answer.runs
    assert (answer.ok, answer.version, run.name, run.verdict, run.fits, run.limit_bytes) == (True, 1, "night", "fits", True, 23 * 2**30)
    assert run.need_low is not None and run.need_bytes is not None and run.need_high is not None
    assert run.need_low <= run.need_bytes <= run.need_high <= run.limit_bytes


def test_a_run_that_does_not_fit_says_which_setting() -> None:
    answer = budgetlint.judge({**SETTINGS, "micro_batch": 64, "recompute": "none"}, CARD)
    assert (answer.ok, answer.runs[0].verdict) == (False, "does-not-fit")
    (error,) = answer.errors
    assert (error.code, error.name, error.setting, error.runs) == ("BL101", "does-not-fit", "micro_batch", ("run",))


def test_what_is_not_stated_is_told_and_no_default_of_a_framework() -> None:
    answer = budgetlint.judge({**SETTINGS, "micro_batch": None}, CARD)
    (run,) = answer.runs
    assert (run.verdict, run.need_bytes, run.need_high) == ("unknown", None, None)
    assert "micro_batch" in run.missing


def test_the_whole_document_is_taken_too(shell: Any) -> None:
    shell.write(
        "run.budget", f"{CARD}\nrun a {{ model qwen2.5-1.5b; lora r=8; batch 1; seq 512 }}\nrun b {{ model qwen2.5-7b; batch 1; seq 512 }}"
    )
    document = shell("estimate", "--settings", "--format", "json").json
    answer = budgetlint.judge(document, CARD)
    assert [(run.name, run.verdict) for run in answer.runs] == [("a", "fits"), ("b", "does-not-fit")]


def test_a_budget_may_be_a_file_with_what_it_includes(tmp_path: Path) -> None:
    (tmp_path / "team.budget").write_text("device 24GiB\n", encoding="utf-8")
    (tmp_path / "run.budget").write_text('include "team.budget"\nassert peak <= 1GiB, "house rule"\n', encoding="utf-8")
    answer = budgetlint.judge(SETTINGS, tmp_path / "run.budget")
    assert [error.name for error in answer.errors] == ["assert-broken"]


WRONG = [
    ({"micro_bach": 1}, CARD, budgetlint.WrongSettings, "did you mean 'micro_batch'"),
    ({"micro_batch": "1"}, CARD, budgetlint.WrongSettings, "a whole number"),
    ({"model": object()}, CARD, budgetlint.WrongSettings, "not JSON serializable"),
    ({"learning_rate": float("nan")}, CARD, budgetlint.WrongSettings, "nan"),
    ({3: 1}, CARD, budgetlint.WrongSettings, "name is no text but 3"),
    ([], CARD, budgetlint.WrongSettings, "a mapping, not list"),
    ({"runs": []}, CARD, budgetlint.WrongSettings, "version: is missing"),
    (SETTINGS, "devise t4", budgetlint.WrongBudget, "unknown statement 'devise'"),
    (SETTINGS, Path("none.budget"), budgetlint.WrongBudget, "none.budget"),
]


@pytest.mark.parametrize(("settings", "budget", "kind", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_misuse_is_a_value_error(settings: Any, budget: Any, kind: type[ValueError], message: str) -> None:
    with pytest.raises(kind, match=message) as told:
        budgetlint.judge(settings, budget)
    assert isinstance(told.value, ValueError)


def test_an_answer_is_plain_values() -> None:
    answer = dataclasses.asdict(budgetlint.judge(SETTINGS, CARD))
    assert (answer["version"], answer["runs"][0]["verdict"]) == (1, "fits")


def test_it_prints_nothing_and_reads_no_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.budgetlint]\nno-such = 1\n", encoding="utf-8")
    (tmp_path / "other.budget").write_text("device 1MiB\n", encoding="utf-8")
    code = f"import budgetlint; assert budgetlint.judge({SETTINGS!r}, {CARD!r}).ok"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_the_package_imports_nothing_until_it_is_asked() -> None:
    code = "import sys; before = set(sys.modules); import budgetlint; print(*sorted(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split() == ["budgetlint"]


def test_there_is_no_other_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'juge'"):
        budgetlint.juge  # noqa: B018
