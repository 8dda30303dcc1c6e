import argparse
import os

import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--global-batch", type=int, default=64)
parser.add_argument("--micro", type=int, default=4)
parser.add_argument("--local_rank", "--local-rank", type=int, default=os.environ.get("LOCAL_RANK", -1))
args = parser.parse_args()
world = int(os.environ["WORLD_SIZE"]) if "WORLD_SIZE" in os.environ else 1
gpus = torch.cuda.device_count() if args.local_rank == -1 else world
accum = args.global_batch // (args.micro * max(world, 1))
if world > 1:
    torch.distributed.init_process_group(backend="nccl")
main_process = int(os.environ.get("RANK", 0)) == 0
if main_process:
    name = "org/base"
else:
    name = "org/other"
Trainer(
    AutoModelForCausalLM.from_pretrained(name),
    TrainingArguments("out", per_device_train_batch_size=args.micro, gradient_accumulation_steps=accum, ddp_find_unused_parameters=False if world > 1 else None),
).train()
