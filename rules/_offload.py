"""The trainer's own optimizer where accelerate replaces it by a DeepSpeed CPU class, because its states are offloaded.

accelerate 1.15.0 ``accelerator.py`` ``_prepare_deepspeed`` and ``utils/deepspeed.py`` ``map_pytorch_optim_to_deepspeed``.
"""

from __future__ import annotations

from budgetlint.catalog.module_names import FUSED_EXPERTS_SINCE
from budgetlint.rule import TRAINER_RUNS, Optimizer, RunContext, Setting, gib, optimizer_of, stated, written_in

DECOUPLES = "1.2.0"
"""accelerate that maps by class; before, everything became an AdamW."""


def replaced(run: RunContext) -> tuple[Setting, Optimizer, Setting] | None:
    """The trainer's optimizer, its catalog row, and the offload that makes accelerate look for a CPU class."""
    engine, trainer, offload = run.reading("deepspeed"), run.run.trainer, run.setting("offload_optimizer")
    if engine is None or trainer is None or trainer.format not in TRAINER_RUNS:
        return None
    if offload is None or offload.value not in ("cpu", "nvme") or engine.settings.get("optimizer") is not None:
        return None
    forced, setting = written_in(engine, "zero_force_ds_cpu_optimizer"), trainer.settings.get("optimizer")
    optimizer = optimizer_of(setting)
    if setting is None or optimizer is None or not stated(setting) or (forced is not None and forced.value is False):
        return None
    return setting, optimizer, offload


HOST_BYTES = 12
"""fp32 weights, exp_avg and exp_avg_sq of DeepSpeedCPUAdam, per parameter."""


def host_bytes(run: RunContext) -> int:
    """What DeepSpeedCPUAdam keeps on the host, over all ranks; 0 where what trains is not known."""
    if experts_differ(run):
        return 0
    return HOST_BYTES * ((run.estimate.trainable_params if run.estimate else None) or 0)


def experts_differ(run: RunContext) -> bool:
    """How many expert matrices LoRA reaches hangs on a version of transformers that is not known."""
    plan = run.plan
    moe = plan is not None and plan.adapter is not None and bool(plan.arch.experts)
    return moe and run.at_least("transformers", FUSED_EXPERTS_SINCE) is None


def host_cost(run: RunContext) -> str:
    taken = host_bytes(run)
    size = f" ({gib(taken)} for {taken // HOST_BYTES:,} parameters, over all ranks)" if taken else ""
    return f"{HOST_BYTES} bytes of host memory per parameter{size}"


def eight_bit_adam(optimizer: Optimizer) -> bool:
    return optimizer.library == "bitsandbytes" and optimizer.adam_like and any(state.block for state in optimizer.states)


def decay_of(run: RunContext) -> Setting | None:
    """The weight decay that reaches the optimizer, where it is not 0."""
    decay = run.setting("weight_decay")
    return decay if decay is not None and decay.known and bool(decay.value) else None
