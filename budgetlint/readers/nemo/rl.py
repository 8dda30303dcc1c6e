"""NeMo-RL: ``policy`` with one of two backends, an algorithm block, a cluster; inheritance by ``defaults: PATH``.

Sources: NeMo-RL ``nemo_rl/models/policy/__init__.py`` (``PolicyConfig``), ``workers/dtensor_policy_worker.py`` (weights are loaded in
float32 and sharded by FSDP2, compute in ``precision``), ``workers/megatron_policy_worker.py``; ``examples/configs/*.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.documents import Document, Loader, Mapping
from budgetlint.readers.base import Key, default, read_keys, to_bool, to_count, to_dtype, to_float, to_int, to_text
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.readers.megatron.engine import accumulation, engine_defaults
from budgetlint.readers.megatron.keys import OPTIMIZER, PARALLEL
from budgetlint.readers.nemo.words import to_targets
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.settings.run import Misread, Setting, Settings

ALGORITHMS = {"grpo": "grpo", "dpo": "dpo", "sft": "sft", "ppo": "ppo", "rm": "reward", "distillation": "other"}

POLICY = (
    Key("model_name", "model", to_text),
    Key("train_micro_batch_size", "micro_batch", to_count),
    Key("train_global_batch_size", "global_batch", to_count),
    Key("max_total_sequence_length", "seq_len", to_count),
    Key("max_grad_norm", "max_grad_norm", to_float),
    Key("sequence_packing.enabled", "packing", to_bool),
    Key("generation.vllm_cfg.tensor_parallel_size", "rollout_tensor_parallel", to_count),
    Key("generation.vllm_cfg.gpu_memory_utilization", "rollout_memory", to_float),
    Key("generation.backend", "rollout_engine", to_text),
    Key("generation.colocated.enabled", "rollout_on", lambda value: "same" if to_bool(value) else "other"),
)
CLUSTER = (
    Key("gpus_per_node", "devices_per_node", to_count),
    Key("num_nodes", "nodes", to_count),
)
_DTENSOR = (
    Key("tensor_parallel_size", "tensor_parallel", to_count),
    Key("context_parallel_size", "context_parallel", to_count),
    Key("expert_parallel_size", "expert_parallel", to_count),
    Key("sequence_parallel", "sequence_parallel", to_bool),
)
_KWARGS = (
    Key("lr", "learning_rate", to_float),
    Key("weight_decay", "weight_decay", to_float),
    Key("eps", "adam_epsilon", to_float),
)
_LORA = (
    Key("dim", "lora_r", to_count),
    Key("alpha", "lora_alpha", to_float),
    Key("dropout", "lora_dropout", to_float),
    Key("target_modules", "lora_targets", to_targets),
)


def read_rl(document: Document, loader: Loader) -> tuple[Settings, list[Misread]]:
    policy, wrong = read_keys(document, loader, POLICY, "policy")
    cluster, misread = read_keys(document, loader, CLUSTER, "cluster")
    look = Lookup(document, loader, "policy", [*wrong, *misread])
    backend = _megatron(look) if _is_megatron(look) else _dtensor(look)
    return Settings([*policy, *cluster, *_algorithm(document, look), *backend, *_roles(document, look)]), look.misreads


def _is_megatron(look: Lookup) -> bool:
    """The backend that is switched on; a file that only changes Megatron's keys inherits the switch."""
    megatron, dtensor = look.switch("megatron_cfg.enabled"), look.switch("dtensor_cfg.enabled")
    if megatron is not None:
        return bool(megatron.value)
    if dtensor is not None:
        return dtensor.value is False
    return look.has("megatron_cfg") and not look.has("dtensor_cfg")


def _algorithm(document: Document, look: Lookup) -> Iterator[Setting]:
    mapping = document.mapping
    for key, task in ALGORITHMS.items():
        entry = mapping.entry(key) if mapping is not None else None
        if entry is not None:
            found = Lookup(document, look.loader, "").raw(key)
            if found is not None:
                yield Setting("task", task, found.origin, key)
            steps = Lookup(document, look.loader, key, look.misreads).setting("max_steps", to_int, "max_num_steps")
            yield from (steps,) if steps is not None else ()
            return


