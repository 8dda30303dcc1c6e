import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, default_data_collator


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mixed_precision", default=None, choices=["no", "fp16", "bf16"])
    parser.add_argument("--batch_size", type=int, default=16)
    args = parser.parse_args()
    train({"lr": 2e-5, "epochs": 1, "batch_size": args.batch_size, "max_batch": 8}, args)


def train(config, args):
    accum = 1
    batch_size = config["batch_size"]
    if batch_size > config["max_batch"]:
        accum = batch_size // config["max_batch"]
        batch_size = config["max_batch"]
    accelerator = Accelerator(mixed_precision=args.mixed_precision, gradient_accumulation_steps=accum)
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("org/encoder")

    def tokenize(rows):
        return tokenizer(rows["text"], truncation=True, padding="max_length", max_length=128)

    with accelerator.main_process_first():
        data = load_dataset("org/data")["train"].map(tokenize, batched=True)
    loader = DataLoader(data, collate_fn=default_data_collator, batch_size=batch_size, shuffle=True)
    model = AutoModelForSequenceClassification.from_pretrained("org/encoder")
    optimizer = torch.optim.AdamW(params=model.parameters(), lr=config["lr"])
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
