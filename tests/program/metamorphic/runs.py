"""Runs, each with a body that every surface writes, and with what has to be found in it.

``codes`` are findings that must be there: a comparison of silences would show nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Run(NamedTuple):
    name: str
    body: str
    values: Mapping[str, Any]
    codes: tuple[str, ...] = ()
    verdict: str = "fits"
    launcher: str = "python"
    budget: str = "device a100-80gb; stack transformers@4.57 trl@0.25 peft@0.18 accelerate@1.12 torch@2.9; seq 1024"
    files: Mapping[str, str] = {}


TRAINER = """\
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained({model}, torch_dtype=torch.bfloat16)
training = TrainingArguments(output_dir="out", %s)
trainer = Trainer(model=model, args=training, train_dataset=rows)
trainer.train()
"""
LORA = """\
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained({model}, torch_dtype=torch.bfloat16)
model = get_peft_model(model, LoraConfig(r={rank}, lora_alpha={alpha}, lora_dropout={dropout}, target_modules=["q_proj", {target}]))
training = TrainingArguments(output_dir="out", %s)
trainer = Trainer(model=model, args=training, train_dataset=rows)
trainer.train()
"""
QLORA = """\
import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

quantised = BitsAndBytesConfig(load_in_4bit={four}, load_in_8bit={eight}, bnb_4bit_quant_type={kind}, bnb_4bit_use_double_quant={twice})
model = AutoModelForCausalLM.from_pretrained({model}, quantization_config=quantised, torch_dtype=torch.bfloat16)
model = prepare_model_for_kbit_training(model)
model = get_peft_model(model, LoraConfig(r={rank}, target_modules="all-linear"))
training = TrainingArguments(output_dir="out", %s)
trainer = Trainer(model=model, args=training, train_dataset=rows)
trainer.train()
"""
SFT = """\
from trl import SFTConfig, SFTTrainer

training = SFTConfig(output_dir="out", %s)
trainer = SFTTrainer(model={model}, args=training, train_dataset=rows)
trainer.train()
"""
SFT_LORA = """\
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

training = SFTConfig(output_dir="out", %s)
adapter = LoraConfig(r={rank}, target_modules="all-linear")
trainer = SFTTrainer(model={model}, args=training, train_dataset=rows, peft_config=adapter)
trainer.train()
"""
DPO = """\
from trl import DPOConfig, DPOTrainer

training = DPOConfig(output_dir="out", %s)
trainer = DPOTrainer(model={model}, args=training, train_dataset=rows)
trainer.train()
"""
GRPO = """\
from trl import GRPOConfig, GRPOTrainer

training = GRPOConfig(output_dir="out", %s)
trainer = GRPOTrainer(model={model}, args=training, train_dataset=rows, reward_funcs=reward)
trainer.train()
"""
LOOP = """\
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained({model}, torch_dtype=torch.bfloat16).cuda()
optimizer = torch.optim.%s(model.parameters(), lr={lr}, weight_decay={decay})
for batch in DataLoader(rows, batch_size={batch}, shuffle=True):
    loss = model(**batch).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""
SMALL, LARGE = "Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-7B"


def arguments(body: str, *names: str) -> str:
    """A body with these arguments, each from its value."""
    return body % ", ".join(f"{name}={{{name}}}" for name in names)


def _run(name: str, body: str, values: Mapping[str, Any], *codes: str, fixed: tuple[str, ...] = ("model",), **more: Any) -> Run:
    """``fixed``: values that the body names itself; the others are arguments of the arguments object."""
    return Run(name, arguments(body, *(one for one in values if one not in fixed)), values, codes, **more)


