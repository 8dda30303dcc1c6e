"""Programs whose config is asked key by key by the class that trains: torchtune's recipes."""

from __future__ import annotations

from .sources import Contract, Source, Walked

RECIPES = {
    "full_finetune_single_device": "FullFinetuneRecipeSingleDevice",
    "full_finetune_distributed": "FullFinetuneRecipeDistributed",
    "lora_finetune_single_device": "LoRAFinetuneRecipeSingleDevice",
    "lora_finetune_distributed": "LoRAFinetuneRecipeDistributed",
    "full_dpo_distributed": "FullDPORecipeDistributed",
    "lora_dpo_single_device": "LoRADPORecipeSingleDevice",
    "lora_dpo_distributed": "LoRADPORecipeDistributed",
    "knowledge_distillation_single_device": "KDRecipeSingleDevice",
    "knowledge_distillation_distributed": "KDRecipeDistributed",
    "qat_distributed": "QATRecipeDistributed",
    "qat_lora_finetune_distributed": "QATLoRAFinetuneRecipeDistributed",
    "ppo_full_finetune_single_device": "PPOFullFinetuneRecipeSingleDevice",
}
"""By the name that ``tune run`` is given."""
_BASE = {
    "device": "cuda",
    "dtype": "bf16",
    "output_dir": "out",
    "seed": 1,
    "epochs": 1,
    "max_steps_per_epoch": None,
    "resume_from_checkpoint": False,
    "gradient_accumulation_steps": 1,
    "optimizer_in_bwd": False,
    "checkpointer": {"model_type": "LLAMA3"},
    "optimizer": {"fused": False},
}


def _recipe(name: str) -> Contract:
    dotted = f"recipes.{name}.{RECIPES[name]}"
    objects: dict[str, tuple[str, ...]] = {"self": (dotted,), "cfg": ()}
    return Contract(
        name, objects, (Walked("__init__", {"cfg": "cfg"}),), "torchtune", dotted, _BASE, as_given=("cfg",), asked="cfg", lenient=True
    )


TORCHTUNE = Source("torchtune", tuple(_recipe(name) for name in RECIPES))
