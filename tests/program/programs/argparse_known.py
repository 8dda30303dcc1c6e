import argparse

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--model_name_or_path", type=str, required=True)
parser.add_argument("--per_device_train_batch_size", type=int, default=2)
parser.add_argument("--output_dir", default="out")
parser.add_argument("--bf16", type=bool, default=False)
known, rest = parser.parse_known_args()
settings = vars(known).copy()
name = settings.pop("model_name_or_path")
for at in range(0, len(rest) - 1, 2):
    key, value = rest[at].lstrip("-"), rest[at + 1]
    settings[key] = float(value) if "." in value else int(value)
model = AutoModelForCausalLM.from_pretrained(name)
Trainer(model=model, args=TrainingArguments(**settings)).train()
