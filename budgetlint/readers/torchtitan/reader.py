"""torchtitan's jobs: TOML files up to 0.2, one for each; from 0.3 on functions of a Python file (`registry`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.documents import Document, Loader, Mapping
from budgetlint.readers.base import Reader, default, loader_of, names, read_keys
from budgetlint.readers.derived import derived
from budgetlint.readers.torchtitan.keys import KEYS
from budgetlint.readers.torchtitan.method import compile_settings, optimizer_settings, precision_settings, recompute_settings
from budgetlint.readers.torchtitan.models import model_settings
from budgetlint.readers.torchtitan.parallel import shard_settings
from budgetlint.readers.torchtitan.registry import as_job, builds_job, lora_settings, loss_settings
from budgetlint.readers.view import View
from budgetlint.settings.run import Reading, Role, Setting, Settings, Stack

_LOADER = Loader.TOML
_SECTIONS = names("job parallelism activation_checkpoint metrics experimental profiling lr_scheduler checkpoint float8 compile")


def recognise(document: Document) -> float:
    """TOML with ``[training]``, ``[model]`` and two more of torchtitan's sections; a function that returns a ``Trainer.Config``."""
    mapping = document.mapping
    if document.format == "python":
        return 1.0 if builds_job(document) else 0.0
    if document.format != "toml" or mapping is None:
        return 0.0
    sections = frozenset(entry.key.text for entry in mapping.entries if isinstance(entry.value, Mapping))
    return 1.0 if {"training", "model"} <= sections and len(sections & _SECTIONS) >= 2 else 0.0


def read(document: Document) -> Reading:
    job, loader = as_job(document), loader_of(document, _LOADER)
    view = View(job, loader)
    settings, misreads = read_keys(job, loader, KEYS)
    together: list[Setting] = [
        *model_settings(view), *shard_settings(view), *recompute_settings(view), *compile_settings(view),
        *precision_settings(view), *optimizer_settings(view, misreads), *loss_settings(document), *lora_settings(document),
    ]  # fmt: skip
    return Reading("torchtitan", Role.TRAINER, document, Settings((*settings, *together)), (), tuple(misreads))