def _dtensor(look: Lookup) -> Iterator[Setting]:
    """FSDP2 over fp32 weights; ``precision`` is what the layers compute in."""
    inner = look.under("dtensor_cfg")
    settings, wrong = read_keys(look.document, look.loader, _DTENSOR, inner.prefix)
    look.misreads.extend(wrong)
    yield from settings
    precision = look.setting("autocast", to_dtype, "precision")
    if precision is not None:
        yield renamed(precision, "autocast", precision.value if precision.value in ("bf16", "fp16") else "none")
    yield from _recompute(inner)
    offload = inner.switch("cpu_offload")
    if offload is not None:
        yield from (renamed(offload, name, "cpu" if offload.value else "none") for name in ("offload_params", "offload_optimizer"))
    raw = look.raw("optimizer.name")
    if raw is not None:
        yield from read_optimizer(raw, "nemo_rl", look.misreads)
        kwargs, wrong = read_keys(look.document, look.loader, _KWARGS, f"{look.prefix}.optimizer.kwargs")
        look.misreads.extend(wrong)
        yield from kwargs
    yield from _lora(inner, "lora_cfg")


def _megatron(look: Lookup) -> Iterator[Setting]:
    inner = look.under("megatron_cfg")
    settings, wrong = read_keys(look.document, look.loader, PARALLEL, inner.prefix)
    optimizer, misread = read_keys(look.document, look.loader, OPTIMIZER, inner.path("optimizer"))
    look.misreads.extend((*wrong, *misread))
    yield from (*settings, *optimizer)
    yield from _engine(look, inner)
    yield from _recompute(inner)
    raw = inner.raw("optimizer.optimizer")
    if raw is not None:
        yield from read_optimizer(raw, "nemo_rl", look.misreads)
    yield from _lora(inner, "peft")


def _engine(look: Lookup, inner: Lookup) -> Iterator[Setting]:
    """16-bit weights, fp32 masters and states split over the data-parallel ranks, as the recipes have it."""
    home = inner.raw("enabled") or inner.raw("tensor_model_parallel_size", "expert_model_parallel_size", "pipeline_model_parallel_size")
    if home is None:
        return
    precision = look.setting("weights_dtype", to_dtype, "precision") or Setting("", "bf16", home.origin, home.text)
    split = inner.switch("optimizer.use_distributed_optimizer")
    sharded = split is None or split.value is not False
    yield renamed(split or Setting("", True, home.origin, home.text), "shard", "zero1" if sharded else "ddp")
    yield renamed(precision, "weights_dtype", precision.value)
    yield renamed(precision, "engine_dtype", precision.value)
    yield renamed(precision, "master_dtype", "fp32")
    yield renamed(precision, "autocast", "none")
    reduce = inner.switch("distributed_data_parallel_config.grad_reduce_in_fp32")
    if reduce is not None:
        yield renamed(reduce, "grads_dtype", "fp32" if reduce.value else "bf16")
    yield Setting("model_code", "megatron", home.origin, home.text)


def _recompute(inner: Lookup) -> Iterator[Setting]:
    switch = inner.switch("activation_checkpointing")
    if switch is None:
        return
    granularity = inner.setting("recompute", to_text, "recompute_granularity")
    partly = granularity is not None and granularity.value == "selective"
    yield renamed(switch, "recompute", ("selective" if partly else "full") if switch.value else "none")


def _lora(inner: Lookup, key: str) -> Iterator[Setting]:
    switch = inner.switch(f"{key}.enabled")
    if switch is None:
        return
    yield renamed(switch, "adapter", "lora" if switch.value else "none")
    if switch.value:
        settings, wrong = read_keys(inner.document, inner.loader, _LORA, inner.path(key))
        inner.misreads.extend(wrong)
        yield from settings


