from dataclasses import dataclass, field

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def add(name, to=[]):  # noqa: B006
    to.append(name)
    return to


class Shared:
    names = []
    batch = 4

    def __init__(self, name):
        self.names.append(name)
        if len(self.names) > 1:
            self.batch += len(self.names)


@dataclass
class Own:
    names: list = field(default_factory=list)


add("a")
targets = add("b")
one, two = Shared("x"), Shared("y")
Shared.batch = 50
mine, yours = Own(), Own()
mine.names.append("m")
Trainer(
    AutoModelForCausalLM.from_pretrained("/".join(targets), num_hidden_layers=len(one.names), names=yours.names),
    TrainingArguments("out", per_device_train_batch_size=two.batch, gradient_accumulation_steps=one.batch),
).train()
