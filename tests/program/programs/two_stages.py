import argparse

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--stage", type=int, default=1)
parser.add_argument("--adapter")
args = parser.parse_args()


def stage_one():
    model = AutoModelForCausalLM.from_pretrained("org/base", torch_dtype=torch.float32)
    return get_peft_model(model, LoraConfig(r=8))


def stage_two():
    model = AutoModelForCausalLM.from_pretrained("org/base", torch_dtype=torch.bfloat16)
    model = PeftModel.from_pretrained(model, args.adapter or "out/one")
    return model.merge_and_unload()


stages = [stage_one, stage_two]
model = stages[args.stage - 1]()
batch = {1: 8}.get(args.stage, 2)
Trainer(model, TrainingArguments(f"out/{['one', 'two'][args.stage - 1]}", per_device_train_batch_size=batch)).train()
