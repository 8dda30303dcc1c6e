"""Optimizers of single projects."""

from __future__ import annotations

from budgetlint.catalog.optimizer import Optimizer, StateTensor
from budgetlint.catalog.optimizer_rows.parts import ADAM, M, V, row

ROWS: tuple[Optimizer, ...] = (
    row(
        "lion",
        "lion_pytorch",
        (M,),
        "decoupled",
        "lion_pytorch lion_pytorch.Lion",
        "lion-pytorch 0.2.5 lion_pytorch.py:84: one momentum like the parameter",
        wd=0.0,
    ),
    row(
        "decoupled_adamw",
        "llmfoundry",
        ADAM,
        "decoupled",
        "DecoupledAdamW",
        "composer/optim/decoupled_weight_decay.py: decay scaled by lr/initial_lr (layout as published, code not read)",
        wd=1e-5,
    ),
    row(
        "decoupled_lionw",
        "llmfoundry",
        (M,),
        "decoupled",
        "DecoupledLionW decoupled_lionw_8b decoupled_lionw_8bit",
        "llm-foundry optim/lion.py (layout as published, code not read)",
        wd=0.0,
    ),
    row(
        "decoupled_sgdw",
        "llmfoundry",
        (StateTensor("momentum_buffer"),),
        "decoupled",
        "DecoupledSGDW",
        "composer/optim/decoupled_weight_decay.py (layout as published, code not read)",
        wd=1e-5,
    ),
    row(
        "madgrad",
        "madgrad",
        (StateTensor("grad_sum_sq"), StateTensor("s"), StateTensor("x0")),
        "l2",
        "madgrad_wd",
        "facebookresearch/madgrad (layout as published, code not read)",
        wd=0.0,
        adam_like=False,
    ),
    row(
        "prodigy",
        "prodigyopt",
        (M, V, StateTensor("s"), StateTensor("p0")),
        "decoupled",
        "",
        "prodigyopt 1.1.2 prodigy.py:172-184 (slice_p 1)",
        wd=0.0,
    ),
    row(
        "sophia",
        "sophia",
        (M, StateTensor("hessian")),
        "decoupled",
        "sophiag",
        "Liuhong99/Sophia (layout as published, code not read)",
        wd=0.1,
    ),
)
