from collections import ChainMap, OrderedDict, defaultdict, namedtuple
from enum import Enum, IntEnum, auto
from types import MappingProxyType, SimpleNamespace

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Size(str, Enum):
    SMALL = "1b"
    BIG = "70b"

    @property
    def batch(self):
        return {"1b": 8, "70b": 1}[self.value]


class Stage(IntEnum):
    SFT = auto()
    DPO = auto()


Point = namedtuple("Point", "batch accum")
size = Size("70b")
point = Point(accum=4, batch=2)
space = SimpleNamespace(lr=1e-4, **{"seed": 5})
space.__dict__.update(lr=2e-4)
chain = ChainMap({"a": 1}, {"a": 2, "b": 3})
counts = defaultdict(lambda: 7)
counts["x"] += 1
frozen = MappingProxyType({"epochs": 2})
ordered = OrderedDict(b=1, a=2)
ordered.move_to_end("b")
Trainer(
    AutoModelForCausalLM.from_pretrained(f"org/base-{size.value}", revision=Size["SMALL"].value, num_hidden_layers=counts["x"]),
    TrainingArguments(
        "out",
        per_device_train_batch_size=size.batch * point.batch,
        gradient_accumulation_steps=point[1],
        learning_rate=space.lr,
        seed=space.seed,
        max_steps=chain["a"] + chain["b"],
        num_train_epochs=frozen["epochs"],
        save_steps=Stage.DPO + 1,
        eval_steps=counts["y"],
        run_name=next(iter(ordered)),
    ),
).train()
