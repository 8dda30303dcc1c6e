import configparser
import csv
import io

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

INI = """
[train]
batch = 4
bf16 = yes
[model]
name = org/base-%(size)s
size = 1b
"""
parser = configparser.ConfigParser()
parser.read_string(INI)
rows = list(csv.DictReader(io.StringIO("batch,accum\n2,8\n4,4\n")))
chosen = [row for row in rows if int(row["batch"]) > 2][0]
Trainer(
    AutoModelForCausalLM.from_pretrained(parser["model"]["name"]),
    TrainingArguments(
        "out",
        per_device_train_batch_size=parser.getint("train", "batch"),
        gradient_accumulation_steps=int(chosen["accum"]),
        bf16=parser.getboolean("train", "bf16"),
    ),
).train()
