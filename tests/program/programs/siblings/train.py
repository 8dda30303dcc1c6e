import config
from config import MICRO, settings
from model import Net, build

from transformers import Trainer, TrainingArguments

config.EPOCHS = 5
settings["accum"] *= 2
Trainer(
    model=build("org/base"),
    args=TrainingArguments(
        "out", per_device_train_batch_size=MICRO, gradient_accumulation_steps=settings["accum"], num_train_epochs=config.epochs(), bf16=Net.half
    ),
).train()
