"""What the class of a script's training arguments fills in, where the class is known and the script itself is not followed.

Only what the trainer reads from the class: how the script loads its model, what it trains of it, in which precision its weights are and
how long its samples are stays the script's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.hf.defaults import plain_defaults
from budgetlint.readers.hf.trl_defaults import trl_defaults
from budgetlint.settings.consumer import Sink
from budgetlint.settings.run import Setting, Settings, Stack

_FIELDS: dict[str, tuple[str, ...]] = {
    "micro_batch": ("per_device_train_batch_size",),
    "grad_accum": ("gradient_accumulation_steps",),
    "eval_batch": ("per_device_eval_batch_size",),
    "eval_on": ("eval_strategy", "evaluation_strategy", "do_eval"),
    "learning_rate": ("learning_rate",),
    "weight_decay": ("weight_decay",),
    "adam_beta1": ("adam_beta1",),
    "adam_beta2": ("adam_beta2",),
    "adam_epsilon": ("adam_epsilon",),
    "max_grad_norm": ("max_grad_norm",),
    "lr_scheduler": ("lr_scheduler_type",),
    "max_steps": ("max_steps",),
    "num_epochs": ("num_train_epochs",),
    "optimizer": ("optim",),
    "autocast": ("bf16", "fp16"),
    "recompute": ("gradient_checkpointing",),
    "recompute_reentrant": ("gradient_checkpointing", "gradient_checkpointing_kwargs"),
    "compile": ("torch_compile",),
    "rollout_engine": ("use_vllm",),
    "rollout_on": ("vllm_mode", "vllm_device"),
    "rollout_memory": ("vllm_gpu_memory_utilization",),
    "rollout_sleeps": ("vllm_enable_sleep_mode",),
    "rollout_gathers": ("ds3_gather_for_generation",),
    "rollout_batch": ("steps_per_generation", "generation_batch_size", "local_rollout_forward_batch_size"),
    "completion_len": ("max_completion_length",),
    "reference_model": ("beta",),
}
"""Settings that the class alone decides, with its fields: one that the script sets itself is its own."""


def class_defaults(sink: Sink, settings: Settings, stack: Stack) -> Iterator[Setting]:
    """The defaults of the class, for the fields that the script leaves alone."""
    filled = trl_defaults(settings, stack) if sink.arguments.startswith("trl.") else plain_defaults(settings, stack)
    yield from (setting for setting in filled if setting.name in _FIELDS and sink.changed.isdisjoint(_FIELDS[setting.name]))