_CONFIG = "torchtitan config/job_config.py "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("model_code", "torchtitan", "torchtitan models/*/model"),
    ("task", "pretrain", "torchtitan train.py"),
    ("adapter", "none", "torchtitan trains every parameter"),
    ("quant", "none", "torchtitan loads no quantised weights"),
    ("weights_dtype", "fp32", f"{_CONFIG}Training.dtype: float32"),
    ("autocast", "bf16", f"{_CONFIG}Training.mixed_precision_param: bfloat16"),
    ("optimizer", "adamw", f"{_CONFIG}Optimizer.name: AdamW"),
    ("learning_rate", 8e-4, f"{_CONFIG}Optimizer.lr"),
    ("weight_decay", 0.1, f"{_CONFIG}Optimizer.weight_decay"),
    ("adam_beta1", 0.9, f"{_CONFIG}Optimizer.beta1"),
    ("adam_beta2", 0.95, f"{_CONFIG}Optimizer.beta2"),
    ("adam_epsilon", 1e-8, f"{_CONFIG}Optimizer.eps"),
    ("optimizer_in_backward", False, f"{_CONFIG}Optimizer.early_step_in_backward"),
    ("micro_batch", 8, f"{_CONFIG}Training.local_batch_size"),
    ("seq_len", 2048, f"{_CONFIG}Training.seq_len"),
    ("packing", True, "torchtitan hf_datasets/text_datasets.py: samples are joined and cut at seq_len"),
    ("pad_to_seq_len", True, "torchtitan hf_datasets/text_datasets.py: samples are joined and cut at seq_len"),
    ("max_grad_norm", 1.0, f"{_CONFIG}Training.max_norm"),
    ("max_steps", 10000, f"{_CONFIG}Training.steps"),
    ("warmup_steps", 200.0, f"{_CONFIG}LRScheduler.warmup_steps"),
    ("lr_scheduler", "linear", f"{_CONFIG}LRScheduler.decay_type"),
    ("recompute", "full", f"{_CONFIG}ActivationCheckpoint.mode: selective, option 2"),
    ("recompute_reentrant", False, "torch checkpoint_wrapper: CheckpointImpl.NO_REENTRANT"),
    ("attention", "sdpa", "torchtitan models/attention.py ScaledDotProductAttentionWrapper"),
    ("kernels", (), "torchtitan has no fused kernels of its own"),
    ("loss", "full", "torchtitan components/loss.py cross_entropy_loss: logits in float32"),
    ("compile", False, f"{_CONFIG}Compile.enable"),
    ("tensor_parallel", 1, f"{_CONFIG}Parallelism.tensor_parallel_degree"),
    ("pipeline_parallel", 1, f"{_CONFIG}Parallelism.pipeline_parallel_degree"),
    ("context_parallel", 1, f"{_CONFIG}Parallelism.context_parallel_degree"),
    ("expert_parallel", 1, f"{_CONFIG}Parallelism.expert_parallel_degree"),
    ("expert_tensor_parallel", 1, f"{_CONFIG}Parallelism.expert_tensor_parallel_degree"),
    ("sequence_parallel", True, "torchtitan models/llama3/infra/parallelize.py apply_tp"),
    ("pipeline_schedule", "1F1B", f"{_CONFIG}Parallelism.pipeline_parallel_schedule"),
    ("pipeline_micro_batch", 1, f"{_CONFIG}Parallelism.pipeline_parallel_microbatch_size"),
    ("shard", "fsdp2", f"{_CONFIG}Parallelism.data_parallel_shard_degree: -1"),
    ("eval_on", False, f"{_CONFIG}Validation.enable"),
)
_SHARDED: tuple[tuple[str, Any, str], ...] = (
    ("shard_strategy", "full", f"{_CONFIG}Parallelism.data_parallel_replicate_degree: 1"),
    ("wrap", "layer", "torchtitan models/llama3/infra/parallelize.py apply_fsdp"),
    ("grads_dtype", "fp32", f"{_CONFIG}Training.mixed_precision_reduce: float32"),
    ("offload_params", "none", f"{_CONFIG}Training.enable_cpu_offload"),
    ("offload_optimizer", "none", f"{_CONFIG}Training.enable_cpu_offload"),
)


def defaults(settings: Settings, _stack: Stack) -> Iterable[Setting]:
    if _is_built(settings):
        yield default("recompute", "selective", "torchtitan 0.3.0 trainer.py Trainer.Config.activation_checkpoint: SelectiveAC")
    elif "recompute" not in settings:
        yield default("recompute_every", 2, f"{_CONFIG}ActivationCheckpoint.selective_ac_option")
    yield from (default(name, value, note) for name, value, note in _FIXED)
    yield _implementation(settings)
    if settings.value("shard", "fsdp2") == "fsdp2":
        pipeline = settings.get("pipeline_parallel")
        flat = pipeline is None or pipeline.value == 1
        yield derived("reshard_after_forward", flat, "torchtitan apply_fsdp: default policy", pipeline)
        yield from (default(name, value, note) for name, value, note in _SHARDED)


def _is_built(settings: Settings) -> bool:
    """Does a Python function say it?"""
    return any(one.origin.source is not None and one.origin.source.path.endswith(".py") for one in settings.values())


def _implementation(settings: Settings) -> Setting:
    """0.0.2 steps with foreach unless ``fused``; from 0.1 on ``implementation`` is fused. The old file has ``training.batch_size``."""
    batch = settings.get("micro_batch")
    old = batch is not None and batch.origin.key == "training.batch_size"
    note = "torchtitan 0.0.2 optimizer.py: foreach unless fused" if old else f"{_CONFIG}Optimizer.implementation"
    return default("optimizer_impl", "foreach" if old else "fused", note)


READER = Reader("torchtitan", Role.TRAINER, _LOADER, recognise, read, defaults, package="torchtitan")
