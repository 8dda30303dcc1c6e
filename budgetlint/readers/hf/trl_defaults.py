"""What TRL fills in on top of transformers, by version and trainer.

Source: TRL wheels 0.9.6 to 1.16.0: ``trainer/base_config.py``, ``sft_config.py``, ``dpo_config.py``, ``grpo_config.py``,
``model_config.py``, ``sft_trainer.py``. Bounds: bf16 on by default 0.19.0, gradient checkpointing on 0.22.0, QLoRA adapters in
bf16 0.26.0, dtype float32 0.27.0, non-reentrant under transformers 4 0.28.0, chunked SFT loss 1.7.0 (1.6.0 only
announces it), adapters uncast under ZeRO-3 1.7.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.peft_targets import BY_TYPE
from budgetlint.readers.base import default
from budgetlint.readers.hf.defaults import by_version, shared_defaults, weights_dtype
from budgetlint.readers.hf.rollouts import ppo_defaults, rollout_defaults
from budgetlint.settings.run import Setting, Settings, Stack

_LEARNING_RATES = {
    "sft": 2e-5,
    "dpo": 1e-6,
    "kto": 1e-6,
    "orpo": 1e-6,
    "grpo": 1e-6,
    "reward": 1e-4,
}
_CHUNKED_SINCE = {"sft": "1.7.0", "dpo": "1.15.0", "kto": "1.15.0", "grpo": "1.15.0"}
_UPCAST_UNTIL = {"sft": "0.26.0", "grpo": "0.26.0", "reward": "0.26.0", "dpo": "0.29.0"}
_BOUNDED = ("sft", "dpo", "kto", "orpo", "reward")


def trl_defaults(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """Defaults of a TRL trainer and of TRL's scripts (``ModelConfig``), which a file with TRL's keys is taken to run."""
    task = settings.value("task", "unknown" if "task" in settings else "sft")
    yield default("task", "sft", "assumed: no program is known, and no key of another TRL trainer")
    yield from _precision(stack)
    yield from _checkpointing(stack)
    yield from _loss(settings, stack, task)
    yield from _quantised(settings, stack)
    yield from _upcast(settings, stack, task)
    yield default("adapter", "none", "TRL ModelConfig.use_peft")
    yield from _lora(settings)
    yield from _workload(task)
    if task == "grpo":
        yield from rollout_defaults(settings, stack)
    elif task == "ppo":
        yield from ppo_defaults(settings)
    elif task == "reward":
        yield default("model_head", "regression", "TRL RewardTrainer: AutoModelForSequenceClassification, one label")
    yield from shared_defaults(settings, stack)


def _precision(stack: Stack) -> Iterator[Setting]:
    note = "TRL _BaseConfig.bf16: on unless fp16 is, from 0.19.0"
    yield by_version("autocast", stack.at_least("trl", "0.19.0"), ("bf16", "none"), note)
    yield _weights_dtype(stack)


def _weights_dtype(stack: Stack) -> Setting:
    """An unknown TRL counts as fp32: releases before 0.27.0 pass None on, which was float32 in the transformers of their time."""
    if stack.at_least("trl", "0.27.0") is False:
        return weights_dtype(stack)
    return default("weights_dtype", "fp32", "TRL ModelConfig.dtype: float32 from 0.27.0, from_pretrained's before")


def _checkpointing(stack: Stack) -> Iterator[Setting]:
    note = "TRL _BaseConfig.gradient_checkpointing: on from 0.22.0"
    yield by_version("recompute", stack.at_least("trl", "0.22.0"), ("full", "none"), note)
    if stack.at_least("trl", "0.28.0"):
        yield default("recompute_reentrant", False, "TRL 0.28 sets use_reentrant false under transformers 4; transformers 5 does by itself")


def _loss(settings: Settings, stack: Stack, task: str) -> Iterator[Setting]:
    """From 1.15.0 SFT, DPO, KTO and GRPO chunk the head (``add_fused_lm_head``); SFT did so from 1.7.0 where ``loss_type`` was unset.
    Liger's kernel switch has GRPO's loss in it from 0.25.0."""
    if task not in _CHUNKED_SINCE:
        yield default("loss", "full", f"TRL {task} trainer: full logits (assumed)")
        return
    fused = "linear_cross_entropy" in (settings.value("kernels") or ())
    since = "1.15.0" if fused else _CHUNKED_SINCE[task]
    before = "fused" if fused and not (task == "grpo" and stack.at_least("trl", "0.25.0") is False) else "full"
    note = f"TRL {task} trainer: {'Liger fuses head and loss' if fused else 'full logits'} before {since}, chunked head since"
    yield by_version("loss", stack.at_least("trl", since), ("chunked", before), note)


def _quantised(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """TRL computes 4-bit weights in the model's dtype (utils.py ``get_quantization_config``) and trains QLoRA adapters in bf16."""
    quant = settings.value("quant")
    if quant in ("nf4", "fp4"):
        dtype = settings.value("weights_dtype", "fp32")
        if dtype != "auto":
            yield default("quant_compute_dtype", dtype, "TRL get_quantization_config: ModelConfig.dtype")
        yield default("quant_double", False, "TRL ModelConfig.use_bnb_nested_quant")
    lora = settings.value("adapter") == "lora"
    if lora and quant in (None, "none") and settings.value("shard") == "zero3" and stack.at_least("trl", "1.7.0"):
        dtype = settings.value("weights_dtype", "fp32")
        if dtype != "auto":
            yield default("adapter_dtype", dtype, "TRL trainers keep adapters in the model's dtype under ZeRO-3 from 1.7.0")
    if lora and quant in ("nf4", "fp4", "int8"):
        note = "TRL trainers cast QLoRA adapters to bfloat16 from 0.26.0; PEFT keeps float32 before"
        yield by_version("adapter_dtype", stack.at_least("trl", "0.26.0"), ("bf16", "fp32"), note)


