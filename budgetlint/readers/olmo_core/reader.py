"""OLMo-core's SFT programs: ``python src/scripts/train/sft/OLMo-sft.py train NAME CHECKPOINT CLUSTER --seq_len=32768 ...``.

Source: OLMo-core ``src/scripts/train/sft/OLMo-sft.py`` (0d2824f): HSDP within machines of eight, parameters gathered in bf16, fp32
gradients, the feed-forwards checkpointed, SkipStepAdamW, compiled; `BatchSizeConfig` for the batch in tokens. Overrides of the
program's config (``--train_module.optim.lr``) are flags too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.expression import expression
from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Key, Reader, default, read_keys, to_count, to_float, to_text, unsettled
from budgetlint.readers.derived import derived
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Reading, Role, Setting, Settings, Stack

FORMAT = "olmo_core"
_PROGRAM = expression(r"(?:.*/)?scripts/train/sft/([\w.-]+)\.py")
_MODELS = {
    "olmo2-7b": "olmo-2-7b", "olmo3-7b": "olmo-3-7b", "olmo3-32b": "olmo-3-32b",
    "Olmo-2-7B-SFT": "olmo-2-7b", "Olmo-3-7B-SFT": "olmo-3-7b", "Olmo-3-32B-SFT": "olmo-3-32b",
}  # fmt: skip
"""``--model_name``, and programs that train one model."""
KEYS = (
    Key("seq_len", "seq_len", to_count),
    Key("num_nodes", "nodes", to_count),
    Key("launch.num_gpus", "devices_per_node", to_count),
    Key("train_module.optim.lr", "learning_rate", to_float),
    Key("train_module.optim.weight_decay", "weight_decay", to_float),
    Key("train_module.max_grad_norm", "max_grad_norm", to_float),
    Key("trainer.max_duration.value", "num_epochs", to_float),
)
_PER_RANK = 16_384
"""Tokens of a micro batch on one rank of an H100, by the program."""
_PER_NODE = 8


def recognise(document: Document) -> float:
    return 1.0 if document.is_command and _PROGRAM.fullmatch(document.program) else 0.0


def read(document: Document) -> Reading:
    settings, misreads = read_keys(document, Loader.SHELL, KEYS)
    look = Lookup(document, Loader.SHELL, misreads=misreads)
    return Reading(FORMAT, Role.TRAINER, document, Settings((*settings, *_model(look), *_batch(look))), (), tuple(misreads))


def _model(look: Lookup) -> Iterator[Setting]:
    """A program that trains one model names it itself."""
    named = look.setting("model", to_text, "model_name")
    if named is not None:
        yield renamed(named, "model", _MODELS.get(str(named.value), named.value))
        return
    found = _PROGRAM.fullmatch(look.document.program)
    model = _MODELS.get(found[1]) if found else None
    if model is not None:
        yield default("model", model, f"OLMo-core {look.document.program}")


def _batch(look: Lookup) -> Iterator[Setting]:
    """The batch is given in tokens: sequences of `seq_len`, as many in a micro batch as one rank holds."""
    tokens, length = look.setting("", to_count, "global_batch_size"), look.setting("", to_count, "seq_len")
    if tokens is not None and tokens.known and (length is None or length.known):
        yield renamed(tokens, "global_batch", tokens.value // (length.value if length else _PER_RANK))
    elif tokens is not None:
        yield Setting("global_batch", None, tokens.origin, tokens.text, "symbolic")


_SCRIPT = "OLMo-core OLMo-sft.py "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("task", "sft", _SCRIPT + "SFTConfig"),
    ("adapter", "none", _SCRIPT + "trains every parameter"),
    ("quant", "none", _SCRIPT + "loads no quantised weights"),
    ("seq_len", _PER_RANK, _SCRIPT + "DEFAULT_SEQUENCE_LENGTH"),
    ("nodes", 1, _SCRIPT + "DEFAULT_NUM_NODES"),
    ("devices_per_node", _PER_NODE, _SCRIPT + "GPUS_PER_NODE"),
    ("learning_rate", 8e-5, _SCRIPT + "SkipStepAdamWConfig.lr"),
    ("weight_decay", 0.0, _SCRIPT + "SkipStepAdamWConfig.weight_decay"),
    ("max_grad_norm", 1.0, _SCRIPT + "max_grad_norm"),
    ("num_epochs", 3.0, _SCRIPT + "Duration.epochs(3)"),
    ("shard", "fsdp2", _SCRIPT + "TransformerDataParallelConfig"),
    ("wrap", "layer", _SCRIPT + "TransformerDataParallelConfig"),
    ("weights_dtype", "fp32", _SCRIPT + "TransformerConfig.dtype"),
    ("autocast", "bf16", _SCRIPT + "param_dtype=bfloat16"),
    ("grads_dtype", "fp32", _SCRIPT + "reduce_dtype=float32"),
    ("offload_params", "none", _SCRIPT + "no offload"),
    ("offload_optimizer", "none", _SCRIPT + "no offload"),
    ("optimizer", "adamw", _SCRIPT + "SkipStepAdamWConfig"),
    ("optimizer_impl", "for-loop", _SCRIPT + "SkipStepAdamWConfig compile=False"),
    ("model_code", "olmo-core", "OLMo-core nn/transformer; gradients are reduced in each micro batch"),
    ("attention", "flash", _SCRIPT + "use_flash=True"),
    ("packing", True, _SCRIPT + "NumpyPackedFSLDatasetConfig"),
    ("pad_to_seq_len", True, _SCRIPT + "NumpyPackedFSLDatasetConfig"),
    ("kernels", (), _SCRIPT + "no Liger"),
    ("compile", True, _SCRIPT + "compile_model=True"),
    ("tensor_parallel", 1, _SCRIPT + "no tensor parallelism"),
    ("eval_on", False, _SCRIPT + "no evaluation"),
)


def defaults(settings: Settings, _stack: Stack) -> Iterable[Setting]:
    yield from (default(name, value, note) for name, value, note in _FIXED)
    yield unsettled("recompute", ("full", "none"), _SCRIPT + "selected_modules: blocks.*.feed_forward, between all and nothing")
    nodes = settings.value("nodes", 1)
    yield default("shard_strategy", "hybrid" if nodes > 1 else "full", _SCRIPT + "DataParallelType.hsdp, shard_degree within a machine")
    length, ranks = settings.value("seq_len", _PER_RANK), nodes * settings.value("devices_per_node", _PER_NODE)
    yield from _per_rank(settings, length, ranks)


def _per_rank(settings: Settings, length: int, ranks: int) -> Iterator[Setting]:
    """`BatchSizeConfig`: a sequence beyond what one rank holds is split over ranks, and a larger batch accumulates, both by doubling."""
    split = 1
    while length // split > _PER_RANK:
        split *= 2
    stated = settings.get("seq_len")
    yield derived("context_parallel", split, _SCRIPT + "BatchSizeConfig.cp_degree", stated)
    batch = settings.get("global_batch")
    if batch is not None and batch.known and ranks >= split:
        tokens, steps = batch.value * length // (ranks // split), 1
        while tokens // steps > _PER_RANK * split:
            steps *= 2
        yield derived("micro_batch", max(1, tokens // steps // length), _SCRIPT + "BatchSizeConfig.rank_microbatch_size_sequences", batch)
        yield derived("grad_accum", steps, _SCRIPT + "BatchSizeConfig.grad_accum_steps", batch)


READER = Reader(FORMAT, Role.TRAINER, Loader.SHELL, recognise, read, defaults, package="ai2-olmo-core")
