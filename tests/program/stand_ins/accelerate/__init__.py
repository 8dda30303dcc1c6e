"""The little of accelerate that training scripts touch."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import torch
from recorder import sink

from accelerate import utils


class Accelerator:
    __stand_in__ = True

    @sink("accelerate.Accelerator")
    def __init__(
        self,
        device_placement: bool = True,
        split_batches: Any = None,
        mixed_precision: Any = None,
        gradient_accumulation_steps: int = 1,
        cpu: bool = False,
        dataloader_config: Any = None,
        deepspeed_plugin: Any = None,
        fsdp_plugin: Any = None,
        megatron_lm_plugin: Any = None,
        rng_types: Any = None,
        log_with: Any = None,
        project_dir: Any = None,
        project_config: Any = None,
        gradient_accumulation_plugin: Any = None,
        step_scheduler_with_optimizer: bool = True,
        kwargs_handlers: Any = None,
        dynamo_backend: Any = None,
    ) -> None:
        self.device, self.num_processes, self.process_index, self.local_process_index = torch.device("cuda", 0), 1, 0, 0
        self.is_main_process = self.is_local_main_process = self.sync_gradients = True
        self.gradient_accumulation_steps, self.mixed_precision = gradient_accumulation_steps, mixed_precision or "no"
        self.state = SimpleNamespace(deepspeed_plugin=deepspeed_plugin, num_processes=1)

    @sink("accelerate.Accelerator.prepare")
    def prepare(self, *args: Any, device_placement: Any = None) -> Any:
        return args if len(args) > 1 else args[0]

    prepare_model = prepare

    @sink("accelerate.Accelerator.backward")
    def backward(self, loss: Any, **kwargs: Any) -> None:
        """Recorded only."""

    def accumulate(self, *models: Any) -> Any:
        return nullcontext()

    def autocast(self, *args: Any, **kwargs: Any) -> Any:
        return nullcontext()

    @contextmanager
    def main_process_first(self) -> Any:
        yield

    def unwrap_model(self, model: Any, **kwargs: Any) -> Any:
        return model

    def clip_grad_norm_(self, *args: Any, **kwargs: Any) -> float:
        return 1.0

    def gather(self, tensor: Any) -> Any:
        return tensor

    gather_for_metrics = reduce = gather

    def _nothing(self, *args: Any, **kwargs: Any) -> None:
        """Says nothing."""

    print = log = init_trackers = end_training = wait_for_everyone = save_state = load_state = save = save_model = free_memory = _nothing
    register_for_checkpointing = _nothing

    def get_state_dict(self, model: Any) -> dict[str, Any]:
        return {}


class PartialState:
    """One process."""

    process_index = local_process_index = 0
    num_processes = 1
    is_main_process = True


@contextmanager
def init_empty_weights(**kwargs: Any) -> Any:
    yield


def infer_auto_device_map(*args: Any, **kwargs: Any) -> dict[str, int]:
    return {"": 0}


__all__ = ["Accelerator", "PartialState", "utils"]
