"""The little of trl that training scripts touch: 0.25.1."""

from __future__ import annotations

from typing import Any

import transformers
from recorder import sink
from transformers.trainer import Trainer

from trl.configs import DPOConfig, GRPOConfig, KTOConfig, ModelConfig, ORPOConfig, RewardConfig, ScriptArguments, SFTConfig
from trl.parser import TrlParser

__version__ = "0.25.1"


class SFTTrainer(Trainer):
    __stand_in__ = True
    _name = "trl.SFTTrainer"

    def __init__(
        self,
        model: Any = None,
        args: Any = None,
        data_collator: Any = None,
        train_dataset: Any = None,
        eval_dataset: Any = None,
        processing_class: Any = None,
        compute_loss_func: Any = None,
        compute_metrics: Any = None,
        callbacks: Any = None,
        optimizers: Any = (None, None),
        optimizer_cls_and_kwargs: Any = None,
        preprocess_logits_for_metrics: Any = None,
        peft_config: Any = None,
        formatting_func: Any = None,
        # of trl before 0.13 and of Unsloth
        tokenizer: Any = None,
        max_seq_length: Any = None,
        dataset_text_field: Any = None,
        packing: Any = None,
        dataset_num_proc: Any = None,
    ) -> None:
        self.begin(SFTTrainer.__init__, **{key: value for key, value in locals().items() if key not in ("self", "__class__")})


class DPOTrainer(Trainer):
    __stand_in__ = True
    _name = "trl.DPOTrainer"

    def __init__(
        self,
        model: Any = None,
        ref_model: Any = None,
        args: Any = None,
        data_collator: Any = None,
        train_dataset: Any = None,
        eval_dataset: Any = None,
        processing_class: Any = None,
        compute_metrics: Any = None,
        callbacks: Any = None,
        optimizers: Any = (None, None),
        peft_config: Any = None,
    ) -> None:
        self.begin(DPOTrainer.__init__, **{key: value for key, value in locals().items() if key not in ("self", "__class__")})


class KTOTrainer(DPOTrainer):
    __stand_in__ = True
    _name = "trl.KTOTrainer"


class GRPOTrainer(Trainer):
    __stand_in__ = True
    _name = "trl.GRPOTrainer"

    def __init__(
        self,
        model: Any = None,
        reward_funcs: Any = None,
        args: Any = None,
        train_dataset: Any = None,
        eval_dataset: Any = None,
        processing_class: Any = None,
        reward_processing_classes: Any = None,
        callbacks: Any = None,
        optimizers: Any = (None, None),
        peft_config: Any = None,
    ) -> None:
        self.begin(GRPOTrainer.__init__, **{key: value for key, value in locals().items() if key not in ("self", "__class__")})


class RewardTrainer(SFTTrainer):
    __stand_in__ = True
    _name = "trl.RewardTrainer"


class ORPOTrainer(SFTTrainer):
    __stand_in__ = True
    _name = "trl.ORPOTrainer"


class AutoModelForCausalLMWithValueHead(transformers.PreTrainedModel):
    __stand_in__ = True


def get_peft_config(model_args: Any) -> Any:
    """trl/trainer/utils.py."""
    if model_args.use_peft is False:
        return None
    from peft import LoraConfig

    return LoraConfig(
        task_type=model_args.lora_task_type,
        r=model_args.lora_r,
        target_modules=model_args.lora_target_modules,
        lora_alpha=model_args.lora_alpha,
        lora_dropout=model_args.lora_dropout,
        bias="none",
        use_rslora=model_args.use_rslora,
        use_dora=model_args.use_dora,
        modules_to_save=model_args.lora_modules_to_save,
    )


def get_quantization_config(model_args: Any) -> Any:
    """trl/trainer/utils.py."""
    if model_args.load_in_4bit:
        return transformers.BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_compute_dtype=model_args.dtype,
            bnb_4bit_quant_type=model_args.bnb_4bit_quant_type,
            bnb_4bit_use_double_quant=model_args.use_bnb_nested_quant,
            bnb_4bit_quant_storage=model_args.dtype,
        )
    return transformers.BitsAndBytesConfig(load_in_8bit=True) if model_args.load_in_8bit else None


def get_kbit_device_map() -> Any:
    return {"": 0}


@sink("trl.setup_chat_format")
def setup_chat_format(model: Any, tokenizer: Any, format: str = "chatml", resize_to_multiple_of: Any = None) -> Any:
    return model, tokenizer


__all__ = [
    "DPOConfig",
    "GRPOConfig",
    "KTOConfig",
    "ModelConfig",
    "ORPOConfig",
    "RewardConfig",
    "SFTConfig",
    "ScriptArguments",
    "TrlParser",
]
