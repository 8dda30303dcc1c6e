import argparse

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments


def positive(text):
    number = int(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return number


def parse():
    parser = argparse.ArgumentParser(description="fine-tune")
    parser.add_argument("model")
    parser.add_argument("--batch-size", "-b", type=positive, default=8)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--max_len", type=int, default="512")
    parser.add_argument("--epochs", default=3)
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="bfloat16")
    parser.add_argument("--targets", nargs="+", default=["q_proj"])
    return parser.parse_args()


args = parse()
tokenizer = AutoTokenizer.from_pretrained(args.model, model_max_length=args.max_len)
model = AutoModelForCausalLM.from_pretrained(args.model, torch_dtype=getattr(torch, args.dtype))
training = TrainingArguments(
    output_dir="out",
    per_device_train_batch_size=args.batch_size,
    learning_rate=args.lr,
    num_train_epochs=args.epochs,
    fp16=args.dtype == "float16",
    bf16=args.dtype == "bfloat16",
)
Trainer(model=model, args=training, tokenizer=tokenizer).train()
