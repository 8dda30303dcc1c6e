import argparse

import transformers
from peft import AdaLoraConfig, LoraConfig, get_peft_model
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer


def full(model, _):
    return model


def lora(model, rank):
    return get_peft_model(model, LoraConfig(r=rank, lora_alpha=rank * 2))


ADAPTERS = {"full": full, "lora": lora, "ada": lambda m, r: get_peft_model(m, AdaLoraConfig(init_r=r))}
STAGES = {"sft": (SFTTrainer, SFTConfig), "dpo": (DPOTrainer, DPOConfig)}
parser = argparse.ArgumentParser()
parser.add_argument("--adapter", choices=sorted(ADAPTERS), default="lora")
parser.add_argument("--stage", choices=STAGES.keys(), default="sft")
parser.add_argument("--arch", default="AutoModelForCausalLM")
args = parser.parse_args()
model = getattr(transformers, args.arch).from_pretrained("org/base")
model = ADAPTERS[args.adapter](model, 16)
trainer_class, config_class = STAGES[args.stage]
trainer_class(model=model, args=config_class(output_dir="out", max_length=512, per_device_train_batch_size=2)).train()
