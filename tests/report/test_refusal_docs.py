"""docs/refusals says what the tables say."""

from __future__ import annotations

from pathlib import Path

from budgetlint.report.refusal_docs import pages

FOLDER = Path(__file__).parents[2] / "docs" / "refusals"


def test_the_pages_are_those_of_the_tables() -> None:
    made = dict(pages())
    assert {path.name for path in FOLDER.glob("*.md")} == set(made)
    for name, text in made.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: run python -m budgetlint.report.refusal_docs"


def test_a_row_says_where_and_since_when() -> None:
    page = dict(pages())["transformers.md"]
    assert "| logging_strategy is steps and logging_steps is 0 | an error |" in page
    assert "optim is none of adamw_torch" in page
