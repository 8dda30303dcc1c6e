"""``docs/rules/`` says what the modules say."""

from __future__ import annotations

import re
from pathlib import Path

from budgetlint.registry import installed
from budgetlint.report.rule_docs import FAMILIES, drift, pages

DOCS = Path(__file__).parents[2] / "docs" / "rules"
RULES = tuple(rule for rule in installed().all if rule.code.startswith("BL"))


def test_the_pages_are_those_of_the_modules() -> None:
    assert drift(DOCS, dict(pages(RULES))) == [], "python -m budgetlint.report.rule_docs writes them again"


def test_drift_is_seen(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("gone\n")
    (tmp_path / "same.md").write_text("same\n")
    assert drift(tmp_path, {"same.md": "same\n", "new.md": "new\n"}) == ["new.md", "old.md"]


def test_every_link_of_the_index_leads_somewhere_and_every_rule_is_in_it() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    links = set(re.findall(r"\]\(([^)#]+)\)", index))
    assert [link for link in links if not (DOCS / link).is_file()] == []
    assert {f"{rule.name}.md" for rule in RULES} <= links


def test_every_family_of_the_rules_has_a_title() -> None:
    assert {rule.code[:3] for rule in RULES} <= set(FAMILIES)
