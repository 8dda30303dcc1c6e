"""A small project to run commands on: one config, one budget, a safe fix, nothing that depends on an estimate's last digit."""

from __future__ import annotations

import pytest

SFT = """\
# TRL, one card
model_name_or_path: Qwen/Qwen2.5-1.5B
dtype: bfloat16
attn_implementation: sdpa
max_length: 1024
packing: false
use_peft: true
lora_r: 16
lora_target_modules: all-linear
optim: adamw_torch_fused
learning_rate: 2.0e-4
output_dir: tmp
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
gradient_checkpointing: true
bf16: true
num_train_epochs: 1
output_dir: out
"""

CARD = "device 24GiB; reserve 1GiB\nstack transformers@5.24 trl@1.16 torch@2.13 peft@0.21\n"


@pytest.fixture
def project(shell):
    """The shell, with a config that says one thing twice (a safe fix) and a card that holds the run easily."""
    shell.write("sft.yaml", SFT)
    shell.write("card.budget", CARD)
    return shell


@pytest.fixture
def sft() -> str:
    return SFT
