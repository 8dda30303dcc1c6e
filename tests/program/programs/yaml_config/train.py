import argparse
import os

import torch
import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def load(path):
    with open(path, "r", encoding="utf-8") as f:
        return yaml.safe_load(f)


def merged(base, over):
    out = dict(base)
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merged(out[key], value)
        else:
            out[key] = value
    return out


parser = argparse.ArgumentParser()
parser.add_argument("--config", default="configs/base.yaml")
parser.add_argument("--set", nargs="*", default=[])
args = parser.parse_args()
cfg = load(args.config)
while "_base_" in cfg:
    parent = cfg.pop("_base_")
    cfg = merged(load(os.path.join(os.path.dirname(args.config), parent)), cfg)
for item in args.set:
    dotted, text = item.split("=", 1)
    *path, last = dotted.split(".")
    where = cfg
    for part in path:
        where = where.setdefault(part, {})
    where[last] = yaml.safe_load(text)

model = AutoModelForCausalLM.from_pretrained(cfg["model"]["name"], torch_dtype=getattr(torch, cfg["model"].get("dtype", "float32")))
if cfg["model"].get("freeze"):
    for p in model.model.parameters():
        p.requires_grad = False
training = cfg["training"]
training["learning_rate"] = float(training["learning_rate"])
Trainer(model=model, args=TrainingArguments(output_dir=cfg.get("out", "out"), **training)).train()
