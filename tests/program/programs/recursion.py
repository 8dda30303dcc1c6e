from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def flatten(d, prefix=""):
    out = {}
    for key, value in d.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(value, dict):
            out.update(flatten(value, name))
        else:
            out[name] = value
    return out


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def deep(n):
    return n if n == 0 else deep(n - 1)


flat = flatten({"model": {"name": "org/base", "lora": {"r": 4}}, "batch": 2})
Trainer(
    AutoModelForCausalLM.from_pretrained(flat["model.name"], num_hidden_layers=flat["model.lora.r"], heads=deep(60)),
    TrainingArguments("out", per_device_train_batch_size=flat["batch"], gradient_accumulation_steps=factorial(4), run_name=",".join(sorted(flat))),
).train()
