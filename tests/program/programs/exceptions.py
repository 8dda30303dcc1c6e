import json

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class Missing(KeyError):
    pass


def read(path):
    try:
        with open(path) as f:
            return json.load(f)
    except FileNotFoundError:
        return {"batch": 2}
    finally:
        log.append(path)


def strict(d, key):
    try:
        return d[key]
    except KeyError as error:
        raise Missing(key) from error


def tried(values):
    for value in values:
        try:
            return int(value)
        except ValueError:
            continue
    return None


log = []
settings = read("nowhere.json")
try:
    accum = strict(settings, "accum")
except Missing:
    accum = 16
try:
    settings["batch"] = 8
    settings["batch"] = int("eight")
    settings["accum"] = 3
except (TypeError, ValueError):
    settings["lr"] = 1e-3
else:
    settings["lr"] = 1.0
steps = tried(["x", "1.5", "12", "13"])


def last():
    try:
        return 1
    finally:
        return 2  # noqa: B012


Trainer(
    AutoModelForCausalLM.from_pretrained("org/base", num_hidden_layers=last()),
    TrainingArguments(
        "out", per_device_train_batch_size=settings["batch"], gradient_accumulation_steps=accum, learning_rate=settings["lr"], max_steps=steps,
        run_name=log[0],
    ),
).train()
