"""The run on real tensors: warm-up, then measured steps phase by phase, then one more in which every storage is followed.

Weights are random and made on the device; a step of a model does the same with any of them. The measured steps run as the trainer runs
them, with nothing in between; only on a CPU, which has no counters, the mode that follows storages counts there too.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import torch

from budgetlint.probe import engines, quantise
from budgetlint.probe.build import adapted, build, inputs_of, materialise, recompute
from budgetlint.probe.job import Inexpressible
from budgetlint.probe.machine import Machine, machine_for
from budgetlint.probe.measurement import Measurement, Moment, Use
from budgetlint.probe.optimizers_real import real_optimizer, states_of
from budgetlint.probe.record import PhasePeak
from budgetlint.probe.simulated import Progress, phases_of, versions
from budgetlint.probe.step import ProbedRun
from budgetlint.probe.trace import BUCKETS, OPTIMIZER, WEIGHTS, Trace
from budgetlint.probe.work import Work

FLASH = "flash_attention_2"


def measured(work: Work, progress: Progress = lambda _: None) -> Measurement:
    """Raises `Inexpressible` with what to do where the machine, a package or the card's room is missing."""
    begun = time.monotonic()
    rank, local, ranks = engines.world()
    engines.refuse_world(work.job, ranks)
    machine = machine_for(work, local)
    with engines.group(work, ranks):
        probe = Probe(work, machine, ranks, progress if rank == 0 else lambda _: None)
        probe.run()
        phases = engines.worst(probe.phases, ranks)
    return Measurement(
        versions={**versions(), **_used(work, probe.optimizer_name)},
        card=machine.card,
        work=work,
        outcome="oom" if probe.failed else "ok",
        failed_in=probe.failed,
        phases=phases,
        followed=probe.followed,
        timeline=tuple(probe.timeline),
        parameters=probe.parameters,
        ranks=ranks,
        optimizer=probe.optimizer_name,
        notes=tuple(dict.fromkeys(probe.notes)),
        seconds=round(time.monotonic() - begun, 1),
    )


class Probe:
    """One rank. ``failed``: the phase in which memory ran out, empty while it has not."""

    def __init__(self, work: Work, machine: Machine, ranks: int, progress: Progress) -> None:
        self.work, self.job, self.machine, self.ranks, self.progress = work, work.job, machine, ranks, progress
        self.phases: dict[str, Use] = {}
        self.followed: dict[str, PhasePeak] = {}
        self.timeline: list[Moment] = []
        self.notes: list[str] = []
        self.failed = self.phase = self.optimizer_name = ""
        self.parameters = 0
        self.model: Any = None
        self.optimizer: Any = None
        self.engine: Any = None

    def run(self) -> None:
        try:
            with self.machine:
                self._load()
                self._steps()
            self._follow()
        except torch.OutOfMemoryError:
            self.failed = self.phase
            self.notes.append(f"out of memory in {self.phase}: what ran before it is told")

    @contextlib.contextmanager
    def _in(self, phase: str, *, counts: bool = True) -> Iterator[None]:
        """Measure a phase; ``counts`` is False in the warm-up. Where memory runs out, what was there until then is kept."""
        self.phase = phase
        self.machine.begin()
        try:
            yield
        except torch.OutOfMemoryError:
            self._keep(phase)
            raise
        if counts:
            self._keep(phase)

    def _keep(self, phase: str) -> None:
        use, before = self.machine.end(), self.phases.get(phase)
        if before is not None:
            use = engines._most([use, before])
        self.phases[phase] = use

    # -- load --------------------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        self.progress(f"random weights on {self.machine.card.name}")
        with self._in("load"):
            self.model = self._model()
            job = self.job.model_copy(update={"master": 0}) if self.work.engine else self.job
            self.optimizer, self.optimizer_name, note = real_optimizer(job, self.model.parameters())
            wrapped = engines.replicated(self.model, self.job, self.machine.device, self.ranks)
            self.engine = engines.engine_of(wrapped, self.work, self.optimizer)
        self.parameters = sum(parameter.numel() for parameter in self.model.parameters())
        self.notes += [note] if note else []

    def _model(self) -> Any:
        _quiet()
        model = self._on_meta()
        if self.job.shard == "fsdp2" and self.ranks > 1:
            model = engines.sharded(model, self.job, self.machine.device, self.ranks).to_empty(device=self.machine.device)
            for tensor in (*model.parameters(), *model.buffers()):
                fill(tensor.to_local() if hasattr(tensor, "to_local") else tensor)
            return model
        if self.work.quant is not None:
            quantise.pack(model, self.work.quant, self.machine.device)
        materialise(model, self.machine.device, fill)
        return model

    def _on_meta(self) -> Any:
        try:
            if self.work.quant is None:
                return build(self.job, flash=FLASH)
            model = build(self.job.model_copy(update={"lora": None, "recompute": "none"}), flash=FLASH)
        except ImportError as absent:
            if self.job.attention != "flash":
                raise
            cure = "pip install flash-attn, or --set attention=sdpa, whose flash kernel keeps the same tensors"
            raise Inexpressible(f"FlashAttention 2 cannot be used here ({str(absent).splitlines()[0]}): {cure}") from None
        quantise.quantise(model, self.work.quant)
        if self.job.lora is not None:
            model = adapted(model, self.job.lora, self.job.task)
        if self.job.recompute == "full":
            recompute(model, self.job, torch.utils.checkpoint.checkpoint)
        return model

    # -- steps -------------------------------------------------------------------------------------------------------------

    def _steps(self) -> None:
        for number in range(self.work.warmup + self.work.steps):
            warm = number < self.work.warmup
            what = "warm-up" if warm else f"measured step {number - self.work.warmup + 1} of {self.work.steps}"
            self.progress(what)
            self._step(counts=not warm)

    def _step(self, *, counts: bool) -> None:
        for _ in range(min(self.job.accum, 2)):  # every later micro batch is as the second
            with self._in("forward", counts=counts):
                loss = self._forward()
            with self._in("backward", counts=counts):
                self.engine.backward(loss)
                del loss
        with self._in("step", counts=counts):
            self.engine.step()

    def _forward(self) -> Any:
        inputs = dict(inputs_of(self.job, self.machine.device))
        inputs["input_ids"] = torch.randint_like(inputs["input_ids"], self.job.arch["vocab"])
        with autocast(self.job.autocast, self.machine.device):
            return self.engine(**inputs).loss

    # -- every storage -----------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Buckets and timeline, of one more step on one device. What goes wrong here takes nothing from what was measured."""
        if self.ranks > 1 or self.work.engine:
            self.notes.append("buckets are told for runs on one device")
            return
        self.progress("one more step, every storage followed")
        gc.collect()
        try:
            trace = Followed(self.job, self.model, self.machine.device, self.optimizer).trace()
        except torch.OutOfMemoryError:
            self.notes.append("no buckets: following every storage ran out of memory, the measured steps did not")
            return
        peaks = trace.peaks()
        self.followed = phases_of(peaks)
        names = {"load": "at rest"}  # when the followed step begins, states are there
        self.timeline = [Moment(name=names.get(name, name), bytes=peak.bytes, buckets=_sums(peak)) for name, peak in peaks.items()]


