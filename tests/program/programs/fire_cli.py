import fire
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def train(
    base_model: str = "",
    batch_size: int = 128,
    micro_batch_size: int = 4,
    cutoff_len: int = 256,
    lora_target_modules=("q_proj", "v_proj"),
    bf16=True,
    **kwargs,
):
    assert base_model, "Please specify a --base_model"
    model = AutoModelForCausalLM.from_pretrained(base_model)
    model = get_peft_model(model, LoraConfig(r=8, target_modules=list(lora_target_modules), **kwargs))
    args = TrainingArguments(
        per_device_train_batch_size=micro_batch_size, gradient_accumulation_steps=batch_size // micro_batch_size, bf16=bf16, output_dir="o"
    )
    Trainer(model=model, args=args).train()


if __name__ == "__main__":
    fire.Fire(train)
