import torch
from torch import nn
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class LoRALinear(nn.Module):
    def __init__(self, base, rank=8, alpha=16):
        super().__init__()
        self.base = base
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.up(self.down(x)) * self.scale


def convert(model, names=("q_proj", "v_proj"), rank=8):
    for param in model.parameters():
        param.requires_grad = False
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear) and name.split(".")[-1] in names:
            parent = model.get_submodule(name.rpartition(".")[0])
            setattr(parent, name.rpartition(".")[2], LoRALinear(module, rank))
    return model


model = convert(AutoModelForCausalLM.from_pretrained("org/base", torch_dtype=torch.bfloat16), rank=4)
trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
batch = 16 if trained < 1_000_000 else 2
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=batch)).train()
