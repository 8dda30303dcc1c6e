"""Conditions in words."""

from __future__ import annotations

import pytest

from budgetlint.contracts.expression import parse
from budgetlint.contracts.words import choices, clauses, listed, shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("warmup_steps < 0", ("warmup_steps is below 0",)),
        ("fp16 and bf16", ("fp16 is on", "bf16 is on")),
        ("a and not b", ("a is on", "b is off or empty")),
        ("beta < 0.0 or beta > 1.0", ("beta is below 0 or beta is above 1",)),
        ("not a > 0", ("a is not above 0",)),
        ("ref_model is not None", ("ref_model is set",)),
        ("batch % generations != 0", ("batch is no multiple of generations",)),
        ("batch * env.world_size % n != 0", ("batch x the number of processes is no multiple of n",)),
        ("loss in ['ipo', 'sppo']", ("loss is ipo or sppo",)),
        ("loss not in ['ipo', 'sppo']", ("loss is none of ipo or sppo",)),
        ("'lora' in kinds", ("kinds has lora",)),
        ("len(weights) != len(loss_type)", ("the length of weights is not the length of loss_type",)),
        ("not isinstance(steps, 'int')", ("steps is no integer",)),
        ("startswith(name, 'muon')", ("name starts with muon",)),
        ("fsdp_config.xla and not fsdp", ("fsdp_config.xla is on", "fsdp is off or empty")),
        ("seed is not None and not release('accelerate', '1.1.0')", ("seed is set", "accelerate is older than 1.1.0")),
        ("release('accelerate', '1.1.0')", ("accelerate is 1.1.0 or newer",)),
        ("startswith(a, '{') and not is_json(a)", ("a starts with {", "a is no JSON")),
        ("(a if b else c) > 1", ()),
    ],
)
def test_each_clause_has_words_or_the_whole_has_none(text: str, said: tuple[str, ...]) -> None:
    assert clauses(parse(text)) == said


def test_choices_and_lists() -> None:
    assert choices(parse("x is not None and x not in ['no', 'steps']")) == ("no", "steps")
    assert choices(parse("x in ['no']")) == ()
    assert listed(["a", "b", "c"]) == "a, b or c"
    assert listed([str(n) for n in range(20)]).endswith(", 11 or …")
    assert [shown(one) for one in (True, None, 2.0, 0.5, "", "x")] == ["true", "null", "2", "0.5", "empty", "x"]
