import copy

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

base = {"batch": 4, "lora": {"r": 8}, "names": ["a"]}
same = base
shallow = base.copy()
deep = copy.deepcopy(base)
same["batch"] = 1
shallow["batch"] = 2
shallow["lora"]["r"] = 16
deep["lora"]["r"] = 64
base["names"] += ["b"]
shallow["names"].extend(("c", "d"))
first = second = [0]
second.append(1)
first = first + [2]
rows = [[0] * 2] * 2
rows[0][1] = 7


def change(d, l):
    d["batch"] += 10
    l = l + ["lost"]
    d = {"batch": 99}
    return len(l)


size = change(base, base["names"])
Trainer(
    AutoModelForCausalLM.from_pretrained("org/" + "".join(base["names"]), num_hidden_layers=size, rows=rows[1]),
    TrainingArguments(
        "out",
        per_device_train_batch_size=same["batch"],
        per_device_eval_batch_size=shallow["batch"],
        gradient_accumulation_steps=base["lora"]["r"],
        seed=deep["lora"]["r"],
        max_steps=len(second),
        eval_steps=len(first),
    ),
).train()
