import argparse
import json

import deepspeed
from transformers import AutoModelForCausalLM

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="org/base")
parser = deepspeed.add_config_arguments(parser)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(args.model)
with open(args.deepspeed_config or "ds.json") as f:
    ds = json.load(f)
ds["train_micro_batch_size_per_gpu"] = ds.get("train_batch_size", 8) // 4
if args.deepspeed_config:
    engine, *_ = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters())
else:
    engine, *_ = deepspeed.initialize(None, model, model_parameters=[p for p in model.parameters() if p.requires_grad], config=ds)