def _roles(document: Document, look: Lookup) -> Iterator[Setting]:
    """The other models of an RL run; the reference lives in host memory between its uses (``reference_policy`` state dict)."""
    for block, name in (("value", "critic_model"), ("teacher", "teacher_model")):
        found = Lookup(document, look.loader, block, look.misreads).setting(name, to_text, "model_name")
        yield from (found,) if found is not None else ()
    for block, key in (("loss_fn", "reference_policy_kl_penalty"), ("dpo", "reference_policy_kl_penalty")):
        penalty = Lookup(document, look.loader, block, look.misreads).setting("", to_float, key)
        if penalty is not None and penalty.known and penalty.value > 0:
            yield renamed(penalty, "reference_model", "policy")
            return


def is_rl(document: Document) -> bool:
    """``policy`` and ``cluster``, or a block of an algorithm, or what a file of overrides has."""
    mapping = document.mapping
    if mapping is None or isinstance(mapping.get("trainer"), Mapping):
        return False
    if isinstance(mapping.get("policy"), Mapping):
        own = ("cluster", "checkpointing", "loss_fn", "defaults", *ALGORITHMS)
        return any(key in mapping for key in own)
    return all(key in mapping for key in ("defaults", "cluster", "env", "data"))


_RECIPES = "NeMo-RL examples/configs: "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("adapter", "none", _RECIPES + "lora_cfg.enabled: false"),
    ("quant", "none", "no quantised base"),
    ("recompute", "none", _RECIPES + "activation_checkpointing: false"),
    ("recompute_reentrant", False, "torch distributed checkpoint_wrapper"),
    ("kernels", (), "no Liger"),
    ("tensor_parallel", 1, _RECIPES + "tensor_parallel_size"),
    ("attention", "flash", "nemo_rl workers: flash_attention_2 where sequences are packed, else sdpa"),
    ("nodes", 1, _RECIPES + "cluster.num_nodes"),
    ("reference_offload", "cpu", "nemo_rl policy workers: the reference state dict stays on the host between its uses"),
)
_WORKERS = "NeMo-RL nemo_rl/models/policy/dtensor_policy_worker.py "
_ROLLOUT: tuple[tuple[str, Any, str], ...] = (
    ("rollout_on", "same", _RECIPES + "generation.colocated.enabled: true"),
    ("rollout_sleeps", True, "NeMo-RL colocated generation: the engine sleeps while the policy trains"),
    ("rollout_frees", ("params", "optimizer"), _WORKERS + "offload_after_refit: model and states to the host"),
)
_FSDP: tuple[tuple[str, Any, str], ...] = (
    ("shard", "fsdp2", "nemo_rl dtensor worker: fully_shard"),
    ("weights_dtype", "fp32", "nemo_rl dtensor worker: weights are loaded in float32"),
    ("autocast", "bf16", _RECIPES + "precision: bfloat16"),
    ("wrap", "layer", "nemo_rl models/dtensor/parallelize.py: every layer"),
    ("vocab_parallel", True, "nemo_rl models/dtensor/parallelize.py: embed_tokens rowwise, lm_head Shard(-1)"),
    ("reshard_after_forward", True, "torch fully_shard"),
    ("offload_params", "none", _RECIPES + "cpu_offload: false"),
    ("offload_optimizer", "none", _RECIPES + "cpu_offload: false"),
    ("optimizer", "adamw", _RECIPES + "optimizer.name: torch.optim.AdamW"),
)


def rl_defaults(settings: Settings) -> Iterator[Setting]:
    if settings.value("task") in ("grpo", "ppo") or "rollout_engine" in settings:
        yield from (default(name, value, note) for name, value, note in _ROLLOUT)
    yield from (default(name, value, note) for name, value, note in _FIXED)
    if settings.value("model_code") == "megatron":
        yield default("optimizer", "megatron_adam", _RECIPES + "megatron_cfg.optimizer.optimizer: adam")
        yield from engine_defaults(settings)
    else:
        yield from (default(name, value, note) for name, value, note in _FSDP)
    yield from accumulation(settings)
