"""Closed sets of values, and what a misspelt one most likely means."""

from __future__ import annotations

import pytest

from budgetlint.catalog.choice import Choice
from budgetlint.catalog.choice_rows import CHOICES

OPTIM = next(choice for choice in CHOICES["trl"] if choice.path == "optim")
EVERY = [(format, choice) for format, choices in CHOICES.items() for choice in choices]

MEANT = [
    ("adamw_tourch", ("adamw_torch",)),
    ("Adamw_Torch", ("adamw_torch",)),
    ("adamw8bit", ("adamw_8bit",)),
    ("paged_adamw", ("paged_adamw_8bit", "paged_adamw_32bit")),
    ("paged_adamw_16bit", ()),  # may come with the next release
    ("my_optimizer", ()),
]


@pytest.mark.parametrize(("text", "meant"), MEANT)
def test_what_a_value_means(text: str, meant: tuple[str, ...]) -> None:
    assert OPTIM.find(text) is None
    assert OPTIM.meant(text) == meant


@pytest.mark.parametrize(("text", "meant"), [("dppo", ("dpo",)), ("gpro", ("grpo",)), ("gspo", ()), ("ppo", ())])
def test_short_values_are_slips_of_the_same_letters(text: str, meant: tuple[str, ...]) -> None:
    assert Choice("rl", "axolotl", "dpo grpo kto", "", "").meant(text) == meant


@pytest.mark.parametrize(
    ("text", "meant"), [("tre", ("true",)), ("fals", ("false",)), ("ofs", ("off",)), ("fp8", ()), ("1", ()), ("unsloth", ())]
)
def test_short_slips_of_a_set_that_nobody_adds_to(text: str, meant: tuple[str, ...]) -> None:
    assert Choice("bf16", "transformers", "true false on off", "", "", is_final=True).meant(text) == meant


def test_a_release_stands_behind_its_value() -> None:
    assert OPTIM.values["stable_adamw"].since == "4.54.0"
    assert OPTIM.values["adamw_torch"].since == ""


@pytest.mark.parametrize(("format", "choice"), EVERY, ids=[f"{format}-{choice.path}" for format, choice in EVERY])
def test_every_row_names_its_source_and_knows_its_values(format: str, choice: Choice) -> None:
    assert choice.source and choice.cost
    assert all(choice.find(name) == value for name, value in choice.values.items())


def test_a_key_has_one_row_in_each_format() -> None:
    for choices in CHOICES.values():
        paths = [choice.path for choice in choices]
        assert len(paths) == len(set(paths))
