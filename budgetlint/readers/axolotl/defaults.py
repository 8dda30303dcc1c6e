"""What axolotl fills in, from its schema and its trainer builder.

Source of every row: axolotl 0.19.0, the file named in the note; bounds from 0.6.0, 0.8.0, 0.10.0, 0.12.0, 0.15.0 and 0.18.0.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from budgetlint.base.record import replace
from budgetlint.readers.axolotl.rollouts import rollout_filling
from budgetlint.readers.base import default
from budgetlint.readers.derived import AT_LEAST, derived
from budgetlint.readers.hf.defaults import by_version
from budgetlint.settings.run import Setting, Settings, Stack

_TRAINING = "axolotl utils/schemas/training.py"
_CONFIG = "axolotl utils/schemas/config.py"
_BUILDER = "axolotl core/builders/base.py"

FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "sft", f"{_CONFIG} rl: unset is supervised training"),
    ("adapter", "none", "axolotl utils/schemas/peft.py adapter"),
    ("weights_dtype", "bf16", f"{_CONFIG} bf16: auto; utils/config/__init__.py resolve_dtype loads in it"),
    ("autocast", "bf16", f"{_CONFIG} bf16: auto"),
    ("quant", "none", "axolotl utils/schemas/peft.py load_in_4bit, load_in_8bit"),
    ("weight_decay", 0.0, f"{_TRAINING} weight_decay"),
    ("lr_scheduler", "cosine", f"{_TRAINING} lr_scheduler"),
    ("num_epochs", 1.0, f"{_TRAINING} num_epochs"),
    ("max_grad_norm", 1.0, "transformers TrainingArguments.max_grad_norm"),
    ("micro_batch", 1, f"{_TRAINING} micro_batch_size"),
    ("grad_accum", 1, f"{_TRAINING} gradient_accumulation_steps"),
    ("seq_len", 512, f"{_CONFIG} sequence_len"),
    ("packing", False, f"{_CONFIG} sample_packing"),
    ("padding_free", False, f"{_CONFIG} batch_flattening"),
    ("recompute", "none", f"{_CONFIG} gradient_checkpointing"),
    ("attention", "sdpa", "transformers picks sdpa when attn_implementation is unset"),
    ("loss", "full", f"{_CONFIG} chunked_cross_entropy"),
    ("compile", False, f"{_CONFIG} torch_compile"),
    ("eval_on", False, f"{_CONFIG} val_set_size: 0"),
    ("prediction_loss_only", True, "transformers Trainer.evaluate: axolotl passes no compute_metrics"),
    ("save_strategy", "epoch", f"{_BUILDER} _configure_save_and_eval_strategy"),
)


_SETTLED = (("quant", "0.15", "0.12.1"), ("eval_on", "0.10", "0.8.1"), ("grad_accum", "0.6", "0.4"))
"""Settings that two versions read differently: the first version of the new reading, and the first after the last of the old."""


def settle(settings: Settings, stack: Stack) -> Settings:
    """Decide by the stack's version what the reader had to leave open."""
    chosen = {name: _choose(settings[name], stack, new, old) for name, new, old in _SETTLED if name in settings}
    return Settings(chosen.get(name, setting) for name, setting in settings.items())


def _choose(setting: Setting, stack: Stack, new: str, old: str) -> Setting:
    if len(setting.readings) != 2:
        return setting
    if stack.at_least("axolotl", new):
        return replace(setting, value=setting.readings[0], state="known", readings=())
    if stack.at_least("axolotl", old) is False:
        return replace(setting, value=setting.readings[1], state="known", readings=())
    return setting


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    yield from (default(name, value, note) for name, value, note in FIXED)
    yield from _optimizer(stack)
    yield from _warmup(settings)
    yield from _batches(settings)
    yield from _recompute(settings)
    yield from _lora(settings)
    yield from _quant(settings)
    yield from _kernels(settings, stack)
    yield from rollout_filling(settings, stack)
    if settings.value("task") == "reward":
        yield default("model_head", "regression", "trl RewardTrainer: AutoModelForSequenceClassification, one label")
    yield from _fsdp(settings)
    yield from _least_devices(settings, stack)


