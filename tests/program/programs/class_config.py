import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Config:
    model = "org/base-1b"
    batch_size = 8
    accum = 2
    dtype = torch.float32

    def training(self):
        return TrainingArguments(output_dir=self.out(), per_device_train_batch_size=self.batch_size, gradient_accumulation_steps=self.accum)

    def out(self):
        return "runs/" + self.model.split("/")[-1]


class Big(Config):
    model = "org/base-70b"
    batch_size = 1
    dtype = torch.bfloat16

    def __init__(self, accum=None):
        if accum:
            self.accum = accum

    def out(self):
        return super().out() + "-big"


cfg = Big(accum=32)
Config.accum = 5
model = AutoModelForCausalLM.from_pretrained(cfg.model, torch_dtype=cfg.dtype)
Trainer(model=model, args=cfg.training()).train()
