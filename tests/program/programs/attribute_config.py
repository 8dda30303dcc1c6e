from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Node:
    def __init__(self, **entries):
        for key, value in entries.items():
            self.__dict__[key] = Node(**value) if isinstance(value, dict) else value

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def merge(self, dotted, value):
        node, *path = self, *dotted.split(".")
        for part in path[:-1]:
            node = getattr(node, part)
        setattr(node, path[-1], value)


cfg = Node(model={"name": "org/base", "depth": 2}, train={"batch": 4})
cfg.merge("train.batch", 16)
cfg.merge("model.name", "org/merged")
Trainer(
    AutoModelForCausalLM.from_pretrained(cfg.model.name, num_hidden_layers=cfg.model.depth, missing=cfg.model.missing),
    TrainingArguments("out", per_device_train_batch_size=cfg.train.batch, seed=cfg.seed or 11, **vars(Node(bf16=True))),
).train()