def _optimizer(stack: Stack) -> Iterable[Setting]:
    """``adamw_hf`` and ``adamw_torch_fused`` keep the same state; only the temporaries of the step differ."""
    newer = stack.at_least("axolotl", "0.8")
    yield by_version(
        "optimizer", newer, ("adamw_torch_fused", "adamw_hf"), f"{_TRAINING} optimizer: adamw_torch_fused by 0.8, adamw_hf in 0.6"
    )
    if newer is not None:
        yield default("optimizer_impl", "fused" if newer else "for-loop", f"{_TRAINING} optimizer")


def _warmup(settings: Settings) -> Iterable[Setting]:
    if "warmup_steps" not in settings:
        yield default("warmup_ratio", 0.03, f"{_BUILDER} _configure_warmup_and_logging: 3% of the run, at most 100 steps")


def _batches(settings: Settings) -> Iterable[Setting]:
    micro = settings.get("micro_batch")
    yield derived("eval_batch", micro.value if micro else 1, "axolotl utils/config/__init__.py normalize_config: micro_batch_size", micro)
    packed = settings.value("packing") is True or settings.value("task") == "reward"
    note = "axolotl utils/schemas/validation.py hint_sample_packing_padding"
    yield default("pad_to_seq_len", packed, note if packed else f"{_CONFIG} pad_to_sequence_len")


def _recompute(settings: Settings) -> Iterable[Setting]:
    if settings.value("recompute") in ("full", "selective"):
        yield default("recompute_reentrant", False, f"{_BUILDER} _configure_gradient_checkpointing: use_reentrant False")


def _lora(settings: Settings) -> Iterable[Setting]:
    if settings.value("adapter") == "lora":
        yield default("lora_dropout", 0.0, "axolotl utils/schemas/peft.py lora_dropout")
        yield default("adapter_dtype", "fp32", "peft get_peft_model autocast_adapter_dtype=True")


def _quant(settings: Settings) -> Iterable[Setting]:
    """Norms and embeddings come back from fp32 to the compute dtype before training (loaders/model.py _configure_embedding_dtypes)."""
    if settings.value("quant") in ("nf4", "fp4"):
        weights = settings.get("weights_dtype")
        yield derived("quant_compute_dtype", weights.value if weights else "bf16", "axolotl loaders/model.py: torch_dtype", weights)
    if settings.value("quant", "none") != "none":
        yield default("quant_upcast", "none", "axolotl loaders/model.py _configure_embedding_dtypes casts them back")


def _kernels(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """Triton LoRA kernels switch themselves on: from 0.10 without dropout, by 0.18 with it too."""
    plain = (
        settings.value("adapter") == "lora" and settings.value("quant") != "int8" and settings.value("task", "sft") in ("sft", "pretrain")
    )
    if not plain or settings.value("trust_remote_code") or settings.value("shard") == "fsdp":
        return
    dropout = settings.value("lora_dropout", 0.0)
    if stack.at_least("axolotl", "0.18") or (stack.at_least("axolotl", "0.10") and dropout == 0):
        yield default("kernels", ("lora",), f"{_CONFIG} check_auto_enable_lora_kernels")


def _fsdp(settings: Settings) -> Iterable[Setting]:
    if settings.value("shard") in ("fsdp", "fsdp2"):
        yield default("shard_strategy", "full", "accelerate FSDP_SHARDING_STRATEGY: FULL_SHARD")
        yield default("offload_params", "none", "axolotl utils/schemas/fsdp.py offload_params")
        yield default("offload_optimizer", "none", "axolotl utils/schemas/fsdp.py offload_params")


_DEGREES = ("shard_size", "shard_replicas", "tensor_parallel", "context_parallel")
_COUNTED = frozenset(("devices", "devices_per_node", "nodes"))


def _least_devices(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """A group of shards takes a process each: nobody says how many are started, but no fewer are meant, and more hold the same
    (0.12.2 ``utils/distributed.py`` _get_parallel_config_kwargs: what is left over is replicas)."""
    group = settings.get("shard_size")
    if group is None or not group.known or not _COUNTED.isdisjoint(settings) or stack.at_least("axolotl", "0.12") is False:
        return
    count = prod(settings.value(name) or 1 for name in _DEGREES)
    yield derived("devices", count, f"{AT_LEAST}axolotl utils/distributed.py: its groups and degrees take so many", group)
