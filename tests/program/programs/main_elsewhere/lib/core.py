from __future__ import annotations

from dataclasses import dataclass, fields

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


@dataclass(frozen=True)
class Settings:
    model: str = "org/base"
    batch: int = 4
    lr: float = 1e-5

    @classmethod
    def of(cls, **given) -> Settings:
        known = {f.name for f in fields(cls)}
        return cls(**{k: v for k, v in given.items() if k in known})

    @property
    def training(self):
        return dict(per_device_train_batch_size=self.batch, learning_rate=self.lr * self.batch)


def fit(settings: Settings):
    Trainer(AutoModelForCausalLM.from_pretrained(settings.model), TrainingArguments("out", **settings.training)).train()
