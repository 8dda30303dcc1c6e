import argparse
import os

from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--bits", type=int, default=16)
parser.add_argument("--full", action="store_true")
parser.add_argument("--batch", type=int, default=4)
args = parser.parse_args()

if args.full and args.bits < 16:
    raise ValueError("a quantised model cannot be trained in full")
if args.bits not in (4, 8, 16):
    parser.error("--bits is 4, 8 or 16")
assert args.batch >= 1, "a batch has a row"
if args.batch > 64:
    os._exit(3)
if args.batch == 64:
    raise SystemExit("too large")
quant = None if args.bits == 16 else BitsAndBytesConfig(load_in_4bit=args.bits == 4, load_in_8bit=args.bits == 8)
model = AutoModelForCausalLM.from_pretrained("org/base", quantization_config=quant)
Trainer(model, TrainingArguments("out", per_device_train_batch_size=args.batch)).train()
