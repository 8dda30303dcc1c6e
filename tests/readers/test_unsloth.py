"""What Unsloth makes of a script, by release: the loss in old ones, tables among the targets, and what TRL then leaves alone."""

from __future__ import annotations

import pytest

from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

SCRIPT = """\
from unsloth import FastLanguageModel
from trl import SFTConfig, SFTTrainer

model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Qwen3-8B", max_seq_length=4096, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules={})
SFTTrainer(model=model, train_dataset=data, args=SFTConfig(output_dir="out", per_device_train_batch_size=1, bf16=True)).train()
"""
BY_TRL = """\
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", load_in_4bit=True)
peft = LoraConfig(r=16, target_modules="all-linear")
SFTTrainer(model=model, train_dataset=data, peft_config=peft, args=SFTConfig(output_dir="out", bf16=True)).train()
"""
OLD = """\
from unsloth import FastLanguageModel
from transformers import TrainingArguments
from trl import SFTTrainer

model, tokenizer = FastLanguageModel.from_pretrained("unsloth/llama-3-8b-bnb-4bit", max_seq_length=8192, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules=["q_proj", "v_proj"], use_gradient_checkpointing="unsloth")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, fp16=True)
SFTTrainer(model=model, tokenizer=tokenizer, train_dataset=data, max_seq_length=8192, args=args).train()
"""
TABLE = 151_936 * 4_096
ADAPTERS = 36 * 16 * ((4_096 + 4_096) + (4_096 + 1_024))
"""Rank 16 on q_proj (4,096 to 4,096) and v_proj (to 1,024) of 36 layers."""


def run_of(text: str, budget: str) -> RunContext:
    (run,) = judge_texts({"train.py": text}, budget=budget).runs
    return run


@pytest.mark.parametrize(
    ("release", "trained"),
    [
        ("2025.3.19", ADAPTERS + 2 * TABLE),
        ("2026.2.1", ADAPTERS + 2 * TABLE),
        ("2026.3.1", ADAPTERS + 16 * (151_936 + 4_096)),  # an adapter on the head; that of an embedding is never unfrozen
        ("2026.8.19", ADAPTERS + 16 * (151_936 + 4_096)),
        ("2026.8.20", ADAPTERS + 2 * TABLE),
        ("2026.10.9", ADAPTERS + 2 * TABLE),
    ],
)
def test_tables_among_the_targets_train_in_full(release: str, trained: int) -> None:
    targets = '["q_proj", "v_proj", "embed_tokens", "lm_head"]'
    run = run_of(SCRIPT.format(targets), f"device h200; stack unsloth@{release} transformers@4.53")
    assert run.estimate is not None and run.estimate.trainable_params == trained


def test_tables_are_saved_beside_those_that_are_named_so() -> None:
    run = run_of(SCRIPT.format('["q_proj", "v_proj", "lm_head"], modules_to_save=["embed_tokens"]'), "device h200; stack unsloth@2025.7")
    settings = run.run.settings
    assert (settings.value("lora_targets"), settings.value("lora_modules_to_save")) == (("q_proj", "v_proj"), ("embed_tokens", "lm_head"))
    assert run.estimate is not None and run.estimate.trainable_params == ADAPTERS + 2 * TABLE


def test_trl_upcasts_no_model_that_has_its_adapter_already() -> None:
    run = run_of(SCRIPT.format('["q_proj", "v_proj"]'), "device rtx-4090; stack unsloth@2025.7 trl@0.19.1 transformers@4.53")
    assert "quant_upcast" not in run.run.settings
    by_trl = run_of(BY_TRL, "device rtx-4090; stack trl@0.19.1 transformers@4.53").run.settings
    assert by_trl.value("quant_upcast") == "all"


def test_a_loss_in_place_beside_the_copy_that_autocast_makes_of_the_logits() -> None:
    """unslothai/unsloth#465: 16,384 tokens of 128,256 logits are 3.9 GiB in fp16, and accelerate's copy of them 7.8 GiB."""
    run = run_of(OLD, "device t4; stack unsloth@2024.5 trl@0.8 transformers@4.40")
    assert run.estimate is not None and run.estimate.verdict is Verdict.DOES_NOT_FIT
    logits = [term.bytes for term in run.estimate.bill if term.bucket is Bucket.LOGITS]
    assert logits == [16_384 * 128_256 * 2, 16_384 * 128_256 * 4]
    fused = run_of(OLD, "device t4; stack unsloth@2024.12 trl@0.12 transformers@4.46").estimate
    assert fused is not None and fused.verdict is Verdict.FITS
