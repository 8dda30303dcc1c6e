"""What constructors take, by release: rows that a reader can look up in the release notes, and how spans are read."""

from __future__ import annotations

import pytest

from budgetlint.contracts.signature import find, signatures
from budgetlint.settings.run import Origin, OriginKind, Stack, release

ORIGIN = Origin(OriginKind.FILE)


def stack(**versions: str) -> Stack:
    found = {name: release(name, version, ORIGIN) for name, version in versions.items()}
    return Stack({name: one for name, one in found.items() if one is not None})


@pytest.mark.parametrize(
    ("called", "name", "versions", "taken"),
    [
        ("trl.SFTConfig", "max_seq_length", {"trl": "0.19.0"}, True),
        ("trl.SFTConfig", "max_seq_length", {"trl": "0.20.0"}, False),
        ("trl.SFTConfig", "max_seq_length", {"trl": "0.19.1"}, None),  # between two that were read and differ
        ("trl.SFTConfig", "max_seq_length", {}, None),
        ("trl.SFTConfig", "learning_rate", {}, True),  # of the class above, in every release
        ("trl.SFTConfig", "evaluation_strategy", {"trl": "0.20.0", "transformers": "4.50.0"}, True),
        ("trl.SFTConfig", "evaluation_strategy", {"trl": "0.20.0", "transformers": "4.51.0"}, False),
        ("trl.SFTTrainer", "tokenizer", {"trl": "0.15.0"}, True),  # the decorator takes the old name
        ("trl.SFTTrainer", "tokenizer", {"trl": "0.16.0"}, False),
        ("transformers.Trainer", "tokenizer", {"transformers": "4.57.6"}, True),
        ("transformers.Trainer", "tokenizer", {"transformers": "5.0.0"}, False),
        ("transformers.TrainingArguments", "group_by_length", {"transformers": "5.24.0"}, False),
        ("peft.LoraConfig", "use_dora", {"peft": "0.9.0"}, True),
        ("peft.LoraConfig", "nonsense", {}, False),
        ("trl.KTOTrainer", "model", {"trl": "0.27.0"}, None),  # not exported there
    ],
)
def test_takes(called: str, name: str, versions: dict[str, str], taken: bool | None) -> None:
    signature = find(called)
    assert signature is not None
    assert signature.takes(name, stack(**versions)) is taken


def test_the_history_of_a_name() -> None:
    signature = find("trl.SFTConfig")
    assert signature is not None
    assert signature.history("max_seq_length") == ("0.9.6", "0.20.0")
    assert signature.history("evaluation_strategy") == ("4.40.0", "4.51.0")
    assert signature.history("nonsense") == ("", "")
    assert (signature.owner("packing"), signature.owner("weight_decay")) == ("trl", "transformers")


def test_a_module_between_package_and_class_does_not_matter() -> None:
    assert find("trl.trainer.sft_config.SFTConfig") == find("trl.SFTConfig")
    assert find("acme.SFTConfig") is None
    assert signatures("acme") == {}
