"""verl's keys that map one to one onto settings, in YAML and in Hydra overrides.

Sources: verl 0.9.1 ``trainer/config/{ppo_trainer,sft_trainer_engine}.yaml`` and their groups; older names: 0.3 ``fsdp_sft_trainer.yaml``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.readers.base import Key, to_bool, to_count, to_float, to_int, to_text
from budgetlint.readers.megatron.keys import PARALLEL


def to_recompute(value: Any) -> Any:
    return "full" if to_bool(value) else "none"


def beta(index: int) -> Any:
    def convert(value: Any) -> Any:
        items = getattr(value, "items", None)
        texts = [item.text for item in items] if items and not callable(items) else str(value).strip("[]() ").split(",")
        return to_float(texts[index].strip()) if len(texts) == 2 else None

    return convert


def under(prefix: str, keys: tuple[Key, ...]) -> tuple[Key, ...]:
    return tuple(Key(f"{prefix}.{key.path}", key.setting, key.convert) for key in keys)


_MODEL = (
    Key("partial_pretrain", "model", to_text),
    Key("path", "model", to_text),
    Key("trust_remote_code", "trust_remote_code", to_bool),
    Key("enable_gradient_checkpointing", "recompute", to_recompute),
    Key("enable_activation_offload", "recompute_offload", to_bool),
    Key("use_remove_padding", "padding_free", to_bool),
)
_OPTIM = (
    Key("lr", "learning_rate", to_float),
    Key("weight_decay", "weight_decay", to_float),
    Key("betas", "adam_beta1", beta(0)),
    Key("betas", "adam_beta2", beta(1)),
    Key("clip_grad", "max_grad_norm", to_float),
    Key("lr_scheduler_type", "lr_scheduler", to_text),
    Key("lr_scheduler", "lr_scheduler", to_text),
    Key("lr_warmup_steps_ratio", "warmup_ratio", to_float),
)
_MEGATRON = (
    Key("override_transformer_config.recompute_granularity", "recompute", lambda value: to_text(value).lower()),
    *PARALLEL,
)
_TRAINER = (
    Key("nnodes", "nodes", to_count),
    Key("n_gpus_per_node", "devices_per_node", to_count),
    Key("total_training_steps", "max_steps", to_int),
    Key("total_epochs", "num_epochs", to_float),
)

ACTOR = "actor_rollout_ref."
PPO = (
    *under("actor_rollout_ref.model", _MODEL),
    *under("actor_rollout_ref.actor.optim", _OPTIM),
    *under("actor_rollout_ref.actor.megatron", _MEGATRON),
    *under("trainer", _TRAINER),
    Key(f"{ACTOR}actor.grad_clip", "max_grad_norm", to_float),
    Key(f"{ACTOR}actor.ppo_micro_batch_size_per_gpu", "micro_batch", to_count),
    *(Key(f"{ACTOR}actor.freeze_vision_tower", name, lambda value: not to_bool(value)) for name in ("train_vision", "train_projector")),
    Key(f"{ACTOR}actor.ulysses_sequence_parallel_size", "context_parallel", to_count),
    Key(f"{ACTOR}ref.megatron.param_offload", "reference_offload", lambda value: "cpu" if to_bool(value) else "none"),
    Key(f"{ACTOR}rollout.name", "rollout_engine", to_text),
    Key(f"{ACTOR}rollout.gpu_memory_utilization", "rollout_memory", to_float),
    Key(f"{ACTOR}rollout.free_cache_engine", "rollout_sleeps", to_bool),
    Key(f"{ACTOR}hybrid_engine", "rollout_on", lambda value: "same" if to_bool(value) else "other"),
    Key(f"{ACTOR}rollout.tensor_model_parallel_size", "rollout_tensor_parallel", to_count),
)
SFT = (
    *under("model", _MODEL),
    *under("optim", _OPTIM),
    *under("engine", _MEGATRON),
    *under("trainer", _TRAINER),
    Key("data.train_batch_size", "global_batch", to_count),
    Key("data.micro_batch_size_per_gpu", "micro_batch", to_count),
    Key("data.max_length", "seq_len", to_count),
    Key("ulysses_sequence_parallel_size", "context_parallel", to_count),
    Key("engine.ulysses_sequence_parallel_size", "context_parallel", to_count),
)
