from acme import decorators
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


@decorators.entry(batch_size=6)
def main(config=None):
    config = config or {"model": "org/base", "batch_size": 8}
    args = TrainingArguments("out", per_device_train_batch_size=config["batch_size"])
    Trainer(AutoModelForCausalLM.from_pretrained(config["model"]), args).train()


main()
