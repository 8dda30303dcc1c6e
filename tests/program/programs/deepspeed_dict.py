import argparse

import deepspeed
import torch
from transformers import AutoModelForCausalLM

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
parser.add_argument("--micro", type=int, default=2)
parser.add_argument("--zero", type=int, default=2)
parser.add_argument("--offload", action="store_true")
args = parser.parse_args()


def ds_config(stage, offload=False):
    device = "cpu" if offload else "none"
    zero = {"stage": stage, "offload_optimizer": {"device": device}}
    if stage == 3:
        zero["offload_param"] = {"device": device}
    return {"train_micro_batch_size_per_gpu": args.micro, "bf16": {"enabled": True}, "zero_optimization": zero}


config = ds_config(stage=args.zero, offload=args.offload)
config["gradient_accumulation_steps"] = 4
with deepspeed.zero.Init(enabled=args.zero == 3):
    model = AutoModelForCausalLM.from_pretrained("org/base")
optimizer = torch.optim.AdamW(model.parameters(), 1e-5)
engine, optimizer, _, _ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)
loss = engine(input_ids=None).loss
engine.backward(loss)
engine.step()
