"""The facts of public training programs: every line has its eight facts, each with one answer and the place of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

FACTS = Path(__file__).parent / "scripts" / "facts.jsonl"
EIGHT = (
    "model",
    "weights_dtype",
    "quantisation",
    "adapter",
    "micro_batch",
    "sequence_length",
    "gradient_checkpointing",
    "optimizer",
)
ANSWERS = {"value", "open", "not_told"}
ROWS: list[dict[str, Any]] = [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['repository']}:{row['script']}" for row in ROWS])
def test_a_row_names_its_text_and_answers_all_eight(row: dict[str, Any]) -> None:
    assert re.fullmatch(r"[0-9a-f]{40}", row["commit"])
    assert row["licence"] in {"Apache-2.0", "MIT", "BSD-3-Clause"}
    assert row["script"] in row["files"]
    assert all(re.fullmatch(r"[0-9a-f]{40}", blob) for blob in row["files"].values())
    if row["launch_at"] is not None:
        named, _, lines = row["launch_at"].rpartition(":")
        assert named in row["files"]
        assert re.fullmatch(r"\d+(-\d+)?", lines)
    assert tuple(row["facts"]) == EIGHT
    for fact in row["facts"].values():
        assert len(ANSWERS & set(fact)) == 1
        assert fact["at"]
        for place in fact["at"]:
            named, _, line = place.rpartition(":")
            assert named in row["files"]
            assert line.isdigit()


def test_a_program_stands_once() -> None:
    programs = [(row["repository"], row["script"]) for row in ROWS]
    assert len(programs) == len(set(programs))
