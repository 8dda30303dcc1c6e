"""The little of deepspeed that training scripts touch."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import torch
from recorder import sink

from deepspeed import ops, zero


class DeepSpeedEngine(torch.nn.Module):
    def __init__(self, model: Any) -> None:
        super().__init__()
        self.module, self.device, self.local_rank = model, "cuda:0", 0

    @sink("deepspeed.DeepSpeedEngine.backward")
    def backward(self, loss: Any, **kwargs: Any) -> None:
        """Recorded only."""

    def step(self, *args: Any) -> None:
        """Nothing is updated."""

    def gradient_accumulation_steps(self) -> int:
        return 1

    def train_micro_batch_size_per_gpu(self) -> int:
        return 1

    def is_gradient_accumulation_boundary(self) -> bool:
        return True

    def save_checkpoint(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is written."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)


@sink("deepspeed.initialize")
def initialize(
    args: Any = None,
    model: Any = None,
    optimizer: Any = None,
    model_parameters: Any = None,
    training_data: Any = None,
    lr_scheduler: Any = None,
    distributed_port: int = 29500,
    mpu: Any = None,
    dist_init_required: Any = None,
    collate_fn: Any = None,
    config: Any = None,
    mesh_param: Any = None,
    config_params: Any = None,
) -> Any:
    return DeepSpeedEngine(model), optimizer, [{"input_ids": torch.Tensor(1, 3)}], lr_scheduler


def init_distributed(*args: Any, **kwargs: Any) -> None:
    """There is no other process."""


def add_config_arguments(parser: Any) -> Any:
    group = parser.add_argument_group("DeepSpeed", "DeepSpeed configurations")
    group.add_argument("--deepspeed", default=False, action="store_true")
    group.add_argument("--deepspeed_config", default=None, type=str)
    return parser


@contextmanager
def _quiet(*args: Any, **kwargs: Any) -> Any:
    yield


__all__ = ["initialize", "ops", "zero"]
