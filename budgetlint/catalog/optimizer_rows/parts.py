"""What rows of the optimizer table are made of: sources, states that many share, and the row itself."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.optimizer import Optimizer, StateTensor

TORCH = "torch 2.13.0 torch/optim"
BNB = "bitsandbytes 0.50.2 optim/optimizer.py (block 256, below 4096 elements fp32; paged from 1e5 elements)"
BNB_DECAY = "bitsandbytes csrc/kernels.cu:700-709, 1103-1104: both Adam and AdamW decouple the decay"
AO = "torchao 0.18.0 optim/adam.py (at least 4096 elements and a multiple of the block)"
HF = "transformers 5.24.0 trainer_optimizer.py"
DS = "deepspeed/runtime/engine.py:2095-2141, ops/adam (adam_w_mode true by default since dd03cff29)"
GALORE = "galore-torch 1.0 galore_projector.py, adamw.py"
APOLLO = "apollo-torch 1.0.3 apollo.py, random_projector.py"

M, V = StateTensor("exp_avg"), StateTensor("exp_avg_sq")
WORKER = StateTensor("worker_error", "fp32")
KAHAN = StateTensor("kahan_comp", "low")
M32, V32 = StateTensor("exp_avg", "fp32"), StateTensor("exp_avg_sq", "fp32")
B1, B2 = (StateTensor(name, "uint8", block=256, small=4096) for name in ("state1", "state2"))
ADAM, ADAM32, ADAM8 = (M, V), (M32, V32), (B1, B2)


def ao(dtype: str) -> tuple[StateTensor, StateTensor]:
    first = StateTensor("exp_avg", dtype, block=256, small=4096, small_dtype="state", whole=True)
    return first, replace(first, name="exp_avg_sq")


def low_rank(rank: int, dtype: str = "state", block: int = 0, small: int = 0) -> tuple[StateTensor, ...]:
    moments = tuple(StateTensor(name, dtype, layout="low-rank", rank=rank, block=block, small=small) for name in ("exp_avg", "exp_avg_sq"))
    return (*moments, StateTensor("projector", layout="projector", rank=rank))


def factored(dtype: str) -> StateTensor:
    return StateTensor("exp_avg_sq", dtype, layout="factored")


def row(
    name: str,
    library: str,
    states: tuple[StateTensor, ...],
    decay: str,
    spellings: str,
    *sources: str,
    wd: float | None = None,
    **more: object,
) -> Optimizer:
    adam = more.pop("adam_like", None)
    like = decay in ("decoupled", "l2") and len(states) >= 2 if adam is None else bool(adam)
    return Optimizer(name, library, states, decay, tuple(spellings.split()), wd, like, sources=sources, **more)  # type: ignore[arg-type]
