import argparse

from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=float, default=1.5)
parser.add_argument("--family", default="Base")
args = parser.parse_args()
name = f"org/{args.family.lower()}-{args.size:g}b"
padded = "{}-{:03d}".format(name, 7)
old = "%s@%d" % (name, 2)
run = "_".join(part.strip() for part in " a , b ".split(","))
letters = name.replace("org/", "", 1)[::-1].upper().title()
tokenizer = AutoTokenizer.from_pretrained(padded, revision=old.partition("@")[2])
model = AutoModelForCausalLM.from_pretrained(name, revision=f"{args.size!r}{'-x' if args.size > 1 else ''}", variant=letters)
training = TrainingArguments(output_dir=run, per_device_train_batch_size=len(name), run_name=f"{tokenizer.eos_token=}"[:9] * 2)
Trainer(model=model, args=training).train()
