"""Two training steps of a model, phase by phase, under the mode that follows storages.

The second step is the one that counts: the optimizer's states are there. Backward is split at the gradients of the layers' outputs,
so that each part is linear in the number of layers (`depths.py`).
"""

from __future__ import annotations

import contextlib
import gc
from dataclasses import dataclass
from typing import Any

import torch

from budgetlint.probe.autocast import Autocast
from budgetlint.probe.build import base_of, build, inputs_of, layers_of, materialise
from budgetlint.probe.job import Inexpressible, Job
from budgetlint.probe.kernels import OnCpu, OnCuda
from budgetlint.probe.model_code import prepare
from budgetlint.probe.optimizers import optimizer_of
from budgetlint.probe.storage_tracker import StorageTracker
from budgetlint.probe.trace import BUFFERS, GRADIENTS, OPTIMIZER, WEIGHTS, Trace

STEPS = 2
MODES = {"cuda": OnCuda, "cpu": OnCpu}


@dataclass(frozen=True)
class Ran:
    """Two steps that were followed, and the attention kernels that ran."""

    trace: Trace
    kernels: tuple[str, ...]


def simulate(job: Job, layers: int | None = None, like: str = "cuda", unit: int = 512) -> Ran:
    """What the run would allocate on one device, with ``layers`` layers, ``like`` cuda or cpu."""
    _quiet()
    autocast = Autocast(like)
    mode = MODES[like](autocast)
    model = build(job, layers, flash=prepare(mode), checkpoint=_checkpoint(mode))
    trace = _sharded(job, model, mode) if job.shard in ("fsdp", "fsdp2") else ProbedRun(job, model, "meta", mode, unit).trace()
    return Ran(trace, tuple(sorted(mode.used)) or ("eager",))


def _sharded(job: Job, model: Any, mode: OnCuda) -> Trace:
    """FSDP refuses meta tensors: fake ones stand for those of a device. torch 2.9 has no collectives for them, 2.13 has."""
    from torch._subclasses.fake_tensor import FakeTensorMode, UnsupportedOperatorException

    try:
        return _on_fake_ranks(job, model, mode, FakeTensorMode(allow_non_fake_inputs=True))
    except UnsupportedOperatorException as lacking:
        raise Inexpressible(
            f"torch {torch.__version__} cannot run FSDP on fake tensors ({lacking}): pip install 'torch>=2.13'"
        ) from lacking


def _on_fake_ranks(job: Job, model: Any, mode: OnCuda, fake: Any) -> Trace:

    from budgetlint.probe import flat_sharding, sharding

    with sharding.ranks(job.world) as mesh, fake:
        materialise(model, "cpu")
        if job.shard == "fsdp":
            model, followed = flat_sharding.shard_flat(model, job), flat_sharding.followed_flat
        else:
            sharding.shard(model, job, mesh)
            followed = sharding.followed
        run = ProbedRun(job, model, "cpu", mode)
        with followed(run.follow):
            return run.trace()


