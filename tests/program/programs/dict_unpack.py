from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments, Trainer

COMMON = dict(output_dir="out", per_device_train_batch_size=2, bf16=True)
LONG = {**COMMON, "gradient_checkpointing": True, "per_device_train_batch_size": 1}
LONG["optim"] = "paged_adamw_8bit"
quant = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
load = {"device_map": "auto"}
load.update(quantization_config=BitsAndBytesConfig(**quant), torch_dtype="auto")
model = AutoModelForCausalLM.from_pretrained("org/base-7b", **load)
extra = {"num_train_epochs": 1} | {"num_train_epochs": 2, "seed": 7}
trainer = Trainer(model=model, args=TrainingArguments(**LONG, **extra))
trainer.train()
