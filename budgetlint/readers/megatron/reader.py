"""Megatron-LM: the flags of ``pretrain_gpt.py`` and its like, and YAML files that list flags under ``MODEL_ARGS``.

Source: Megatron-LM ``megatron/training/arguments.py``; the functional test cases ``tests/functional_tests/test_cases/*/model_config.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader, Mapping
from budgetlint.readers.base import Reader, default, names, read_keys, to_text
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.readers.megatron.attention import attention_default, read_attention
from budgetlint.readers.megatron.engine import accumulation, engine_defaults, read_precision, read_shard, read_states
from budgetlint.readers.megatron.keys import METHODS, OWN, to_every
from budgetlint.readers.megatron.shape import MEGATRON, custom_model, megatron_style, megatron_vocabulary
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.underscored import underscored
from budgetlint.settings.run import NO_VOCABULARY, Reading, Role, Setting, Settings, Stack

FORMAT = "megatron"
LISTED = "MODEL_ARGS"
_SHAPE = names("num_layers hidden_size num_attention_heads")
_TELLING = names(
    """micro_batch_size global_batch_size tensor_model_parallel_size pipeline_model_parallel_size seq_length train_iters
    max_position_embeddings tokenizer_type lr_decay_style clip_grad split transformer_impl use_mcore_models"""
)


_TRAINS = names("train_iters train_samples lr")
"""Without one of them the command evaluates or generates."""


def recognise(document: Document) -> float:
    """A block ``MODEL_ARGS`` of flags; or flags of a command that only Megatron's parser takes together."""
    mapping = document.mapping
    if mapping is None:
        return 0.0
    listed = mapping.get(LISTED)
    if isinstance(listed, Mapping):
        return 0.9 if any(key.startswith("--") for key in tuple(listed.keys())) else 0.0
    if not document.is_command:
        return 0.0
    keys = names(" ".join(mapping.keys()).replace("--", "").replace("-", "_"))
    own = len(keys & _TELLING)
    if not keys & _TRAINS:
        return 0.0
    return 0.9 if own >= 3 and keys & _SHAPE else 0.6 if own >= 5 else 0.0


def read(document: Document) -> Reading:
    flags = underscored(document)
    home = LISTED if isinstance(document.mapping and document.mapping.get(LISTED), Mapping) else ""
    if home and not _trains(flags, home):
        return Reading(FORMAT, Role.INFERENCE, document, Settings())
    return Reading(FORMAT, Role.TRAINER, document, *_settings(flags, home))


def _trains(flags: Document, home: str) -> bool:
    return any(flags.entry(f"{home}.{key}") is not None for key in _TRAINS)


def _settings(flags: Document, home: str) -> tuple[Settings, tuple[()], Any]:
    settings, misreads = read_keys(flags, Loader.OMEGACONF, OWN, home)
    look = Lookup(flags, Loader.OMEGACONF, home, misreads)
    if look.has("vision_model_type"):  # the sequence of image patches, not the language model's (examples/multimodal)
        settings = [setting for setting in settings if setting.name != "seq_len"]
    stated = any(setting.name == "attention" for setting in settings)
    together: list[Setting] = [
        *(() if stated else read_attention(look)),
        *read_precision(look),
        *read_states(look),
        *read_shard(look),
        *_model(look),
        *_optimizer(look),
        *_every(look),
    ]
    return Settings((*together, *settings)), (), tuple(misreads)


_OTHER_SHAPES = ("language_model_type", "vision_model_type", "encoder_seq_length", "decoder_seq_length")
"""Flags of models with a vision tower, and of encoders (BERT, T5)."""


def _model(look: Lookup) -> list[Setting]:
    """Numbers, or where the tokenizer's file alone tells the rows of the vocabulary, that those are what lacks."""
    if look.has(*_OTHER_SHAPES):
        return []
    rows = megatron_vocabulary(look)
    found = custom_model(look, MEGATRON, megatron_style(look), rows or 1)
    if rows is not None or look.has(*MEGATRON.vocabulary):
        return found
    return [replace(one, value=None, text=NO_VOCABULARY, state="symbolic") if one.known else one for one in found]


def _optimizer(look: Lookup) -> list[Setting]:
    raw = look.raw("optimizer")
    return read_optimizer(raw, FORMAT, look.misreads) if raw else []


def _every(look: Lookup) -> list[Setting]:
    """``recompute_method: uniform`` keeps the input of every n-th layer; ``block`` recomputes the first n layers only."""
    method = look.setting("", to_text, "recompute_method")
    count = look.setting("recompute_every", to_every, "recompute_num_layers")
    if method is None or count is None or method.value not in METHODS:
        return []
    return [renamed(count, METHODS[str(method.value)], count.value)]


_ARGUMENTS = "Megatron-LM training/arguments.py "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "pretrain", "the program"),
    ("adapter", "none", "no adapters"),
    ("quant", "none", "no quantised base"),
    ("optimizer", "megatron_adam", "optimizer: adam"),
    ("weight_decay", 0.01, "weight_decay"),
    ("adam_beta1", 0.9, "adam_beta1"),
    ("adam_beta2", 0.999, "adam_beta2"),
    ("adam_epsilon", 1e-8, "adam_eps"),
    ("max_grad_norm", 1.0, "clip_grad"),
    ("lr_scheduler", "linear", "lr_decay_style"),
    ("tensor_parallel", 1, "tensor_model_parallel_size"),
    ("pipeline_parallel", 1, "pipeline_model_parallel_size"),
    ("context_parallel", 1, "context_parallel_size"),
    ("expert_parallel", 1, "expert_model_parallel_size"),
    ("sequence_parallel", False, "sequence_parallel"),
    ("recompute", "none", "recompute_granularity"),
    ("weights_dtype", "fp32", "params_dtype without fp16 and bf16"),
    ("autocast", "none", "weights are kept in their own dtype"),
    ("shard", "ddp", "use_distributed_optimizer"),
    ("kernels", (), "kernels of megatron-core"),
    ("pad_to_seq_len", True, "samples have seq_length tokens"),
)


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    yield from attention_default(settings, stack)
    yield from (default(name, value, _ARGUMENTS + key) for name, value, key in _FIXED)
    yield from engine_defaults(settings)
    yield from accumulation(settings)


READER = Reader(FORMAT, Role.TRAINER, Loader.OMEGACONF, recognise, read, defaults, package="megatron")
