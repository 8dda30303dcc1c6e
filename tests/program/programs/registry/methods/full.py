from transformers import AutoModelForCausalLM, Trainer

from . import register


@register("full", model="org/base-1b")
@register("full-big", model="org/base-70b")
def full(args, model):
    Trainer(AutoModelForCausalLM.from_pretrained(model), args).train()
