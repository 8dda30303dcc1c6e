"""Training arguments in a section that a script of its own reads: what is written is read, nothing else is taken for granted."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.memory.estimate import Verdict
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import OriginKind, Stack

SECTION = """\
model: {name_or_path: Qwen/Qwen2.5-7B, max_length: 1024, EXTRA}
training:
  per_device_train_batch_size: 1
  gradient_accumulation_steps: 4
  learning_rate: 5e-6
  weight_decay: 0.01
  lr_scheduler_type: cosine
  optimizer: adamw
"""


def settings(text: str):
    (document,) = load(SourceFile("a.yaml", text))
    reader = identify(document)
    return complete(reader, reader.read(document).settings, Stack())


def section(extra: str = "") -> str:
    return SECTION.replace(", EXTRA", f", {extra}" if extra else "")


def verdict(device: str, extra: str = "") -> Verdict:
    files = {"a.yaml": section(extra), "run.sh": "python train.py --config a.yaml\n"}
    (run,) = judge_texts(files, budget=f"device {device}").runs
    return run.estimate.verdict


def test_what_is_written_is_read_with_a_reservation():
    found = settings(section())
    assert (found.value("micro_batch"), found.value("grad_accum"), found.value("learning_rate")) == (1, 4, 5e-6)
    assert found.value("model") == "Qwen/Qwen2.5-7B"
    assert {one.origin.note for one in found.values() if one.origin.kind is OriginKind.FILE} == {"read by a script of its own"}


@pytest.mark.parametrize("name", ["optimizer", "weights_dtype", "adapter", "recompute", "loss", "quant"])
def test_what_is_not_written_has_two_ends(name):
    setting = settings(section())[name]
    assert not setting.known
    assert len(setting.readings) == 2


def test_no_framework_default_is_taken():
    found = settings(section())
    assert not {"eval_batch", "num_epochs", "max_grad_norm", "autocast"} & set(found)


def test_full_training_has_no_quantised_weights():
    assert settings(section("use_lora: false")).value("quant") == "none"


def test_module_names_of_the_scripts_own_model_are_not_judged():
    assert "lora_targets" not in settings(section("use_lora: true, lora_target_modules: [attention.wq]"))


def test_the_first_section_of_several_is_the_base():
    text = """
defaults: {per_device_train_batch_size: 2, gradient_accumulation_steps: 4, learning_rate: 1e-5, save_steps: 9, logging_steps: 1}
big: {per_device_train_batch_size: 1, gradient_accumulation_steps: 8, learning_rate: 2e-5, save_steps: 9, logging_steps: 1}
"""
    assert settings(text).value("micro_batch") == 2


def test_no_section_is_a_parsers_own():
    """``HfArgumentParser`` reads flat files: whoever reads a section takes from it what it likes."""
    text = """
model: {name: x}
training_args: {per_device_train_batch_size: 1, num_train_epochs: 2, learning_rate: 2e-5, logging_steps: 1}
"""
    found = settings(text)
    assert found.value("micro_batch") == 1
    assert not found["adapter"].known


def test_only_what_is_too_large_in_any_case_is_refused():
    assert verdict("24GiB") is Verdict.UNKNOWN
    assert verdict("24GiB", "use_lora: false") is Verdict.DOES_NOT_FIT
    assert verdict("2GiB") is Verdict.DOES_NOT_FIT


def test_rules_about_keys_leave_the_section_alone():
    text = section().replace("optimizer: adamw", "optimizer: adamw\n  seed: 1\n  wieght_decay: 0.1\n  evaluation_strategy: steps")
    (context,) = judge_texts({"a.yaml": text}).documents
    from budgetlint_rules import RULES

    rules = [rule for rule in RULES if rule.scope == "document" and context.format in (rule.formats or (context.format,))]
    assert rules
    assert [finding for rule in rules for finding in rule.check(context.bound(rule))] == []


BESIDE = section().replace("max_length: 1024", "trust_remote_code: false")
LENGTHS = {
    "data": ("data: {max_seq_length: 1536}\n", 1536),
    "dataset": ("dataset: {max_prompt_length: 512, max_completion_length: 1024}\n", 1536),
    "tokenizer": ("tokenizer: {max_length: 700}\n", 700),
    "data before the tokenizer": ("tokenizer: {max_length: 700}\ndata: {max_seq_length: 900}\n", 900),
    "only half of it": ("dataset: {max_completion_length: 1024}\n", None),
    "a section of something else": ("evaluation: {max_length: 1024}\n", None),
}


@pytest.mark.parametrize(("more", "length"), LENGTHS.values(), ids=LENGTHS)
def test_a_length_beside_the_training_section(more, length):
    assert settings(BESIDE + more).value("seq_len") == length


def test_a_length_of_the_model_or_the_training_wins():
    assert settings(section() + "data: {max_seq_length: 1536}\n").value("seq_len") == 1024
