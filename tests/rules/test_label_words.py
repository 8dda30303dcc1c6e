"""The labels of sound are as long as a sentence, not as the model takes: both figures are told, and of what they are."""

from __future__ import annotations

from budgetlint_rules import smallest_card

from budgetlint.testing import find

RUN = "model whisper-small; batch 32; precision fp16-autocast; optimizer adamw; adapter none; recompute none; attention sdpa; loss full"


def test_labels_that_nobody_states_are_a_limit() -> None:
    (found,) = find(smallest_card.RULE, {}, RUN, "transformers@4.49 torch@2.6")
    assert "with labels of 112 tokens" in found.message
    assert found.message.endswith("where a row of labels reaches 448 tokens")


def test_labels_that_a_budget_states_are_the_workload() -> None:
    (found,) = find(smallest_card.RULE, {}, f"{RUN}; seq 64", "transformers@4.49 torch@2.6")
    assert "labels" not in found.message
