import tyro
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def main(model_name: str, batch_size: int = 1, lr: float = 3e-4, /, use_bf16: bool = False) -> None:
    Trainer(
        AutoModelForCausalLM.from_pretrained(model_name),
        TrainingArguments("out", per_device_train_batch_size=batch_size, learning_rate=lr, bf16=use_bf16),
    ).train()


if __name__ == "__main__":
    tyro.cli(main)
