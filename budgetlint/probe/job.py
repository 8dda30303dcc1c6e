"""What the probe is asked to build and run: one JSON document, from a plan. No torch here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from pydantic import BaseModel, ConfigDict

from budgetlint.catalog import ledger
from budgetlint.catalog.architecture import Architecture
from budgetlint.memory.plan import HEADLESS, Adapter, Plan


class Inexpressible(Exception):
    """The run has parts that the probe cannot build; the message names them."""


class _Border(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Lora(_Border):
    """``targets`` are paths of linears inside a layer (``self_attn.q_proj``), ``save`` modules that train in full beside."""

    r: int
    dropout: float
    dtype: str
    targets: tuple[str, ...]
    dora: bool
    save: tuple[str, ...] = ()


class Job(_Border):
    """One run of one rank. ``arch`` is a row of the catalog; ``task`` causal, masked or classifier; ``attention`` what
    transformers is asked for (eager, sdpa, flash); ``weights``, ``grads`` and ``master`` are bytes of an element (0: no master)."""

    arch: dict[str, Any]
    task: str
    weights: int
    grads: int
    master: int
    state: int
    autocast: bool
    compute: int
    optimizer: str
    optimizer_impl: str
    in_backward: bool
    batch: int
    seq: int
    accum: int
    recompute: str
    every: int
    first: int | None
    reentrant: bool
    attention: str
    loss: str
    lora: Lora | None
    shard: str
    world: int
    reshard: bool

    @property
    def layers(self) -> int:
        return int(self.arch["layers"])


def job_of(plan: Plan) -> Job:
    """The job of a plan. Raises `Inexpressible` with everything that stands in the way."""
    wrong = list(_cannot(plan))
    if wrong:
        raise Inexpressible("; ".join(wrong))
    precision, recompute, shard = plan.precision, plan.recompute, plan.sharding
    return Job(
        arch=row_of(plan.arch),
        task=_task(plan),
        weights=precision.weights,
        grads=precision.grads,
        master=precision.master if plan.full else 0,
        state=precision.state,
        autocast=precision.autocast,
        compute=precision.compute,
        optimizer=plan.optimizer.name,
        optimizer_impl=plan.optimizer.impl or plan.optimizer_impl,
        in_backward=plan.optimizer_in_backward,
        batch=plan.batch or 1,
        seq=plan.seq or 1,
        accum=plan.accum,
        recompute=recompute.kind,
        every=recompute.every,
        first=recompute.first,
        reentrant=recompute.reentrant,
        attention=_attention(plan),
        loss=plan.loss,
        lora=None if plan.adapter is None else _lora(plan, plan.adapter),
        shard=shard.kind,
        world=shard.world,
        reshard=shard.reshard,
    )


def row_of(arch: Architecture) -> dict[str, Any]:
    """As `models.json` writes it: what `budgetlint.catalog.models.architecture_of` reads."""
    values = {field.name: getattr(arch, field.name) for field in fields(arch) if field.name not in ("aliases", "sources", "parts", "note")}
    return {name: dict(value) if name in ("extra", "mla") else value for name, value in values.items() if name != "mla" or value}


def _task(plan: Plan) -> str:
    if plan.arch.kind == "encoder":
        return "masked" if plan.masked else "classifier"
    return "classifier" if plan.head in HEADLESS else "causal"


def _attention(plan: Plan) -> str:
    """``sdpa`` chooses its kernel itself; FlashAttention where it was asked for by name."""
    if plan.attention == "eager":
        return "eager"
    stated = plan.origins.get("attention")
    return "flash" if stated is not None and stated.value in ("flash", "flex") else "sdpa"


def _lora(plan: Plan, adapter: Adapter) -> Lora:
    places = {item.module.partition("*.")[2] for item in ledger.linears(plan.arch) if item.role in adapter.targets}
    head = {"lm_head"} if "lm_head" in adapter.targets else set()
    saved = plan.origins.get("lora_modules_to_save")
    return Lora(
        r=adapter.r,
        dropout=adapter.dropout,
        dtype="fp32" if adapter.dtype == 4 else "bf16",
        targets=tuple(sorted(places | head)),
        dora=adapter.dora,
        save=tuple(saved.value or ()) if saved is not None and adapter.saved_modules else (),
    )


# -- what it cannot do ---------------------------------------------------------------------------------------------------

LOSSES = frozenset({"full", "full-upcast", "full-shifted", "full-plain"})
"""The model's own, as it was in one version or another of transformers: the one that is installed runs."""
SHARDS = frozenset({"none", "ddp", "fsdp", "fsdp2"})
KINDS = frozenset({"decoder", "encoder"})


def _cannot(plan: Plan) -> Iterator[str]:
    """Everything in the plan that has no counterpart in the probe, in words."""
    if plan.batch is None:
        yield "the micro batch is not known (--set micro_batch=1)"
    if plan.seq is None:
        yield "the length is not known (--set seq_len=1024)"
    if plan.model_code != "transformers":
        yield f"the model code of {plan.model_code} is not built, only that of transformers"
    if plan.arch.kind not in KINDS or plan.arch.parts:
        yield f"models of the kind '{plan.arch.kind}'{' with a tower' if plan.arch.parts else ''} are not built"
    if plan.loss not in LOSSES:
        yield f"the loss '{plan.loss}' is not built, only the model's own"
    if plan.sharding.kind not in SHARDS:
        yield f"sharding by {plan.sharding.kind} is not simulated (fsdp, fsdp2 and ddp are)"
    yield from (what for flag, what in _parts(plan) if flag)


def _parts(plan: Plan) -> tuple[tuple[object, str], ...]:
    roles = plan.adapter.targets if plan.adapter is not None else frozenset()
    return (
        (plan.kernels, f"fused kernels ({', '.join(sorted(plan.kernels))}) are not built"),
        (plan.quant, "a quantised base is not built"),
        (plan.compile, "torch.compile is not run: set compile=false to see the eager step"),
        (plan.beside, "models beside the trained one are not built"),
        (plan.rollout, "rollouts are not run"),
        (plan.parallel.on or plan.model_split > 1, "tensor, pipeline, context and expert parallelism are not simulated"),
        (plan.recompute.offload, "activations offloaded to the host are not simulated"),
        (plan.recompute.kind in ("selective", "core"), "selective recomputation is not simulated"),
        (plan.sharding.offload_optimizer or plan.sharding.offload_params, "offloading to the host is not simulated"),
        (plan.padded, "padded batches are not simulated"),
        (plan.completion, "losses on completions only are not simulated"),
        (any(role.startswith("expert_") for role in roles), "adapters on stacked experts are not built"),
        (plan.optimizer_in_backward, "an optimizer that steps inside the backward is not run"),
    )
