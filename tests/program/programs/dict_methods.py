from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

cfg = {"b": 2, "a": 1, "drop": None}
cfg.setdefault("b", 100)
cfg.setdefault("c", []).append("x")
cfg |= {"d": 4}
removed = cfg.pop("drop", "gone")
gone = cfg.pop("drop", "gone")
del cfg["a"]
a = cfg.get("a")
keys = list(cfg)
inverted = {v: k for k, v in cfg.items() if isinstance(v, int)}
made = dict.fromkeys(["x", "y"], 3)
paired = dict(zip("ab", (1, 2)), c=3)
nested = {"one": {"two": {"three": 3}}}
deep = nested["one"]["two"].get("three", 0)
last = cfg.popitem()
(first, *middle), end = [1, 2, 3], 9
ordered = sorted(paired.items(), key=lambda kv: -kv[1])
present = "b" in cfg and "a" not in cfg
lookup = [paired[k] for k in ("a", "c")]
numbers = list(range(10))
numbers[2:5] = [0]
del numbers[-1]
numbers.insert(0, 42)
numbers.reverse()
numbers.remove(0)
Trainer(
    AutoModelForCausalLM.from_pretrained("org/" + "-".join(keys), num_hidden_layers=deep + end, gone=[removed, gone], at=inverted[4], last=last[0]),
    TrainingArguments(
        "out",
        per_device_train_batch_size=cfg["b"] if present else 50,
        gradient_accumulation_steps=sum(made.values()) + len(middle) + (a or 1),
        seed=sum(lookup),
        max_steps=numbers.index(42),
        run_name=ordered[0][0],
        save_steps=len(numbers),
        data_seed=numbers[3],
    ),
).train()
