import sys
from dataclasses import dataclass, field
from typing import List, Optional

from omegaconf import MISSING, OmegaConf
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


@dataclass
class ModelConfig:
    name: str = MISSING
    dtype: Optional[str] = None


@dataclass
class Config:
    model: ModelConfig = field(default_factory=ModelConfig)
    batch_size: int = 4
    lr: float = 1e-4
    bf16: bool = False
    names: List[str] = field(default_factory=lambda: ["labels"])


cfg = OmegaConf.merge(OmegaConf.structured(Config), OmegaConf.from_dotlist(sys.argv[1:]))
config: Config = OmegaConf.to_object(cfg)
Trainer(
    model=AutoModelForCausalLM.from_pretrained(config.model.name, torch_dtype=config.model.dtype),
    args=TrainingArguments(
        "out", per_device_train_batch_size=config.batch_size, learning_rate=config.lr, bf16=config.bf16, label_names=config.names
    ),
).train()
