"""Public repositories that nobody had looked at, cut down to what went wrong: who reads a file decides what may be said of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import Judged

OWN_QLORA = {
    "args/qlora.json": """{
    "output_dir": "out", "model_name_or_path": "01-ai/Yi-34B", "train_file": "data.jsonl", "task_type": "sft", "num_train_epochs": 1,
    "per_device_train_batch_size": 1, "gradient_accumulation_steps": 16, "learning_rate": 1e-4, "max_seq_length": 1024,
    "lora_rank": 64, "lora_alpha": 16, "gradient_checkpointing": true, "optim": "paged_adamw_32bit", "fp16": true
}""",
    "requirements.txt": "transformers==4.34\npeft==0.4.0\nbitsandbytes==0.39.0\ntrl==0.7.11\n",
    "train.py": """\
from dataclasses import dataclass, field
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, HfArgumentParser, Trainer, TrainingArguments

@dataclass
class OwnArguments:
    model_name_or_path: str
    train_file: str
    max_seq_length: int = 1024
    lora_rank: int = 64
    lora_alpha: int = 16
    task_type: str = field(default="sft")
    train_mode: str = field(default="qlora")

own, args = HfArgumentParser((OwnArguments, TrainingArguments)).parse_json_file("args/qlora.json")
model = AutoModelForCausalLM.from_pretrained(own.model_name_or_path, quantization_config=BitsAndBytesConfig(load_in_4bit=True))
Trainer(model=model, args=args).train()
""",
}

OMEGACONF = {
    "run.sh": "python fine_tune.py --config configs/a.yaml\n",
    "configs/a.yaml": """\
model:
  model_id: "google/gemma-2-9b-it"
lora:
  r: 8
  r: 8
training:
  output_dir: out
  num_train_epochs: 10
  per_device_train_batch_size: 8
  gradient_accumulation_steps: 1
  learning_rate: 2e-4
  bf16: true
""",
    "fine_tune.py": """\
import argparse
from omegaconf import OmegaConf
from trl import SFTConfig, SFTTrainer
p = argparse.ArgumentParser(); p.add_argument("--config", default="configs/a.yaml")
cfg = OmegaConf.load(p.parse_args().config)
SFTTrainer(model=cfg.model.model_id, args=SFTConfig(output_dir=cfg.training.output_dir)).train()
""",
}

HYDRA = {
    "configs/sft.yaml": """\
defaults:
  - training_arguments: sft
  - _self_
model_type: Qwen3-8B
is_quantized: false
quantization_config:
  load_in_4bit: true
gradient_checkpointing: true
gradient_accumulation_steps: 1
optim: paged_adamw_32bit
weight_decay: 1e-1
run_name: ${model_type}-sft
save_strategy: steps
""",
    "configs/training_arguments/sft.yaml": """\
_target_: trl.SFTConfig
output_dir: out
per_device_train_batch_size: ${batch_size}
num_train_epochs: 2
bf16: true
report_to: ${tracking.report_to}
learning_rate: ${lr}
""",
    "train.py": """\
import hydra
from hydra.utils import instantiate
from trl import SFTTrainer

@hydra.main(version_base=None, config_path="configs", config_name="sft")
def main(config):
    SFTTrainer(model=config.pretrained_model_name, args=instantiate(config.training_arguments)).train()
""",
}

GROUP = {
    "config/model/base_model.yaml": """\
