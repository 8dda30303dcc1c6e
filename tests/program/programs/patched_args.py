import argparse

from acme.patches import patch_environment, tune
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

settings = {"model_name": "org/base", "batch_size": 8, "accum": 2}
alias = settings
tune(settings)
parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=16)
flags = parser.parse_args()
tune(flags)
args = TrainingArguments("out", per_device_train_batch_size=alias["batch_size"], gradient_accumulation_steps=flags.batch_size)
tune(args)
patch_environment()
import os  # noqa: E402

model = AutoModelForCausalLM.from_pretrained(settings["model_name"], num_hidden_layers=int(os.environ.get("BATCH_SIZE", "12")))
Trainer(model=model, args=args).train()
