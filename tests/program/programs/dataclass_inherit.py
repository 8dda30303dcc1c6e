from dataclasses import asdict, dataclass, field, replace

from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


@dataclass
class Base:
    model: str = "org/base-1b"
    batch: int = 4
    targets: list = field(default_factory=lambda: ["q_proj", "v_proj"])
    rank: int = field(default=8, metadata={"help": "of the adapter"})
    alpha: int = field(init=False)

    def __post_init__(self):
        self.alpha = 2 * self.rank


@dataclass
class Lora(Base):
    batch: int = 2
    dropout: float = 0.05

    def __post_init__(self):
        super().__post_init__()
        self.targets.append("o_proj")


first = Lora(rank=16)
second = replace(first, model="org/base-3b", rank=32)
settings = asdict(second)
model = AutoModelForCausalLM.from_pretrained(settings["model"])
model = get_peft_model(model, LoraConfig(r=second.rank, lora_alpha=second.alpha, target_modules=first.targets, lora_dropout=second.dropout))
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=settings["batch"])).train()