BASE = {"model": SMALL, "per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "learning_rate": 2e-5, "bf16": True}
_LORA = ("model", "rank", "alpha", "dropout", "target")
_QLORA = ("model", "four", "eight", "kind", "twice", "rank")
_ENGINE = """\
{"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1, "fp16": {"enabled": true}, "zero_optimization": {"stage": 2},
 "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}}
"""
_FOUR = "device 4x a100-80gb; stack transformers@4.57 trl@0.25 peft@0.18 accelerate@1.12 torch@2.9 deepspeed@0.18; seq 1024"

RUNS: tuple[Run, ...] = (
    _run("full fine-tuning", TRAINER, {**BASE, "gradient_checkpointing": True}),
    _run("one that does not fit", TRAINER, {**BASE, "model": LARGE, "per_device_train_batch_size": 32}, "BL101", verdict="does-not-fit"),
    _run("evaluation without data", TRAINER, {**BASE, "eval_strategy": "steps", "eval_steps": 10}, "BL613"),
    _run("two 16-bit dtypes", TRAINER, {"model": SMALL, "per_device_train_batch_size": 2, "fp16": True, "bf16": True}, "BL205"),
    _run("a warm-up that a constant schedule has not", TRAINER, {**BASE, "lr_scheduler_type": "constant", "warmup_steps": 100}, "BL303"),
    _run("steps over epochs", TRAINER, {**BASE, "max_steps": 100, "num_train_epochs": 3.0}, "BL604"),
    _run("saving and evaluating at other moments", TRAINER, {
        **BASE, "load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 10, "save_strategy": "epoch",
    }, "BL602"),
    _run("a renamed key", TRAINER, {**BASE, "evaluation_strategy": "epoch"}, "BL601"),
    _run("an optimizer that is gone", TRAINER, {**BASE, "optim": "adamw_hf"}, "BL302"),
    _run("a warm-up share as steps", TRAINER, {**BASE, "warmup_steps": 50, "warmup_ratio": 0.1}, "BL320"),
    _run("a rate that destroys", TRAINER, {**BASE, "learning_rate": 0.5}, "BL335"),
    _run("LoRA", LORA, {**BASE, "model": LARGE, "rank": 16, "alpha": 32, "dropout": 0.05, "target": "v_proj"}, fixed=_LORA),
    _run("a target that is not there", LORA, {**BASE, "rank": 8, "alpha": 8, "dropout": 0.1, "target": "W_pack"}, "BL401", fixed=_LORA),
    _run("a dropout in percent", LORA, {**BASE, "rank": 8, "alpha": 16, "dropout": 5.0, "target": "v_proj"}, "BL436", fixed=_LORA),
    _run("an alpha of nothing", LORA, {**BASE, "rank": 8, "alpha": 0, "dropout": 0.0, "target": "v_proj"}, "BL437", fixed=_LORA),
    _run("QLoRA", QLORA, {**BASE, "model": LARGE, "four": True, "eight": False, "kind": "nf4", "twice": True, "rank": 8}, fixed=_QLORA),
    _run("4 and 8 bits", QLORA, {**BASE, "four": True, "eight": True, "kind": "nf4", "twice": False, "rank": 8}, "BL403", fixed=_QLORA),
    _run("SFT", SFT, {**BASE, "max_length": 2048, "packing": True}),
    _run("SFT with the old name of the length", SFT, {**BASE, "max_seq_length": 512}, "BL607"),
    _run("SFT with LoRA", SFT_LORA, {**BASE, "model": LARGE, "rank": 16, "max_length": 1024, "packing": False}, fixed=("model", "rank")),
    _run("DPO", DPO, {**BASE, "beta": 0.1, "max_length": 1024}),
    _run("DPO that does not fit", DPO, {**BASE, "model": LARGE, "max_length": 4096}, "BL101", verdict="does-not-fit"),
    _run("GRPO", GRPO, {**BASE, "num_generations": 8, "max_completion_length": 256, "per_device_train_batch_size": 8}),
    _run("GRPO whose groups do not divide", GRPO, {**BASE, "num_generations": 3, "max_completion_length": 256}, "BL614"),
    Run("a loop with L2 decay", LOOP % "Adam", {"model": SMALL, "lr": 1e-4, "decay": 0.01, "batch": 4}, ("BL301",)),
    Run("a loop", LOOP % "AdamW", {"model": SMALL, "lr": 1e-5, "decay": 0.01, "batch": 4}),
    _run("DeepSpeed by a file that says otherwise", TRAINER, {**BASE, "deepspeed": "ds.json"}, "BL206", "BL501",
        launcher="deepspeed --num_gpus 4", budget=_FOUR, files={"ds.json": _ENGINE}),
    _run("FSDP", TRAINER, {**BASE, "model": LARGE, "fsdp": "full_shard auto_wrap"}, launcher="torchrun --nproc_per_node 4", budget=_FOUR),
    _run("FSDP without a policy", TRAINER, {**BASE, "fsdp": "full_shard"}, "BL505", launcher="torchrun --nproc_per_node 4", budget=_FOUR),
    _run("a limit in two units", TRAINER, {**BASE}, "BL105", budget="device 80GB; reserve 2GiB; stack transformers@4.57; seq 1024"),
)  # fmt: skip
