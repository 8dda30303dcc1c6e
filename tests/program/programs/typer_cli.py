from enum import Enum
from typing import List, Optional

import typer
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from typing_extensions import Annotated

app = typer.Typer()


class Precision(str, Enum):
    bf16 = "bf16"
    fp16 = "fp16"


@app.command()
def train(
    model: str,
    batch_size: int = typer.Option(4, "--batch", "-b"),
    lr: float = 1e-4,
    checkpointing: bool = True,
    precision: Precision = Precision.bf16,
    names: Annotated[Optional[List[str]], typer.Option(help="more")] = None,
):
    """Train a model."""
    args = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=batch_size,
        learning_rate=lr,
        gradient_checkpointing=checkpointing,
        bf16=precision is Precision.bf16,
        fp16=precision.value == "fp16",
        label_names=names,
    )
    Trainer(model=AutoModelForCausalLM.from_pretrained(model), args=args).train()


if __name__ == "__main__":
    app()
