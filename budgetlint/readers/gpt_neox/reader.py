"""GPT-NeoX: YAML that looks like JSON, hyphens and underscores alike, one run from all the files that a launch names.

Sources: gpt-neox ``megatron/neox_arguments/arguments.py`` (``from_ymls``: dashes become underscores; ``calculate_derived``),
``neox_args.py``, ``deepspeed_args.py``; ``megatron/training.py`` ``get_optimizer``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Key, Reader, default, loader_of, names, read_keys, to_bool, to_count, to_float, to_int, to_text
from budgetlint.readers.deepspeed.defaults import deepspeed_defaults
from budgetlint.readers.deepspeed.reader import read_section
from budgetlint.readers.gpt_neox.shape import attention_kinds, read_model
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.underscored import underscored
from budgetlint.settings.run import Misread, Reading, Role, Setting, Settings, Stack

FORMAT = "gpt_neox"
_CERTAIN = names("pipe_parallel_size no_weight_tying gpt_j_residual pos_emb scaled_upper_triang_masked_softmax_fusion")
_SHARED = names(
    """model_parallel_size num_layers hidden_size num_attention_heads seq_length checkpoint_activations checkpoint_num_layers
    partition_activations synchronize_each_layer train_iters lr_decay_iters lr_decay_style keep_last_n_checkpoints data_impl
    output_layer_init_method attention_config checkpoint_factor init_method min_lr override_lr_scheduler warmup hidden_dropout"""
)
_FOREIGN = names("model_name_or_path architectures model_type trainer exp_manager _wandb distributed_type model")


def recognise(document: Document) -> float:
    """What only NeoX calls so, or a good part of its training keys (its model and training settings may lie in two files)."""
    mapping = document.mapping
    if mapping is None or document.format not in ("yaml", "json"):
        return 0.0
    keys = names(" ".join(mapping.keys()).replace("-", "_"))
    if keys & _FOREIGN:
        return 0.0
    certain, shared = len(keys & _CERTAIN), len(keys & _SHARED)
    return 1.0 if certain and shared >= 2 else 0.96 if shared >= 6 else 0.0


def read(document: Document) -> Reading:
    plain = underscored(document)
    loader = loader_of(document, Loader.PYYAML)
    engine, wrong = read_section(plain, loader)
    settings, misreads = read_keys(plain, loader, _KEYS)
    look = Lookup(plain, loader, "", [*_meant(plain, wrong), *misreads])
    own = [*_task(look), *_precision(look), *_optimizer(look), *_attention(look), *_recompute(look), *read_model(look), *settings]
    kept = {name: setting for name, setting in engine.items() if name not in ("optimizer", "optimizer_impl")}
    merged = {**kept, **{setting.name: setting for setting in own}}
    return Reading(FORMAT, Role.TRAINER, document, Settings(merged.values()), (), tuple(look.misreads))


def _meant(document: Document, misreads: list[Misread]) -> list[Misread]:
    """The engine's words for optimizers are not NeoX's; under ``autotuning`` a list is a search space."""
    searched = document.entry("autotuning") is not None
    return [wrong for wrong in misreads if wrong.origin.key != "optimizer.type" and not searched]


def _stages(value: Any) -> Any:
    """0 switches pipelines off."""
    return max(1, to_int(value))


_KEYS = (
    Key("pipe_parallel_size", "pipeline_parallel", _stages),
    Key("model_parallel_size", "tensor_parallel", to_count),
    Key("sequence_parallel", "sequence_parallel", to_bool),
    Key("partition_activations", "recompute_partition", to_bool),
    Key("seq_length", "seq_len", to_count),
    Key("weight_decay", "weight_decay", to_float),
    Key("lr_decay_style", "lr_scheduler", to_text),
    Key("warmup", "warmup_ratio", to_float),
    Key("train_iters", "max_steps", to_int),
    Key("eval_iters", "eval_on", lambda value: to_int(value) > 0),
    Key("global_num_gpus", "devices", to_count),
)


_TASKS = {"normal": "pretrain", "dpo": "dpo", "kto": "kto", "rm": "reward", "reinforce": "grpo"}
_WITH_REFERENCE = ("dpo", "kto", "reinforce")


def _task(look: Lookup) -> Iterator[Setting]:
    """``train_impl``; preference methods keep a frozen copy unless its log-probabilities are precomputed (training.py ``setup_model``)."""
    stated = look.setting("task", to_text, "train_impl")
    if stated is not None and stated.known:
        yield renamed(stated, "task", _TASKS.get(str(stated.value), "other"))
        ahead = look.switch("precompute_model_name")
        if stated.value in _WITH_REFERENCE and ahead is None:
            yield renamed(stated, "reference_model", "policy")


def _precision(look: Lookup) -> Iterator[Setting]:
    """``precision`` and the blocks ``fp16`` and ``bf16`` say one thing (calculate_derived): the dtype of weights and gradients."""
    stated = look.setting("engine_dtype", _to_engine, "precision") or look.setting("engine_dtype", _to_engine, "fp16.type")
    if stated is None:
        on = [
            renamed(switch, "engine_dtype", dtype)
            for dtype in ("bf16", "fp16")
            if (switch := look.switch(f"{dtype}.enabled")) and switch.value
        ]
        stated = on[0] if on else None
    if stated is not None:
        yield stated
        yield renamed(stated, "weights_dtype", stated.value)


def _to_engine(value: Any) -> Any:
    return {"bfloat16": "bf16", "bf16": "bf16", "fp16": "fp16", "float16": "fp16", "fp32": "fp32"}.get(str(value).lower())


def _optimizer(look: Lookup) -> list[Setting]:
    """training.py get_optimizer: ``Adam`` is apex's or DeepSpeed's FusedAdam; bitsandbytes' with ``use_bnb_optimizer``."""
    raw = look.raw("optimizer.type")
    if raw is None:
        return []
    bnb = look.switch("use_bnb_optimizer")
    if bnb is not None and bnb.value:
        return read_optimizer(raw, FORMAT, look.misreads, "bitsandbytes.optim.Adam8bit")
    if raw.text.lower() in _UNSIZED:
        return [Setting("optimizer", None, raw.origin, raw.text, "symbolic")]
    return read_optimizer(raw, FORMAT, look.misreads)


