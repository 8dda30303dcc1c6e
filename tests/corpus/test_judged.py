"""The findings on public configs that were read by hand; ``benchmarks/judged.py`` compares them with what is told today."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from budgetlint.registry import installed

ROWS = [json.loads(line) for line in (Path(__file__).parent / "judged.jsonl").read_text(encoding="utf-8").splitlines()]
TOLD = [row for row in ROWS if row["told"]]


def test_three_hundred_findings_are_judged_each_once_with_a_reason() -> None:
    assert len(TOLD) >= 300
    assert max(Counter((row["rule"], row["repository"], row["path"], row["line"]) for row in ROWS).values()) == 1
    assert all(20 <= len(row["why"]) <= 200 for row in ROWS)


def test_nearly_all_of_them_are_right() -> None:
    loud = [row for row in TOLD if row["severity"] != "info"]
    for rows in (TOLD, loud):
        assert sum(row["right"] for row in rows) >= 0.97 * len(rows)
    assert not any(row["right"] for row in ROWS if not row["told"])


def test_each_is_of_a_rule_that_exists() -> None:
    registry = installed()
    assert {row["rule"] for row in ROWS} <= {rule.name for rule in registry.all}