class Plainly(contextlib.AbstractContextManager[None]):
    """What `step.ProbedRun` asks for, without stand-ins: kernels are the device's own, and so is autocast."""

    def __init__(self, device: str) -> None:
        self.device, self.autocast = device, self

    def region(self) -> Any:
        return autocast(True, self.device)

    def __exit__(self, *_: object) -> None:
        return None


class Followed(ProbedRun):
    """One step of a model that has trained already: its optimizer has states."""

    def __init__(self, job: Any, model: Any, device: str, optimizer: Any) -> None:
        super().__init__(job, model, device, Plainly(device))  # type: ignore[arg-type]
        self.follow.device = device.partition(":")[0]
        self.optimizer = optimizer

    def trace(self) -> Trace:
        follow = self.follow
        follow.mark("load")
        self._hold()
        for scale in quantise.scales_of(self.model):
            follow.hold(scale, WEIGHTS)
        for state in states_of(self.optimizer):
            follow.hold(state, OPTIMIZER)
        self._watch_layers()
        try:
            with follow:
                self._step(self.optimizer)
        finally:
            for hook in self.hooks:
                hook.remove()
        return follow.trace


def _used(work: Work, optimizer: str) -> dict[str, str]:
    """Versions of the packages that only this run asks for."""
    asked = {
        "bitsandbytes": work.quant is not None or optimizer.startswith("bitsandbytes"),
        "torchao": optimizer.startswith("torchao"),
        "deepspeed": bool(work.engine),
        "flash-attn": work.job.attention == "flash",
    }
    return {name: version(name) for name, used in asked.items() if used}


def _sums(peak: Any) -> dict[str, int]:
    sums = dict.fromkeys(BUCKETS, 0)
    for key, count in peak.live.items():
        sums[key[0]] += peak.sizes[key] * count
    return sums


def autocast(on: bool, device: str) -> Any:
    return torch.autocast(device.partition(":")[0], dtype=torch.bfloat16) if on else contextlib.nullcontext()


def fill(tensor: torch.Tensor) -> None:
    """Small noise; whatever is an index stays a legal one."""
    if tensor.is_floating_point():
        tensor.detach().normal_(0, 0.02)
    else:
        tensor.zero_()


def _quiet() -> None:
    import transformers

    transformers.logging.set_verbosity_error()
