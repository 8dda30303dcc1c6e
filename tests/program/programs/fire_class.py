import fire
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Runner:
    def __init__(self, model="org/base-1b", dtype="bfloat16"):
        self.model, self.dtype = model, dtype

    def train(self, batch=2, lr=1e-4):
        model = AutoModelForCausalLM.from_pretrained(self.model, torch_dtype=self.dtype)
        Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=batch, learning_rate=lr)).train()

    def full(self):
        self.train(batch=16)


if __name__ == "__main__":
    fire.Fire(Runner)
