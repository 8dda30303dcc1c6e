"""The little of peft that training scripts touch: 0.18."""

from __future__ import annotations

import enum
from typing import Any

from recorder import keep, sink, write
from torch.nn import Module

__version__ = "0.18.0"


class TaskType(enum.StrEnum):
    SEQ_CLS = "SEQ_CLS"
    SEQ_2_SEQ_LM = "SEQ_2_SEQ_LM"
    CAUSAL_LM = "CAUSAL_LM"
    TOKEN_CLS = "TOKEN_CLS"
    FEATURE_EXTRACTION = "FEATURE_EXTRACTION"


class PeftType(enum.StrEnum):
    LORA = "LORA"


class PeftConfig:
    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, **kwargs: Any) -> Any:
        config = LoraConfig()
        config.base_model_name_or_path = "org/base"
        return config


class LoraConfig(PeftConfig):
    __stand_in__ = True

    @sink("peft.LoraConfig")
    def __init__(
        self,
        task_type: Any = None,
        peft_type: Any = None,
        auto_mapping: Any = None,
        peft_version: Any = None,
        base_model_name_or_path: Any = None,
        revision: Any = None,
        inference_mode: bool = False,
        r: int = 8,
        target_modules: Any = None,
        exclude_modules: Any = None,
        lora_alpha: int = 8,
        lora_dropout: float = 0.0,
        fan_in_fan_out: bool = False,
        bias: str = "none",
        use_rslora: bool = False,
        modules_to_save: Any = None,
        init_lora_weights: Any = True,
        layers_to_transform: Any = None,
        layers_pattern: Any = None,
        rank_pattern: Any = None,
        alpha_pattern: Any = None,
        use_dora: bool = False,
        target_parameters: Any = None,
    ) -> None:
        self.r, self.lora_alpha, self.target_modules, self.task_type = r, lora_alpha, target_modules, task_type


def _other(name: str) -> type:
    def __init__(self: Any, **kwargs: Any) -> None:
        keep(self, write(f"peft.{name}", kwargs))

    return type(name, (PeftConfig,), {"__init__": __init__, "__module__": "peft"})


AdaLoraConfig, PromptTuningConfig, PrefixTuningConfig, IA3Config = map(
    _other, ("AdaLoraConfig", "PromptTuningConfig", "PrefixTuningConfig", "IA3Config")
)


class PeftModel(Module):
    __stand_in__ = True

    def __init__(self, model: Any, peft_config: Any = None) -> None:
        super().__init__()
        self.base_model = model
        self.config = getattr(model, "config", None)
        self.peft_config = {"default": peft_config}

    @classmethod
    @sink("{}.from_pretrained")
    def from_pretrained(cls, model: Any, model_id: Any, adapter_name: str = "default", is_trainable: bool = False, **kwargs: Any) -> Any:
        return PeftModel(model)

    def print_trainable_parameters(self) -> None:
        """Says nothing."""

    @sink("peft.PeftModel.merge_and_unload")
    def merge_and_unload(self, **kwargs: Any) -> Any:
        return self.base_model

    def __getattr__(self, name: str) -> Any:
        if name == "base_model" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.base_model, name)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.base_model(*args, **kwargs)


class PeftModelForCausalLM(PeftModel):
    __stand_in__ = True


class AutoPeftModelForCausalLM:
    """The base is loaded as the adapter's config says."""

    __stand_in__ = True

    @classmethod
    @sink("{}.from_pretrained")
    def from_pretrained(
        cls, pretrained_model_name_or_path: Any, adapter_name: str = "default", is_trainable: bool = False, **kwargs: Any
    ) -> Any:
        import transformers

        return PeftModelForCausalLM(transformers.PreTrainedModel())


@sink("peft.get_peft_model")
def get_peft_model(model: Any, peft_config: Any, adapter_name: str = "default", mixed: bool = False, **kwargs: Any) -> Any:
    for parameter in model.parameters():
        parameter.requires_grad = False
    return PeftModel(model, peft_config)


@sink("peft.prepare_model_for_kbit_training")
def prepare_model_for_kbit_training(model: Any, use_gradient_checkpointing: bool = True, gradient_checkpointing_kwargs: Any = None) -> Any:
    return model


def get_peft_model_state_dict(model: Any, **kwargs: Any) -> dict[str, Any]:
    return {}


def set_peft_model_state_dict(model: Any, state: Any, **kwargs: Any) -> None:
    """Nothing is read."""
