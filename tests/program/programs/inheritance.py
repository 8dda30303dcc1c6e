from abc import ABC, abstractmethod

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Base(ABC):
    batch = 1

    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            setattr(self, key, value)

    @abstractmethod
    def model(self): ...

    def arguments(self):
        return {"per_device_train_batch_size": self.batch}

    def train(self):
        Trainer(self.model(), TrainingArguments("out", **self.arguments())).train()


class Half:
    def arguments(self):
        return {**super().arguments(), "bf16": True}


class Long:
    batch = 2

    def arguments(self):
        given = super().arguments()
        given["gradient_checkpointing"] = True
        given["per_device_train_batch_size"] *= 2
        return given


class Both(Half, Long, Base):
    def model(self):
        return AutoModelForCausalLM.from_pretrained(getattr(self, "name", "org/base"), num_hidden_layers=getattr(self, "depth", 3))


Both(name="org/other").train()
