import re

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer


def format_reward(completions, **kwargs):
    return [1.0 if re.match(r"<think>", c) else 0.0 for c in completions]


REWARDS = {"format": format_reward}
names = ["format"]
unused = AutoModelForCausalLM.from_pretrained("org/base", load_in_8bit=True)
args = GRPOConfig(
    output_dir="out", num_generations=4, max_completion_length=512, max_prompt_length=256, per_device_train_batch_size=4, use_vllm=True
)
trainer = GRPOTrainer(
    model="org/base",
    reward_funcs=[REWARDS[n] for n in names],
    args=args,
    train_dataset=load_dataset("org/math", split="train"),
    peft_config=LoraConfig(r=32) if len(names) < 2 else None,
)
trainer.train()
