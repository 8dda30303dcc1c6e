"""The little of unsloth that training scripts touch."""

from __future__ import annotations

from typing import Any

import transformers
from peft import PeftModel
from recorder import sink


class FastLanguageModel:
    __stand_in__ = True

    @staticmethod
    @sink("unsloth.FastLanguageModel.from_pretrained")
    def from_pretrained(
        model_name: str = "unsloth/Llama-3.2-1B-Instruct",
        max_seq_length: int | None = 2048,
        dtype: Any = None,
        load_in_4bit: bool = True,
        load_in_8bit: bool = False,
        load_in_16bit: bool = False,
        full_finetuning: bool = False,
        token: Any = None,
        device_map: Any = "sequential",
        rope_scaling: Any = None,
        **kwargs: Any,
    ) -> Any:
        return transformers.PreTrainedModel(), transformers.AutoTokenizer()

    @staticmethod
    @sink("unsloth.FastLanguageModel.get_peft_model")
    def get_peft_model(
        model: Any,
        r: int = 16,
        target_modules: Any = None,
        lora_alpha: int = 16,
        lora_dropout: float = 0,
        bias: str = "none",
        layers_to_transform: Any = None,
        layers_pattern: Any = None,
        use_gradient_checkpointing: Any = "unsloth",
        random_state: int = 3407,
        max_seq_length: int = 2048,
        use_rslora: bool = False,
        modules_to_save: Any = None,
        **kwargs: Any,
    ) -> Any:
        return PeftModel(model)

    @staticmethod
    def for_inference(model: Any) -> Any:
        return model


FastModel = FastVisionModel = FastLanguageModel


def is_bfloat16_supported() -> bool:
    import torch

    return torch.cuda.is_bf16_supported()
