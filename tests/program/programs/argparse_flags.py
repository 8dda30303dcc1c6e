from argparse import ArgumentParser, BooleanOptionalAction

from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

p = ArgumentParser()
p.add_argument("--model", default="org/base-1b")
p.add_argument("--lora", action="store_true")
p.add_argument("--no-ckpt", dest="ckpt", action="store_false")
p.add_argument("--bf16", action=BooleanOptionalAction, default=True)
p.add_argument("--four-bit", action="store_const", const=4, default=16, dest="bits")
p.add_argument("-v", action="count", default=0)
p.add_argument("--target", action="append", default=None)
p.add_argument("--rank", nargs="?", const=64, default=8, type=int)
args = p.parse_args()

quant = BitsAndBytesConfig(load_in_4bit=True) if args.bits == 4 else None
model = AutoModelForCausalLM.from_pretrained(args.model, quantization_config=quant)
if args.lora:
    model = get_peft_model(model, LoraConfig(r=args.rank, target_modules=args.target or "all-linear"))
Trainer(
    model=model,
    args=TrainingArguments("out", bf16=args.bf16, gradient_checkpointing=args.ckpt, per_device_train_batch_size=2 ** args.v),
).train()
