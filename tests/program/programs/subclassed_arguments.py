from dataclasses import dataclass, field
from typing import Optional

import transformers
from transformers import AutoModelForCausalLM, Trainer
from trl import SFTConfig


@dataclass
class Arguments(transformers.TrainingArguments):
    output_dir: Optional[str] = field(default="out")
    per_device_train_batch_size: int = 2
    optim: str = "adamw_bnb_8bit"
    bf16: bool = True
    length: int = 512

    def __post_init__(self):
        if self.length > 256:
            self.gradient_checkpointing = True
        super().__post_init__()


class Ours(SFTConfig):
    def __init__(self, *args, batch=3, **kwargs):
        kwargs.setdefault("bf16", True)
        super().__init__(*args, per_device_train_batch_size=batch, **kwargs)


class OurTrainer(Trainer):
    def __init__(self, *args, scale=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.scale = scale


args = Arguments(length=1024, gradient_accumulation_steps=4)
OurTrainer(model=AutoModelForCausalLM.from_pretrained("org/base"), args=args, scale=0.5).train()
other = Ours("out", max_length=128)
OurTrainer(AutoModelForCausalLM.from_pretrained("org/other"), other).train()