def _upcast(settings: Settings, stack: Stack, task: str) -> Iterator[Setting]:
    """Old trainers called PEFT's ``prepare_model_for_kbit_training`` (0.24.0 ``models/utils.py`` ``prepare_peft_model``): what is not
    quantised becomes fp32, unless ZeRO-3 or FSDP shards the base, or the model is a PeftModel already (0.9.6, 0.16.1 and 0.19.1
    ``trainer/sft_trainer.py``, 0.25.1 ``models/utils.py``). An unknown TRL counts as one that does not."""
    old = task in _UPCAST_UNTIL and stack.at_least("trl", _UPCAST_UNTIL[task]) is False
    whole = settings.value("shard", "none") in ("none", "ddp", "zero1", "zero2")
    packed = settings.value("adapter") == "lora" and settings.value("quant") in ("nf4", "fp4", "int8")
    if old and whole and packed and not _is_made_by_script(settings):
        yield default("quant_upcast", "all", f"TRL {task} trainer: prepare_model_for_kbit_training before {_UPCAST_UNTIL[task]}")


def _is_made_by_script(settings: Settings) -> bool:
    adapter = settings.get("adapter")
    return adapter is not None and adapter.origin.key.partition(".")[0] == "get_peft_model"


def _lora(settings: Settings) -> Iterator[Setting]:
    if settings.value("adapter") == "lora":
        yield default("lora_r", 16, "TRL ModelConfig.lora_r")
        yield default("lora_alpha", 32.0, "TRL ModelConfig.lora_alpha")
        yield default("lora_dropout", 0.05, "TRL ModelConfig.lora_dropout")
        yield default("lora_targets", (BY_TYPE,), "TRL ModelConfig.lora_target_modules: None, PEFT picks them")


def _workload(task: str) -> Iterator[Setting]:
    if task in _LEARNING_RATES:
        yield default("learning_rate", _LEARNING_RATES[task], f"TRL {task} config learning_rate")
    if task in _BOUNDED:
        yield default("seq_len", 1024, f"TRL {task} config max_length (max_seq_length before 0.16.0)")
    if task == "sft":
        yield default("packing", False, "TRL SFTConfig.packing")
        yield default("padding_free", False, "TRL SFTConfig.padding_free")
