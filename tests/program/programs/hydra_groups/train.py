import hydra
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from transformers import AutoModelForCausalLM, Trainer


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    model = AutoModelForCausalLM.from_pretrained(cfg.model.name, **OmegaConf.to_container(cfg.model.load, resolve=True))
    args = instantiate(cfg.trainer, output_dir="out")
    if cfg.get("lora"):
        from peft import LoraConfig, get_peft_model

        model = get_peft_model(model, LoraConfig(r=cfg.lora.r, target_modules=cfg.lora.targets))
    Trainer(model=model, args=args).train()


if __name__ == "__main__":
    main()
