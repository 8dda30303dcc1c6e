from acme.decorators import configured
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


@configured
def train(model="org/base", batch=8, accum=4, bf16=True):
    args = TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=accum, bf16=bf16)
    Trainer(AutoModelForCausalLM.from_pretrained(model), args).train()


if __name__ == "__main__":
    train()
