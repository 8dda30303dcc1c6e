import argparse
import ast
import json

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--training", type=json.loads, default="{}")
parser.add_argument("--targets", type=lambda s: [one for one in s.split(",") if one], default=[])
parser.add_argument("--flag", type=lambda s: s.lower() == "true", default=False)
parser.add_argument("--literal", type=ast.literal_eval, default=None)
parser.add_argument("--batch", type=eval, default="2*2")
args = parser.parse_args()
training = {"output_dir": "out", "per_device_train_batch_size": args.batch, **args.training}
if args.literal:
    training.update(args.literal)
model = AutoModelForCausalLM.from_pretrained("org/base", targets=args.targets, num_hidden_layers=len(args.targets))
Trainer(model, TrainingArguments(bf16=args.flag, **training)).train()