class ProbedRun:
    """One model on one device, about to train."""

    def __init__(self, job: Job, model: Any, device: str, mode: OnCuda, unit: int = 512) -> None:
        self.job, self.model, self.device, self.mode = job, model, device, mode
        self.follow = StorageTracker(device, job.arch["vocab"] if job.task != "classifier" else 0, unit)
        self.hooks: list[Any] = []

    def trace(self) -> Trace:
        follow = self.follow
        follow.mark("load")
        self._hold()
        with follow:
            with follow.as_bucket(OPTIMIZER):
                optimizer = optimizer_of(self.job, self.model.parameters())
            kept = self._buckets()
            self._watch_layers()
            for _ in range(STEPS):
                self._step(optimizer)
        del kept
        for hook in self.hooks:
            hook.remove()
        return follow.trace

    def _hold(self) -> None:
        place = {id(parameter): index for index, layer in enumerate(layers_of(self.model)) for parameter in layer.parameters()}
        for parameter in self.model.parameters():
            self.follow.hold(parameter, WEIGHTS, place.get(id(parameter)))
        for buffer in self.model.buffers():
            self.follow.hold(buffer, WEIGHTS)

    def _buckets(self) -> list[torch.Tensor]:
        """DDP's copies of all gradients (torch/nn/parallel/distributed.py, ``gradient_as_bucket_view=False``)."""
        if self.job.shard != "ddp":
            return []
        with self.follow.as_bucket(BUFFERS):
            return [torch.empty_like(parameter) for parameter in self.model.parameters() if parameter.requires_grad]

    def _step(self, optimizer: Any) -> None:
        for _ in range(min(self.job.accum, 2)):  # every later micro batch is as the second
            self._micro_batch()
        follow = self.follow
        follow.belongs((p.grad for p in self.model.parameters() if p.grad is not None), GRADIENTS)
        follow.mark("step")
        optimizer.step()
        follow.settle_step()
        optimizer.zero_grad()

    def _micro_batch(self) -> None:
        self.follow.mark("forward")
        inputs = inputs_of(self.job, self.device)
        with self.mode, self.mode.autocast.region() if self.job.autocast else contextlib.nullcontext():
            loss = self.model(**inputs).loss
        gc.collect()
        self.follow.mark("backward: the loss")
        loss.backward()
        self.follow.layer = None

    # -- where the backward is -----------------------------------------------------------------------------------------------

    def _watch_layers(self) -> None:
        stack = layers_of(self.model)
        for index, layer in enumerate(stack):
            self.hooks.append(layer.register_forward_pre_hook(self._enters(index, len(stack))))
            self.hooks.append(layer.register_forward_hook(self._leaves(index, len(stack)), always_call=True))
        table = base_of(self.model).get_input_embeddings()
        self.hooks.append(table.register_forward_hook(lambda _, __, made: self._at_gradient(made, "backward: the embedding", None)))

    def _enters(self, index: int, count: int) -> Any:
        def hook(*_: Any) -> None:
            self.follow.layer = index
            if self.follow.phase.startswith("backward"):  # made again, out of its checkpoint
                self._reach(f"backward: {place(index, count)}")

        return hook

    def _leaves(self, index: int, count: int) -> Any:
        def hook(_: Any, __: Any, made: Any) -> None:
            if self.follow.phase.startswith("backward"):
                return
            if index == count - 1:  # what is freed between two layers is the first one's
                self.follow.layer = None
            out = made[0] if isinstance(made, tuple) else made
            self._at_gradient(out, f"backward: {place(index, count)}", index)

        return hook

    def _at_gradient(self, tensor: Any, phase: str, layer: int | None) -> None:
        """When the gradient of this tensor is there, this phase begins."""

        def reached(_: Any) -> None:
            self._reach(phase)
            self.follow.layer = layer

        if isinstance(tensor, torch.Tensor) and tensor.requires_grad and self.follow.phase == "forward":
            tensor.register_hook(reached)

    def _reach(self, phase: str) -> None:
        if self.follow.phase != phase:
            self.follow.mark(phase)


def place(index: int, count: int) -> str:
    """The name of a layer by where it stands; those in the middle share one."""
    names = {0: "the first layer", 1: "the second layer", count - 2: "the last layer but one", count - 1: "the last layer"}
    return names.get(index, "the layers between")


def _checkpoint(mode: OnCuda) -> Any:
    """`torch.utils.checkpoint.checkpoint`, which turns on again what was on: torch's own knows the autocast of real devices only, and a
    backward runs outside of function modes."""
    from torch.utils.checkpoint import checkpoint

    def wrapped(function: Any, *args: Any, **kwargs: Any) -> Any:
        on = mode.autocast.on

        def again(*inner: Any, **named: Any) -> Any:
            with mode.active(), mode.autocast.region(on):
                return function(*inner, **named)

        return checkpoint(again, *args, preserve_rng_state=False, **kwargs)

    return wrapped


def _quiet() -> None:
    import transformers

    transformers.logging.set_verbosity_error()
