from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

batch = 2
names = []


def counter(start):
    count = start

    def bump(by=1):
        nonlocal count
        count += by
        return count

    return bump, lambda: count


def grow():
    global batch
    batch = batch * 4
    names.append("org/base")


def shadow():
    batch = 100
    return batch


bump, value = counter(10)
other, other_value = counter(1)
bump()
bump(by=5)
other(2)
shadow()
grow()
Trainer(
    AutoModelForCausalLM.from_pretrained(names[-1], num_hidden_layers=other_value()),
    TrainingArguments("out", per_device_train_batch_size=batch, gradient_accumulation_steps=value()),
).train()
