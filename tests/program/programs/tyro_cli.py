from dataclasses import dataclass, field
from typing import Literal, Optional, Tuple

import tyro
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


@dataclass
class Optim:
    lr: float = 1e-4
    name: Literal["adamw_torch", "adafactor"] = "adamw_torch"


@dataclass
class Config:
    model: str
    optim: Optim = field(default_factory=Optim)
    batch_size: int = 4
    checkpointing: bool = False
    bf16: bool = True
    warmup: Optional[int] = None
    layers: Tuple[int, ...] = (1, 2)


cfg = tyro.cli(Config)
args = TrainingArguments(
    "out",
    per_device_train_batch_size=cfg.batch_size,
    optim=cfg.optim.name,
    learning_rate=cfg.optim.lr,
    gradient_checkpointing=cfg.checkpointing,
    bf16=cfg.bf16,
    warmup_steps=cfg.warmup or 0,
)
Trainer(AutoModelForCausalLM.from_pretrained(cfg.model, num_hidden_layers=len(cfg.layers)), args).train()
