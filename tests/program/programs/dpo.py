import torch
from datasets import load_dataset
from peft import AutoPeftModelForCausalLM, LoraConfig, PeftModel, TaskType
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

base = "org/base"
model = AutoModelForCausalLM.from_pretrained(base, torch_dtype=torch.bfloat16)
model = PeftModel.from_pretrained(model, "org/sft-adapter", is_trainable=True)
reference = AutoPeftModelForCausalLM.from_pretrained("org/sft-adapter", torch_dtype=torch.bfloat16)
config = DPOConfig(output_dir="out", beta=0.1, max_length=1024, max_prompt_length=512, per_device_train_batch_size=1)
lora = LoraConfig(TaskType.CAUSAL_LM, r=16, target_modules="all-linear", bias="none")
DPOTrainer(
    model,
    ref_model=reference,
    args=config,
    train_dataset=load_dataset("org/pairs", split="train[:1%]"),
    processing_class=AutoTokenizer.from_pretrained(base),
    peft_config=lora,
).train()
