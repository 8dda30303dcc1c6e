from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

batch_size = 8
gradient_accumulation_steps = 4
learning_rate = 6e-4
model = "org/base"
compile = True
config_keys = [k for k, v in globals().items() if not k.startswith("_") and isinstance(v, (int, float, bool, str))]
exec(open("configurator.py").read())
config = {k: globals()[k] for k in config_keys}
Trainer(
    AutoModelForCausalLM.from_pretrained(model),
    TrainingArguments(
        "out",
        per_device_train_batch_size=batch_size,
        gradient_accumulation_steps=gradient_accumulation_steps,
        learning_rate=config["learning_rate"],
        torch_compile=compile,
    ),
).train()
