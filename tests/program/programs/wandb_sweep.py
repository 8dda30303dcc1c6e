import wandb
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

DEFAULTS = {"batch": 8, "lr": 1e-4, "model": "org/base"}
SWEEP = {"method": "grid", "parameters": {"batch": {"values": [4, 16]}, "lr": {"value": 3e-5}}}


def train():
    with wandb.init(project="p", config=DEFAULTS) as run:
        config = wandb.config
        args = TrainingArguments("out", per_device_train_batch_size=config.batch, learning_rate=run.config["lr"])
        Trainer(AutoModelForCausalLM.from_pretrained(config.model), args).train()


wandb.agent(wandb.sweep(SWEEP, project="p"), function=train, count=1)
