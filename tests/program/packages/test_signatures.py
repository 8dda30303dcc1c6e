"""Positional arguments of trainers by their names: of each class as its releases have it, as far as they agree on what was given."""

from __future__ import annotations

import pytest

from budgetlint.program.values import Known
from tests.program.packages.following import followed

HEAD = """
from transformers import AutoModelForCausalLM, AutoTokenizer, Seq2SeqTrainer, Trainer, TrainingArguments
from trl import (
    DPOConfig, DPOTrainer, GKDConfig, GKDTrainer, GRPOConfig, GRPOTrainer, IterativeSFTTrainer, KTOConfig, KTOTrainer, PPOConfig,
    PPOTrainer, RewardConfig, RewardTrainer, RLOOConfig, RLOOTrainer, SFTConfig, SFTTrainer, XPOConfig, XPOTrainer,
)
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
from datasets import load_dataset
model = AutoModelForCausalLM.from_pretrained("a")
tokenizer = AutoTokenizer.from_pretrained("a")
data, collate = load_dataset("d"), print
"""
CASES = {
    'Trainer(model, TrainingArguments("o"), collate, data, data, tokenizer)':
        "model args data_collator train_dataset eval_dataset processing_class",
    'Seq2SeqTrainer(model, TrainingArguments("o"), collate, data)': "model args data_collator train_dataset",
    'SFTTrainer("a", SFTConfig("o"), None, data)': "model args data_collator train_dataset",
    'RewardTrainer(model, RewardConfig("o"))': "model args",
    'DPOTrainer(model, None, DPOConfig("o"), collate, data)': "model ref_model args data_collator train_dataset",
    'DPOTrainer(model, None, 0.1, 0.0, "sigmoid", TrainingArguments("o"))': "model ref_model beta label_smoothing loss_type args",
    "DPOTrainer(model, None)": "model ref_model",
    'KTOTrainer(model, model, KTOConfig("o"), data, data)': "model ref_model args",
    'GRPOTrainer("a", print, GRPOConfig("o"), data)': "model reward_funcs args train_dataset",
    'RLOOTrainer("a", print, RLOOConfig("o"), data)': "model reward_funcs args train_dataset",
    'RLOOTrainer(RLOOConfig("o"), tokenizer, model, model, model, data)':
        "args processing_class model ref_model reward_model train_dataset",
    'RLOOTrainer(config=RLOOConfig("o"), policy=model, ref_policy=model)': "args model ref_model",
    'PPOTrainer(PPOConfig("o"), model)': "args model",
    'PPOTrainer(PPOConfig("o"), tokenizer, model, model)': "args processing_class model ref_model",
    'PPOTrainer(config=PPOConfig("o"), model=model)': "args model",
    'SFTTrainer(model, config=SFTConfig("o"))': "model config",
    'GKDTrainer("t", GKDConfig("o"))': "teacher_model args",
    'GKDTrainer(model, "t", GKDConfig("o"), None, data)': "model teacher_model args data_collator train_dataset",
    'XPOTrainer(model, model, model, XPOConfig("o"), None, data)': "model ref_model",
    'XPOTrainer(model, model, None, None, XPOConfig("o"))': "model ref_model",
    'IterativeSFTTrainer(model, TrainingArguments("o"), None, None)': "model args",
    'SentenceTransformerTrainer(SentenceTransformer("a"), SentenceTransformerTrainingArguments("o"), data, data)':
        "model args train_dataset eval_dataset",
}  # fmt: skip


@pytest.mark.parametrize("call", CASES)
def test_names(call: str) -> None:
    (trainer,) = [one for one in followed(f"{HEAD}\n{call}\n").it.sinks if one.kind == "trainer"]
    assert list(trainer.arguments) == CASES[call].split()


def test_what_agrees_is_named_without_knowing_the_release() -> None:
    seen = followed(f"{HEAD}\nimport os\nDPOTrainer(os.environ['X'], None, os.environ['Y'])")
    (trainer,) = [one for one in seen.it.sinks if one.kind == "trainer"]
    assert list(trainer.arguments) == ["model", "ref_model"]
    assert isinstance(trainer.arguments["ref_model"], Known)
