"""The optimizers: found by any ecosystem's spelling; the bytes of their state by the layouts they really use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from budgetlint.catalog.names import NoMatch, fold, near, squeeze
from budgetlint.catalog.optimizer import Optimizer, StateTensor

MODULES = (
    ("bitsandbytes", "bnb"),
    ("bnb.", "bnb"),
    ("torchao", "torchao"),
    ("torch.optim", "torch"),
    ("deepspeed", "deepspeed"),
    ("apex", "apex"),
    ("transformer_engine", "te"),
    ("megatron", "megatron"),
    ("nemo", "nemo"),
    ("llmfoundry", "llm_foundry"),
    ("composer", "llm_foundry"),
    ("transformers", "hf"),
)
"""The start of a dotted class path -> the ecosystem whose reading of the last part counts."""

_FUSED, _MEGATRON = "fused_adam", "megatron_adam"

BY_ECOSYSTEM: dict[tuple[str, str], str] = {
    # deepspeed/runtime/engine.py:2095-2141: Adam and AdamW are FusedAdam with adam_w_mode true
    ("deepspeed", "adam"): _FUSED,
    ("deepspeed", "adamw"): _FUSED,
    ("deepspeed", "lion"): "fused_lion",
    ("apex", "adam"): _FUSED,
    ("te", "adam"): _FUSED,
    # megatron/training.py:1047-1082 of gpt-neox: apex or DeepSpeed FusedAdam
    ("gpt_neox", "adam"): _FUSED,
    ("gpt_neox", "adamw"): _FUSED,
    ("gpt_neox", "cpuadam"): "cpu_adam",
    ("gpt_neox", "cputorchadam"): "adam",
    ("gpt_neox", "sgd"): "momentum",
    # megatron/core/optimizer: TE or apex FusedAdam, decoupled_weight_decay true
    ("megatron", "adam"): _MEGATRON,
    ("megatron", "adamw"): _MEGATRON,
    ("verl", "adam"): _MEGATRON,
    ("nemo_rl", "adam"): _MEGATRON,
    # nemo/core/optim/optimizers.py:35, 53
    ("nemo", "adam"): "adam",
    ("nemo", "sgd"): "momentum",
    ("bnb", "adam"): "adam_bnb_32bit",
    ("bnb", "adamw"): "adamw_bnb_32bit",
    ("bnb", "lion"): "lion_32bit",
    ("bnb", "rmsprop"): "rmsprop_bnb",
    ("bnb", "ademamix"): "ademamix",
    ("torch", "adafactor"): "adafactor_torch",
    ("torchao", "adamw8bit"): "adamw_torch_8bit",
    ("torchao", "adamw4bit"): "adamw_torch_4bit",
    ("torchao", "adamwfp8"): "adamw_torch_fp8",
    # torchtitan config/job_config.py: implementation "fused" unless said otherwise
    ("torchtitan", "adamw"): "adamw_torch_fused",
    # litgpt and torchtune build the torch class that is named
    ("llm_foundry", "adam"): "adam",
}


@lru_cache(maxsize=1024)  # a folder of configs names few optimizers
def find_optimizer(spelling: str, ecosystem: str = "") -> Optimizer | NoMatch:
    """The optimizer that ``spelling`` names in ``ecosystem`` (the reader's name; "" for a budget).

    ``Adam`` is not one thing: DeepSpeed, Megatron, GPT-NeoX, apex and bitsandbytes decouple the decay, torch and NeMo use
    L2. A dotted class path brings its own ecosystem.
    """
    key, last = squeeze(spelling), squeeze(spelling.rpartition(".")[2])
    home = _home(spelling) or ecosystem
    for name in (BY_ECOSYSTEM.get((home, last)), _keys().get(key), _keys().get(last)):
        if name is not None:
            return _table()[name]
    return NoMatch(spelling, suggestions=near(spelling, _folded()))


def all_optimizers() -> tuple[Optimizer, ...]:
    return tuple(_table().values())


# -- bytes ------------------------------------------------------------------------------------------------------------

BITS = {"fp32": 32, "bf16": 16, "fp16": 16, "uint8": 8, "fp8": 8, "uint4": 4}


def state_bytes_of(optimizer: Optimizer, tensors: Iterable[tuple[int, int, int]], dtype_bytes: int) -> int:
    """Bytes of optimizer state for ``tensors`` as ``(rows, columns, how many)``; columns 1 (or 0) is a vector.

    ``dtype_bytes`` is what ``state`` dtypes take: the stored parameter's size, or 4 where an fp32 master is stepped.
    """
    return sum(count * _tensor_bytes(state, rows, columns, dtype_bytes) for rows, columns, count in tensors for state in optimizer.states)


def each_state_bytes(optimizer: Optimizer, tensors: Iterable[tuple[int, int, int]], dtype_bytes: int) -> tuple[int, ...]:
    """The same by state."""
    shapes = tuple(tensors)
    return tuple(
        [sum([count * _tensor_bytes(state, rows, cols, dtype_bytes) for rows, cols, count in shapes]) for state in optimizer.states]
    )


def _tensor_bytes(state: StateTensor, rows: int, columns: int, dtype_bytes: int) -> int:
    numel = rows * max(columns, 1)
    elements = _LAYOUTS[state.layout](rows, columns, state.rank)
    bits = _bits(state.dtype, dtype_bytes)
    if not state.block:
        return int(elements * state.scale) * bits // 8
    measured = elements if state.rank else numel
    if measured < state.small or (state.whole and measured % state.block):
        return int(elements * state.scale) * _bits(state.small_dtype, dtype_bytes) // 8
    blocks = -(-elements // state.block)
    return int(elements * state.scale) * bits // 8 + 4 * int(blocks * state.scale)


def _bits(dtype: str, dtype_bytes: int) -> int:
    if dtype == "low":
        return 8 * dtype_bytes if dtype_bytes < 4 else 0
    return BITS.get(dtype, 8 * dtype_bytes)


def _low_rank(rows: int, columns: int, rank: int) -> int:
    return max(rows, columns) * min(rank, rows, columns) if columns > 1 else rows


_LAYOUTS: dict[str, Callable[[int, int, int], int]] = {
    "full": lambda rows, columns, _: rows * max(columns, 1),
    "factored": lambda rows, columns, _: rows + columns if columns > 1 else rows,
    "low-rank": _low_rank,
    "projector": lambda rows, columns, rank: min(rows, columns) * min(rank, rows, columns) if columns > 1 else 0,
    "row": lambda rows, columns, _: rows if columns > 1 else 1,
    "scalar": lambda _rows, _columns, _rank: 1,
    "matrix": lambda rows, columns, _: rows * columns if columns > 1 else 0,
    "vector": lambda rows, columns, _: rows if columns <= 1 else 0,
}


# -- tables -----------------------------------------------------------------------------------------------------------


def _home(spelling: str) -> str:
    lowered = spelling.lower()
    return next((name for start, name in MODULES if lowered.startswith(start) and "." in lowered), "")


@cache
def _table() -> dict[str, Optimizer]:
    from budgetlint.catalog.optimizer_table import OPTIMIZERS

    return {row.name: row for row in OPTIMIZERS}


@cache
def _folded() -> dict[str, str]:
    spellings = {fold(text): row.name for row in _table().values() for text in row.spellings}
    return {**spellings, **{fold(name): name for name in _table()}}


@cache
def _keys() -> dict[str, str]:
    return {squeeze(key): name for key, name in _folded().items()}
