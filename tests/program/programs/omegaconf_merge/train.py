from omegaconf import OmegaConf
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

base = OmegaConf.load("base.yaml")
cli = OmegaConf.from_cli()
cfg = OmegaConf.merge(base, OmegaConf.load(cli.pop("config")) if "config" in cli else {}, cli)
OmegaConf.set_struct(cfg, True)
model = AutoModelForCausalLM.from_pretrained(cfg.model.name, torch_dtype=cfg.model.get("dtype", None))
kwargs = OmegaConf.to_container(cfg.training, resolve=True)
if OmegaConf.select(cfg, "lora.rank") is not None:
    from peft import LoraConfig, get_peft_model

    model = get_peft_model(model, LoraConfig(r=cfg.lora.rank, lora_alpha=cfg.lora.alpha, target_modules=list(cfg.lora.targets)))
Trainer(model=model, args=TrainingArguments(**kwargs)).train()
