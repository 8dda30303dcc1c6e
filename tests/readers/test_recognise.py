"""Whose document is it? Told from content, never from the name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import Tie, identify, recognise

TRL = "model_name_or_path: m\ndataset_name: d\npacking: true\nlearning_rate: 1e-5\nper_device_train_batch_size: 2\nnum_train_epochs: 1\n"
PLAIN = "output_dir: out\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 4\nnum_train_epochs: 3\nbf16: true\n"
ZERO = '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}}'

CASES = {
    "TrainingArguments in YAML": ("a.yaml", PLAIN, "hf_training_arguments"),
    "TrainingArguments in JSON": (
        "a.json",
        '{"output_dir": "o", "per_device_train_batch_size": 2, "num_train_epochs": 3, "fp16": true}',
        "hf_training_arguments",
    ),
    "nested TrainingArguments": (
        "a.yaml",
        "model: {model_id: m}\ntraining: {per_device_train_batch_size: 1, num_train_epochs: 2, optim: adamw_torch, bf16: true}\n",
        "hf_training_arguments",
    ),
    "a section that a script names as it likes": (
        "a.yaml",
        "defaults: {per_device_train_batch_size: 2, gradient_accumulation_steps: 4, learning_rate: 1e-5, save_steps: 9, seed: 1}\n",
        "hf_training_arguments",
    ),
    "a script's own dataset_name": ("a.yaml", PLAIN + "dataset_name: d\nblock_size: 1024\n", "hf_training_arguments"),
    "TRL": ("a.yaml", TRL, "trl"),
    "TRL's smallest": (
        "a.yaml",
        "model_name_or_path: m\ndataset_name: d\nlearning_rate: 1e-4\nlr_scheduler_type: cosine\nreport_to: none\n",
        "trl",
    ),
    "alignment-handbook": ("a.yaml", PLAIN + "dataset_mixer: {a/b: 1.0}\n", "alignment_handbook"),
    "open-instruct": ("a.yaml", PLAIN + "dataset_mixer: {a/b: 1.0}\nuse_slow_tokenizer: true\nwith_tracking: true\n", "open_instruct"),
    "DeepSpeed": ("a.json", ZERO, "deepspeed"),
    "DeepSpeed in YAML, for a program that hands it over": (
        "a.yaml",
        "train_micro_batch_size_per_gpu: auto\nzero_optimization: {stage: 2}\n",
        "deepspeed",
    ),
    "DeepSpeed under another suffix": ("stage2.conf", ZERO, "deepspeed"),
    "DeepSpeed with comments": ("a.json", "{ // hjson\n" + ZERO[1:], "deepspeed"),
    "DeepSpeed without ZeRO": ("a.json", '{"train_batch_size": 8, "fp16": {"enabled": true}, "steps_per_print": 10}', "deepspeed"),
}

STRANGERS = {
    "an empty file": ("a.yaml", ""),
    "a list": ("a.yaml", "- per_device_train_batch_size: 1\n- bf16: true\n"),
    "a broken file": ("a.json", ZERO[:-2]),
    "GPT-NeoX": (
        "a.json",
        '{"pipe-parallel-size": 1, "num-layers": 12, "zero_optimization": {"stage": 1}, "train_micro_batch_size_per_gpu": 4}',
    ),
    "a wandb dump of DeepSpeed": (
        "a.json",
        '{"_wandb": {"value": {}}, "zero_optimization": {"value": {"stage": 3}}, "fp16": {"value": {}}}',
    ),
    "a wandb dump of TrainingArguments": ("a.yaml", "_wandb: {}\n" + PLAIN),
    "a DeepSpeed template": ("a.json", '{"train_batch_size": GB_SIZE,\n"zero_optimization": {"stage": 0}}'),
    "one of DeepSpeed's keys in YAML": ("a.yaml", "zero_optimization: {stage: 2}\ngradient_clipping: 1.0\n"),
    "a trainer's state": ("a.json", '{"log_history": [], "max_steps": 10, "num_train_epochs": 3, "save_steps": 5, "logging_steps": 1}'),
    "generation settings": (
        "a.json",
        '{"base_model": "m", "output_dir": "o", "bf16": true, "fp16": false, "temperature": 0.6, "seed": 42}',
    ),
    "a filter of generations": (
        "a.yaml",
        "model_name_or_path: m\ntorch_dtype: bfloat16\ndataset_name: d\nnum_generations: 4\ntemperature: 1\n",
    ),
    "a model's config": ("a.json", '{"architectures": ["A"], "hidden_size": 64, "num_hidden_layers": 2, "bf16": true}'),
    "oumi's training section": (
        "a.yaml",
        "training: {trainer_type: TRL_SFT, per_device_train_batch_size: 1, gradient_accumulation_steps: 2, max_steps: 3, save_steps: 4, "
        "optimizer: adamw_torch_fused, learning_rate: 1e-4, logging_steps: 5}\n",
    ),
    "a section of another trainer": (
        "a.yaml",
        "run: {micro_batch_size: 1, per_device_train_batch_size: 1, gradient_accumulation_steps: 2, max_steps: 3, learning_rate: 1e-4}\n",
    ),
    "image trainers' arguments": (
        "a.json",
        '{"pretrained_model_name_or_path": "m", "train_batch_size": 1, "optimizer": "AdamW8bit", "gradient_accumulation_steps": 4, '
        '"gradient_checkpointing": true, "output_dir": "o", "learning_rate": 1e-4, "mixed_precision": "bf16"}',
    ),
    "a preset of kohya's": (
        "a.json",
        '{"LoRA_type": "LoHa", "train_batch_size": 1, "optimizer": "AdamW", "gradient_accumulation_steps": 4}',
    ),
    "a config with a plain optimizer": (
        "a.json",
        '{"train_batch_size": 8, "optimizer": {"name": "adamw", "lr": 1e-4}, "scheduler": "cosine"}',
    ),
    "a config with a batch and an accumulation": ("a.json", '{"train_batch_size": 8, "gradient_accumulation_steps": 4, "lr": 1e-4}'),
    "TrainingArguments in TOML": (
        "a.toml",
        'output_dir = "o"\nper_device_train_batch_size = 2\ngradient_accumulation_steps = 4\nnum_train_epochs = 3\nbf16 = true\n',
    ),
    "a Hydra group of a framework of its own": (
        "a.yaml",
        "name_or_path: ???\nload_from: null\nblock_name: null\npolicy_dtype: bfloat16\nmax_grad_norm: 1.0\nmax_length: 1250\n"
        "activation_checkpointing: true\nbatch_size: 32\nmicrobatch_size: null\ngradient_accumulation_steps: 1\n"
        "attn_implementation: eager\nuse_peft: false\n",
    ),
}


def document(name: str, text: str):
    return load(SourceFile(name, text))[0]


@pytest.mark.parametrize(("name", "text", "expected"), CASES.values(), ids=CASES)
def test_a_document_is_known_by_its_content(name, text, expected):
    reader = identify(document(name, text))
    assert reader is not None and not isinstance(reader, Tie)
    assert reader.format == expected


@pytest.mark.parametrize(("name", "text"), STRANGERS.values(), ids=STRANGERS)
def test_the_hugging_face_and_deepspeed_readers_leave_strangers_alone(name, text):
    ours = {"hf_training_arguments", "trl", "alignment_handbook", "open_instruct", "deepspeed"}
    assert not ours & {reader.format for reader, _ in recognise(document(name, text))}


def test_claims_come_highest_first():
    scores = [score for _, score in recognise(document("a.yaml", TRL))]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_a_table_of_a_package_does_not_load_its_reader():
    code = "import sys, budgetlint.readers.hf.recognise; sys.exit('budgetlint.readers.hf.reader' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_equal_claims_are_told_not_guessed(monkeypatch):
    import budgetlint.readers as readers

    one, two = readers.all_readers()[:2]
    claim = [type(one)(r.format, r.role, r.loader, lambda _document: 0.5, r.read) for r in (one, two)]
    monkeypatch.setattr(readers, "readers_of", lambda _format: tuple(claim))
    tie = identify(document("a.yaml", TRL))
    assert isinstance(tie, Tie)
    assert [reader.format for reader in tie.readers] == [one.format, two.format]
