"""A rule that names its words says nothing where none of them is: the engine does not ask it there, and does not load its module.

Every rule with words is asked about every case of every rule in which its words are missing, too: `tests/test_rules.py`.
"""

from __future__ import annotations

import pytest

from budgetlint.registry import Registry, installed
from budgetlint.rule import Confidence, Finding, Rule, Severity
from budgetlint.testing import report_on

AXOLOTL = "base_model: meta-llama/Llama-3.1-8B\nadapter: lora\nsequence_len: 512\nnum_epochs: 1\n"


def test_a_rule_that_is_not_asked_has_run_all_the_same() -> None:
    """An ``allow`` for it is unused, as it is where the rule looked and found nothing."""
    text = f"{AXOLOTL}micro_batch_size: 1  # budgetlint: allow batch-flattening-conflicts no\n"
    report = report_on({"train.yaml": text}, "", None, installed())
    assert [finding.name for finding in report.findings if finding.location.line == 5] == ["unused-suppression"]


@pytest.mark.parametrize(
    ("word", "text", "times"),
    [
        ("qat", AXOLOTL, 0),
        ("qat", f"{AXOLOTL}qat: {{}}\n", 1),
        ("qat", f"{AXOLOTL}deep:\n  - qat: 1\n", 1),
        ("adapter=lora", AXOLOTL, 1),
        ("adapter=none", AXOLOTL, 0),
        ("optimizer=adamw", f"{AXOLOTL}optimizer: adamw_torch\n", 1),  # the catalog's name, and what is written
        ("optimizer=adamw_torch", f"{AXOLOTL}optimizer: adamw_torch\n", 1),
        ("axolotl", AXOLOTL, 1),
        ("yaml", AXOLOTL, 1),
        ("json", AXOLOTL, 0),
    ],
)
def test_a_rule_is_asked_where_one_of_its_words_is(word: str, text: str, times: int) -> None:
    """Keys at any depth, settings, values of settings, formats."""
    asked: list[object] = []

    def check(document: object) -> tuple[Finding, ...]:
        asked.append(document)
        return ()

    rule = Rule("XY100", "probe", Severity.INFO, Confidence.HIGH, "document", check, "A rule.", "0.1", words=(word,))
    report_on({"train.yaml": text}, "", None, Registry((rule,)))
    assert len(asked) == times
