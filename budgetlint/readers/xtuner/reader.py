"""XTuner up to 0.2: Python configs of mmengine's kind, and ``xtuner train CONFIG --deepspeed deepspeed_zero2``.

Sources: xtuner 0.2.0 ``configs/``, ``tools/train.py`` (``--deepspeed`` replaces the optimizer wrapper by DeepSpeed's, bf16 where the card
has it), ``model/sft.py`` (checkpointing by default; with flash-attn installed the weights are 16-bit), ``engine/_strategy``; mmengine
0.10 ``optim/optimizer/amp_optimizer_wrapper.py`` (autocast, float16 by default).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.documents import Document, Loader, Mapping, Scalar, Sequence
from budgetlint.readers.base import (
    Key,
    Reader,
    default,
    loader_of,
    read_keys,
    to_bool,
    to_count,
    to_dtype,
    to_float,
    to_int,
    to_text,
    unsettled,
)
from budgetlint.readers.hf.adapters import read_quant
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.settings.run import Reading, Reference, Role, Setting, Settings, Stack

FORMAT = "xtuner"
_TASKS = {"SupervisedFinetune": "sft", "DPO": "dpo", "ORPO": "orpo", "RewardModel": "reward"}
KEYS = (
    Key("pretrained_model_name_or_path", "model", to_text),
    Key("model.llm.pretrained_model_name_or_path", "model", to_text),
    Key("model.llm.torch_dtype", "weights_dtype", to_dtype),
    Key("batch_size", "micro_batch", to_count),
    Key("train_dataloader.batch_size", "micro_batch", to_count),
    Key("optim_wrapper.accumulative_counts", "grad_accum", to_count),
    Key("max_length", "seq_len", to_count),
    Key("train_dataloader.dataset.max_length", "seq_len", to_count),
    Key("pack_to_max_length", "packing", to_bool),
    Key("train_dataloader.dataset.pack_to_max_length", "packing", to_bool),
    Key("sequence_parallel_size", "context_parallel", to_count),
    Key("optim_wrapper.optimizer.lr", "learning_rate", to_float),
    Key("optim_wrapper.optimizer.weight_decay", "weight_decay", to_float),
    Key("optim_wrapper.clip_grad.max_norm", "max_grad_norm", to_float),
    Key("train_cfg.max_epochs", "num_epochs", to_float),
    Key("train_cfg.max_iters", "max_steps", to_int),
)


def _to_words(value: Any) -> Any:
    return tuple(item.text for item in value.items if isinstance(item, Scalar)) if isinstance(value, Sequence) else to_text(value)


_LORA = (
    Key("r", "lora_r", to_count),
    Key("lora_alpha", "lora_alpha", to_float),
    Key("lora_dropout", "lora_dropout", to_float),
    Key("target_modules", "lora_targets", _to_words),
)


def recognise(document: Document) -> float:
    """A model of ``xtuner.`` beside mmengine's loader and optimizer; the tool's own command."""
    if document.is_command:
        return 1.0 if document.program == "xtuner train" else 0.0
    model = document.get("model.type") if document.format == "python" else None
    return 1.0 if isinstance(model, Scalar) and model.text.startswith("xtuner.") and document.entry("optim_wrapper") else 0.0


def read(document: Document) -> Reading:
    look = Lookup(document, loader_of(document, Loader.PYTHON))
    settings, misreads = read_keys(document, look.loader, KEYS)
    look.misreads.extend(misreads)
    together = () if document.is_command else (*_optimizer(look), *_adapter(look), *_switches(look))
    quant = read_quant(look.under("model.llm"), "nf4") if document.format == "python" else ()
    return Reading(FORMAT, Role.TRAINER, document, Settings((*settings, *quant, *together)), tuple(_engine(look)), tuple(look.misreads))


def _engine(look: Lookup) -> Iterator[Reference]:
    """A file, or one that XTuner ships (``deepspeed_zero2``)."""
    raw = look.raw("deepspeed") if look.document.is_command else None
    if raw is not None and isinstance(raw.node, Scalar):
        yield Reference(Role.ENGINE, raw.text, raw.origin)


def _optimizer(look: Lookup) -> Iterator[Setting]:
    raw = look.raw("optim_wrapper.optimizer.type")
    if raw is not None:
        yield from read_optimizer(raw, FORMAT, look.misreads)


def _adapter(look: Lookup) -> Iterator[Setting]:
    raw = look.raw("model.lora")
    if raw is None:
        return
    if not isinstance(raw.node, Mapping):
        yield Setting("adapter", None, raw.origin, raw.text, "symbolic", readings=("lora", "none"))
        return
    settings, misreads = read_keys(look.document, look.loader, _LORA, "model.lora")
    look.misreads.extend(misreads)
    yield from (Setting("adapter", "lora", raw.origin, "lora"), *settings)


def _switches(look: Lookup) -> Iterator[Setting]:
    checkpointing = look.switch("model.use_activation_checkpointing")
    if checkpointing is not None:
        yield renamed(checkpointing, "recompute", "full" if checkpointing.value else "none")
    wrapper, dtype = look.raw("optim_wrapper.type"), look.raw("optim_wrapper.dtype")
    if wrapper is not None and wrapper.text.endswith("AmpOptimWrapper"):
        stated = look.setting("autocast", to_dtype, "optim_wrapper.dtype") if dtype is not None else None
        yield stated or Setting("autocast", "fp16", wrapper.origin, wrapper.text)
    kind = look.raw("model.type")
    task = _TASKS.get(kind.text.rpartition(".")[2]) if kind is not None else None
    if kind is not None and task is not None:
        yield Setting("task", task, kind.origin, kind.text)


_SFT = "xtuner model/sft.py "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("adapter", "none", _SFT + "lora=None"),
    ("quant", "none", "xtuner configs: no quantization_config"),
    ("recompute", "full", _SFT + "use_activation_checkpointing=True"),
    ("autocast", "none", "mmengine OptimWrapper: no autocast"),
    ("grad_accum", 1, "mmengine OptimWrapper.accumulative_counts"),
    ("context_parallel", 1, "xtuner sequence_parallel_size"),
    ("packing", False, "xtuner process_hf_dataset pack_to_max_length: false"),
    ("loss", "full", _SFT + "the model's own loss"),
    ("kernels", (), "xtuner has no Liger kernels"),
    ("use_cache", False, _SFT + "llm.config.use_cache = False"),
    ("eval_on", False, "xtuner configs: val_dataloader None"),
    ("compile", False, "xtuner compiles nothing"),
)


def defaults(_settings: Settings, _stack: Stack) -> Iterable[Setting]:
    yield from (default(name, value, note) for name, value, note in _FIXED)
    yield unsettled("weights_dtype", ("bf16", "fp32"), _SFT + "_prepare_for_flash_attn: 16-bit where flash-attn is installed, else fp32")
    yield unsettled("attention", ("flash", "sdpa"), _SFT + "_dispatch_lm_model_cfg: flash where flash-attn is installed")


READER = Reader(FORMAT, Role.TRAINER, Loader.PYTHON, recognise, read, defaults, package="xtuner")
