"""What a stack leaves open: the same plan under every framework version that it may be, the newest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.base.record import replace
from budgetlint.catalog.families import family_of
from budgetlint.catalog.module_names import FUSED_EXPERTS_SINCE
from budgetlint.catalog.targets import resolve_targets
from budgetlint.memory.code import pick
from budgetlint.memory.levers import BIASED_SDPA_SINCE
from budgetlint.memory.plan import Accumulation, Adapter, Plan, Quant, Sharding
from budgetlint.settings.run import SAID, Stack

DROPS_GRADIENTS_SINCE = "2.0"
"""From this torch version ``zero_grad`` drops gradients (pytorch/pytorch#92731); before, they were zeroed and stayed."""

LATE_BUCKET_SINCE = "0.17.2"
"""From this deepspeed version stages 1 and 2 make their reduce bucket at the first gradient (stage_1_and_2.py ``process_gradients``),
before in ``backward``, ahead of the loss (0.16.9 to 0.17.1 ``backward_prologue``)."""

FINDS_OVERFLOW_AT_ONCE_SINCE = "0.19.6"
"""From this deepspeed version nothing of a gradient's size is made to look for overflow (runtime/utils.py ``has_inf_or_nan``); 0.16.9 to
0.19.5 stage_1_and_2.py ``_has_inf_or_nan`` makes masks and an fp32 copy."""

LOADS_LAZILY_SINCE = "1.13"
"""From this torch version kernels are loaded as they are called (pytorch/pytorch#86509: ``CUDA_MODULE_LOADING=LAZY``)."""


def by_version(plan: Plan, stack: Stack) -> Iterator[Plan]:
    """The plan under each reading of the step implementation and the logits code that the stack leaves open."""
    for sharding in _shardings(plan, stack):
        yield from _by_kernel(_with(plan, sharding=sharding), stack)


def _shardings(plan: Plan, stack: Stack) -> Iterator[Sharding]:
    """When DeepSpeed's stages 1 and 2 make their bucket, and how they look for overflow, which they do of every gradient in bf16 too where
    the optimizer is on the host. The newer way first where nothing says which release runs."""
    if not plan.runs_deepspeed or plan.sharding.kind == "zero3":
        yield plan.sharding
        return
    early, at_once = stack.at_least("deepspeed", LATE_BUCKET_SINCE) is False, stack.at_least("deepspeed", FINDS_OVERFLOW_AT_ONCE_SINCE)
    either = at_once is None and plan.sharding.offload_optimizer
    for masks in (False, True) if either else (at_once is False,):
        zero = replace(plan.sharding.zero, early=early, masks=masks)
        yield plan.sharding if zero == plan.sharding.zero else replace(plan.sharding, zero=zero)


def _by_kernel(plan: Plan, stack: Stack) -> Iterator[Plan]:
    if family_of(plan.arch.family).position_bias:
        for kernel in _biased_kernels(plan, stack):
            yield from _by_version(replace(plan, attention=kernel), stack)
    else:
        yield from _by_version(plan, stack)


def _biased_kernels(plan: Plan, stack: Stack) -> tuple[str, ...]:
    """T5's attention: a kernel with a bias, or Python (``math``: with its softmax in fp32) before `BIASED_SDPA_SINCE`."""
    newer = stack.at_least("transformers", BIASED_SDPA_SINCE)
    if newer:
        return (plan.attention,)
    return ("math",) if newer is False else (plan.attention, "math")


def _by_version(plan: Plan, stack: Stack) -> Iterator[Plan]:
    plan = _with(plan, loss=pick(plan).loss_recipe(plan, stack))
    for compiled in pick(plan).compiled_readings(plan, stack) if plan.compile else (plan.compiled,):
        yield from _compiled_so(_with(plan, compiled=compiled), stack)


def _compiled_so(plan: Plan, stack: Stack) -> Iterator[Plan]:
    for implementation in _implementations(plan, stack):
        for adapter in _tables(plan, _adapters(plan, stack)):
            for quant in _quants(plan, stack):
                for kept in _accumulations(plan, stack):
                    yield _with(plan, optimizer_impl=implementation, adapter=adapter, quant=quant, accumulation=kept)


def _with(plan: Plan, **known: Any) -> Plan:
    """The plan with these fields; itself where they say what it has, as most do."""
    return plan if all(getattr(plan, name) is value for name, value in known.items()) else replace(plan, **known)


def _accumulations(plan: Plan, stack: Stack) -> tuple[Accumulation, ...]:
    """Whole gradients between FSDP's reductions, for certain where the trainer is known to accumulate under ``no_sync``."""
    known = pick(plan).knows_accumulation(stack) and not _is_anybodys(plan, stack)
    either = plan.accumulation.unreduced and not known
    return (plan.accumulation, replace(plan.accumulation, unreduced=False)) if either else (plan.accumulation,)


def _is_anybodys(plan: Plan, stack: Stack) -> bool:
    """A budget alone says that it accumulates, and a release of transformers is only supposed: its loop may be any."""
    said = plan.origins.get("grad_accum")
    return stack.is_supposed("transformers") and said is not None and said.origin.kind in SAID


def _quants(plan: Plan, stack: Stack) -> tuple[Quant | None, ...]:
    """bitsandbytes packs linears; transformers 5 keeps experts as parameters (modeling_mixtral.py of 5.24.0), which stay 16 bit
    unless the trainer packs them itself (axolotl ``quantize_moe_experts``)."""
    quant = plan.quant
    if quant is None or not plan.arch.experts or quant.kind not in ("nf4", "fp4", "int8"):
        return (quant,)
    bare = replace(quant, experts=False)
    if "quant_experts" in plan.origins:
        return (quant if plan.origins["quant_experts"].value else bare,)
    if not pick(plan).stacks_experts(stack):
        return (quant,)
    return (bare,) if stack.at_least("transformers", FUSED_EXPERTS_SINCE) else (bare, quant)


def _adapters(plan: Plan, stack: Stack) -> tuple[Adapter | None, ...]:
    """With transformers 5, peft 0.21 adapts the stacked experts too where the targets say all linears; older ones do not."""
    targets = plan.origins["lora_targets"].value if "lora_targets" in plan.origins else ("all-linear",)
    stacked = pick(plan).stacks_experts(stack) and family_of(plan.arch.family).tools.folded_experts
    newer = stack.at_least("peft", "0.21")
    if plan.adapter is None or not stacked or "all-linear" not in (targets or ()) or newer is False:
        return (plan.adapter,)
    matched, _ = resolve_targets(plan.arch, ("all-linear",))
    whole = replace(plan.adapter, targets=frozenset(item.role for item in matched))
    return (whole,) if newer else (plan.adapter, whole)


def _tables(plan: Plan, adapters: tuple[Adapter | None, ...]) -> Iterator[Adapter | None]:
    """``modules_to_save``: PEFT copies a table in the base's dtype and casts LoRA weights only (0.21.2 tuners_utils.py
    ``cast_adapter_dtype``); LLaMA-Factory and Unsloth cast whatever trains to fp32. The former first."""
    kept = 4 if plan.quant is not None and plan.quant.upcast == "all" else plan.precision.weights
    for adapter in adapters:
        if adapter is not None and adapter.saved_modules and adapter.dtype != kept:
            yield replace(adapter, saved_dtype=kept)
        yield adapter


def _implementations(plan: Plan, stack: Stack) -> tuple[str, ...]:
    """transformers training_args.py: ``adamw_torch_fused`` when torch >= 2.8, else ``adamw_torch`` (foreach on CUDA)."""
    if plan.optimizer_impl or not plan.optimizer.step_temp:
        return (plan.optimizer_impl,)
    newer = stack.at_least("torch", "2.8")
    if newer is None:
        return ("fused", "foreach")
    return ("fused",) if newer else ("foreach",)