_UNSIZED = names("sm3 mu_adam mu_sgd")
"""Optimizers of training.py whose state the catalog does not know."""


def _attention(look: Lookup) -> Iterator[Setting]:
    """Without flash the scores are written out (``FusedScaleMaskSoftmax``)."""
    raw = look.raw("attention_config")
    kinds = attention_kinds(look.document)
    if raw is not None and kinds:
        yield Setting("attention", "flash" if set(kinds) == {"flash"} else "eager", raw.origin, ", ".join(kinds))


def _recompute(look: Lookup) -> Iterator[Setting]:
    """``checkpoint_activations`` keeps the input of every ``checkpoint_num_layers``-th layer (deepspeed.checkpointing)."""
    switch = look.switch("checkpoint_activations")
    if switch is None:
        return
    yield renamed(switch, "recompute", "full" if switch.value else "none")
    every = look.setting("recompute_every", to_count, "checkpoint_num_layers")
    if switch.value and every is not None:
        yield every


_ARGUMENTS = "gpt-neox megatron/neox_arguments/neox_args.py "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "pretrain", "train_impl: normal"),
    ("adapter", "none", "no adapters"),
    ("quant", "none", "no quantised base"),
    ("optimizer", "fused_adam", "optimizer: Adam"),
    ("weight_decay", 0.1, "weight_decay"),
    ("lr_scheduler", "linear", "lr_decay_style"),
    ("max_grad_norm", 1.0, "gradient_clipping"),
    ("grad_accum", 1, "gradient_accumulation_steps where no batch size asks for more"),
    ("pipeline_parallel", 1, "pipe_parallel_size: 0"),
    ("tensor_parallel", 1, "model_parallel_size"),
    ("sequence_parallel", False, "sequence_parallel"),
    ("recompute_partition", False, "partition_activations"),
    ("recompute", "none", "checkpoint_activations"),
    ("recompute_reentrant", True, "deepspeed.checkpointing"),
    ("attention", "eager", "attention_config: global"),
    ("weights_dtype", "fp32", "precision"),
    ("autocast", "none", "the engine's dtype only"),
    ("shard", "ddp", "zero_optimization.stage: 0"),
    ("kernels", (), "kernels of its own"),
    ("pad_to_seq_len", True, "samples have seq_length tokens"),
    ("model_code", "megatron", "a fork of Megatron-LM runs the model"),
)


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    yield from (default(name, value, _ARGUMENTS + key) for name, value, key in _FIXED)
    yield from deepspeed_defaults(settings, stack)


READER = Reader(FORMAT, Role.TRAINER, Loader.PYYAML, recognise, read, defaults, package="deepspeed")
