from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

BATCH = 8


def halved(value, /, times=1):
    for _ in range(times):
        value //= 2
    return value


def build_args(out, *, batch=BATCH, accum=None, **more):
    """The batch of a step stays what it was."""
    if accum is None:
        accum = 64 // batch
    return TrainingArguments(out, per_device_train_batch_size=batch, gradient_accumulation_steps=accum, **more)


def main(*names, size="1b"):
    model = AutoModelForCausalLM.from_pretrained("-".join([*names, size]))

    def inner(batch):
        return build_args("out", batch=batch, bf16=True)

    Trainer(model, inner(halved(BATCH, times=2))).train()


if __name__ == "__main__":
    BATCH = 16
    main("org/base", "v2", size="3b")
