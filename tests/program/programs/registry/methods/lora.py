from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer

from methods import register


@register("lora", rank=16)
def lora(args, rank=8):
    args.learning_rate = 1e-4
    Trainer(get_peft_model(AutoModelForCausalLM.from_pretrained("org/base-1b"), LoraConfig(r=rank)), args).train()