name_or_path: ???
block_name: null
policy_dtype: bfloat16
max_grad_norm: 1.0
max_length: 1250
max_prompt_length: 625
activation_checkpointing: true
batch_size: 32
microbatch_size: null
gradient_accumulation_steps: 1
attn_implementation: eager
use_peft: false
peft: {lora_r: 64, lora_alpha: 256, target_modules: all-linear}
""",
    "config/config.yaml": "defaults:\n  - _self_\n  - model: base_model\nseed: 1\nlr: 5.0e-7\n",
}

TRL_FLAGS = {
    "run.sh": "trl sft --model_name_or_path Qwen/Qwen2.5-1.5B-Instruct --dataset_name d --max_length 2048 --per_device_train_batch_size 2 "
    "--bf16 --output_dir out\n"
}
TRL_FILE = {
    "run.sh": "trl sft --config c.yaml\n",
    "c.yaml": "model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct\ndataset_name: d\nmax_length: 2048\n"
    "per_device_train_batch_size: 2\nbf16: true\n"
    "learning_rate: 1.0e-5\noutput_dir: out\n",
}
SMALLEST = {"run.sh": "trl sft --config c.yaml\n", "c.yaml": "model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct\n"}

OTHERS = {
    "vit.sh": "python run_image_classification.py --output_dir o --model_name_or_path google/vit-base-patch16-224 --dataset_name beans "
    "--fp16 --per_device_train_batch_size 64 --learning_rate 5e-6 --do_train --remove_unused_columns False\n",
    "train.sh": "torchrun --nproc_per_node=1 train_reranker.py --output_dir o --model_name_or_path bert-base-uncased --dataset_name a/b "
    "--fp16 --per_device_train_batch_size 16 --train_group_size 8 --learning_rate 5e-6 --rerank_max_len 256\n",
}

COPIED = {
    "pipeline.sh": "cp recipes/full.yaml recipes/full_iter1.yaml\n"
    "accelerate launch --config_file accelerate_configs/zero3.yaml run.py recipes/full_iter1.yaml\n",
    "recipes/full.yaml": """\
model_name_or_path: mistralai/Mistral-7B-Instruct-v0.2
torch_dtype: null
dataset_mixer:
  mine: 1.0
bf16: true
gradient_checkpointing: true
learning_rate: 5.0e-7
num_train_epochs: 1
per_device_train_batch_size: 8
optim: adamw_torch
output_dir: out
""",
    "accelerate_configs/zero3.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3}\n"
    "mixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n",
}

IMAGES = {
    "loha.json": '{"LoRA_type": "LyCORIS/LoHa", "train_batch_size": 1, "gradient_accumulation_steps": 4, "optimizer": "AdamW8bit", '
    '"lr_scheduler": "cosine", "mixed_precision": "bf16"}',
    "simple.json": '{"train_batch_size": 1, "gradient_accumulation_steps": 4, "optimizer": "adamw_bf16", "model_family": "flux", '
    '"learning_rate": 1e-4, "output_dir": "o", "gradient_checkpointing": true}',
    "pipe.toml": 'output_dir = "o"\ngradient_accumulation_steps = 1\nwarmup_steps = 10\nmicro_batch_size_per_gpu = 1\n'
    "activation_checkpointing = 'unsloth'\n[model]\ntype = 'wan'\n",
    "flux.sh": "accelerate launch train_dreambooth_lora_flux.py --pretrained_model_name_or_path black-forest-labs/FLUX.1-dev "
    "--instance_data_dir d --output_dir o --resolution 512 --train_batch_size 1 --gradient_accumulation_steps 4 --learning_rate 1e-4\n",
}


INHERITS = {
    "run.sh": "python -m mine.train_sft --config configs/sft.yaml\n",
    "configs/sft.yaml": "_base_: base.yaml\nstage: sft\ntrain:\n  output_dir: runs/sft\n  learning_rate: 1.0e-4\n"
    "  per_device_train_batch_size: 2\n  gradient_accumulation_steps: 16\n",
    "configs/base.yaml": "model:\n  base_model: Qwen/Qwen2.5-1.5B-Instruct\n  torch_dtype: bfloat16\n  use_peft: true\n  lora_r: 32\n"
    "train:\n  bf16: true\n  gradient_checkpointing: true\n",
}
SWIFT = {
    "run.sh": "NPROC_PER_NODE=8 swift rlhf --rlhf_type grpo --config grpo.yaml\n",
    "grpo.yaml": """\
