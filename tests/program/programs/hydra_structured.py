from dataclasses import dataclass, field

import hydra
from hydra.core.config_store import ConfigStore
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


@dataclass
class Train:
    batch: int = 4
    lr: float = 1e-4
    name: str = "org/base-${size}"


@dataclass
class Config:
    size: str = "1b"
    train: Train = field(default_factory=Train)


ConfigStore.instance().store(name="config", node=Config)


@hydra.main(version_base="1.3", config_path=None, config_name="config")
def run(cfg):
    args = TrainingArguments("out", per_device_train_batch_size=cfg.train.batch, learning_rate=cfg["train"]["lr"])
    Trainer(AutoModelForCausalLM.from_pretrained(cfg.train.name), args).train()


if __name__ == "__main__":
    run()
