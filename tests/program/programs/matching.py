import sys

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def plan(name):
    match name.split("-"):
        case [family, size] if size.endswith("b") and (n := int(size[:-1])) > 10:
            return {"family": family, "batch": 1, "n": n}
        case ["tiny" | "small" as family]:
            return {"family": family, "batch": 32}
        case [family, *_]:
            return {"family": family, "batch": 4}


match sys.argv[1:]:
    case []:
        name = "base-70b"
    case [name]:
        pass
    case [name, "--lr", rate]:
        name = name + "-" + rate
    case _:
        raise SystemExit("one name")

chosen = plan(name)
match chosen:
    case {"n": int(n), "batch": batch, **rest}:
        accum = n // 10
    case {"batch": batch}:
        accum = 1
if (length := len(name)) > 8 or (length := 3) and batch > 8:
    accum += length
Trainer(
    AutoModelForCausalLM.from_pretrained("org/" + chosen["family"]),
    TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=accum),
).train()