model: Qwen/Qwen3-14B
dataset: [data/train.jsonl]
reward_funcs: [mine]
num_generations: 8
max_completion_length: 2048
use_vllm: true
vllm_mode: server
train_type: lora
lora_rank: 64
target_modules: all-linear
per_device_train_batch_size: 2
learning_rate: 5e-6
max_length: 8192
bf16: true
""",
}
ENGINE = {
    "configs/zero3.yaml": "bf16:\n  enabled: true\noffload_param:\n  device: cpu\nzero_optimization:\n  stage: 3\n"
    "train_micro_batch_size_per_gpu: auto\n"
}


@dataclass(frozen=True)
class Case:
    """``verdicts`` by run; ``settings`` by run: a value, or ``unresolved``; ``findings`` are all that is said, as RULE severity."""

    files: dict[str, str]
    verdicts: dict[str, str]
    settings: dict[str, dict[str, object]] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    budget: str = "device 80GiB"


RTX = "device rtx-4090; stack trl@0.24 transformers@4.57"
CASES = {
    "an own dataclass loads in 4 bit": Case(
        OWN_QLORA,
        {"train.py": "unknown"},
        {"train.py": {"model": "01-ai/Yi-34B", "micro_batch": 1, "grad_accum": 16, "quant": "fp4", "adapter": "none"}},
        budget="stack trl@0.7.11",
    ),
    "OmegaConf reads 2e-4 as a number": Case(
        OMEGACONF,
        {"run.sh": "does-not-fit"},
        {"run.sh": {"model": "google/gemma-2-9b-it", "micro_batch": 8, "adapter": "none"}},
        ("does-not-fit error", "duplicate-key warning"),
    ),
    "Hydra composes": Case(HYDRA, {}),
    "a group of a framework of its own": Case(GROUP, {}),
    "TRL's command line without an adapter": Case(
        TRL_FLAGS, {"run.sh": "does-not-fit"}, {"run.sh": {"adapter": "none", "quant": "none"}}, ("does-not-fit error",), RTX
    ),
    "a command names a file of seven keys": Case(
        TRL_FILE, {"run.sh": "does-not-fit"}, {"run.sh": {"adapter": "none", "seq_len": 2048}}, ("does-not-fit error",), RTX
    ),
    "a command names a file of one key": Case(
        SMALLEST, {"run.sh": "does-not-fit"}, {"run.sh": {"adapter": "none", "task": "sft"}}, ("does-not-fit error",), "device 8GiB"
    ),
    "other scripts' data is no TRL": Case(
        OTHERS,
        {"train.sh": "unknown", "vit.sh": "fits"},
        {"train.sh": {"micro_batch": 16, "seq_len": None, "task": None, "optimizer": "unresolved"}},
    ),
    "a recipe whose copy is launched": Case(COPIED, {"pipeline.sh": "unknown"}),
    "trainers of image models": Case(IMAGES, {}),
    "a file below another": Case(
        INHERITS,
        {"run.sh": "unknown"},
        {"run.sh": {"model": "Qwen/Qwen2.5-1.5B-Instruct", "lora_r": 32, "autocast": "bf16", "micro_batch": 2}},
    ),
    "the type stands on the command line": Case(
        SWIFT,
        {"run.sh": "fits"},
        {"run.sh": {"task": "grpo", "completion_len": 2048, "rollout_engine": "vllm", "rollout_on": "other"}},
    ),
    "the same file alone": Case(
        {"grpo.yaml": SWIFT["grpo.yaml"]}, {"grpo.yaml": "fits"}, {"grpo.yaml": {"task": "grpo", "completion_len": 2048}}
    ),
    "DeepSpeed's file in YAML": Case(ENGINE, {}, findings=("unknown-key warning",)),
}


def judged(case: Case) -> Judged:
    return judge_texts(case.files, budget=case.budget)


def told(found: Judged, run: str, name: str) -> object:
    context = next(one for one in found.runs if one.run.name == run)
    setting = context.setting(name)
    return None if setting is None else setting.value if setting.known else setting.certainty


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_not_known_is_not_said(case: Case) -> None:
    found = judged(case)
    assert {one.run.name: one.estimate.verdict.value for one in found.runs if one.estimate} == case.verdicts
    for run, settings in case.settings.items():
        assert {name: told(found, run, name) for name in settings} == settings
    findings = [one for one in check(found, installed()).findings if one.name not in ("smallest-card", "no-verdict")]
    said = [f"{one.name} {one.severity.value}" for one in findings]
    assert said == list(case.findings)
