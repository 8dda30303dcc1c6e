import tomllib

from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

with open("run.toml", "rb") as f:
    config = tomllib.load(f)

model_cfg, train_cfg = config["model"], config["train"]
length = min(stage["length"] for stage in config["stages"])
tokenizer = AutoTokenizer.from_pretrained(model_cfg["name"], model_max_length=length)
for stage in config["stages"]:
    batch = stage.get("batch", train_cfg["batch"])
    args = TrainingArguments(f"out-{stage['name']}", per_device_train_batch_size=batch, bf16=train_cfg["bf16"])
    Trainer(model=AutoModelForCausalLM.from_pretrained(model_cfg["name"]), args=args, tokenizer=tokenizer).train()
