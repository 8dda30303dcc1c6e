"""An 8-bit AdamW with optimizer offload is replaced by DeepSpeed's fp32 CPU Adam, with L2 decay.

accelerate swaps every optimizer for `DeepSpeedCPUAdam` when the states are offloaded, and keeps its AdamW mode only for torch's AdamW
and the 32-bit bitsandbytes AdamW. `"zero_force_ds_cpu_optimizer": false`, or an optimizer in the DeepSpeed file, avoids the swap.

## What it costs

The states are fp32 on the host: with the fp32 weights 12 bytes of host memory per parameter, and nothing on the GPU where the plan
had 2 bytes. The decay is added to the gradient (accelerate 1.2.0 and newer), not decoupled.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: paged_adamw_8bit
weight_decay: 0.1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: adamw_torch
weight_decay: 0.1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}
```

## Sources

- accelerate 1.15.0 `utils/deepspeed.py` `map_pytorch_optim_to_deepspeed`; `accelerator.py` `_prepare_deepspeed`.
- transformers 5.24.0 `trainer_optimizer.py` `_get_bitsandbytes_optimizer`: 8-bit and paged names are `AdamW` with `optim_bits=8`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity
from budgetlint.run import Setting
from budgetlint.units import gib

from ._common import written
from ._training import TRAINERS, as_written, full_tuning, optimizer_of, stated

HOST_BYTES = 12
"""fp32 weights, exp_avg and exp_avg_sq of DeepSpeedCPUAdam, per parameter."""


def check(run: RunContext) -> Iterator[Finding]:
    engine, trainer, offload = run.reading("deepspeed"), run.run.trainer, run.setting("offload_optimizer")
    if engine is None or trainer is None or trainer.format not in TRAINERS:
        return
    if offload is None or offload.value not in ("cpu", "nvme") or engine.settings.get("optimizer") is not None:
        return
    forced = written(engine, "zero_force_ds_cpu_optimizer")
    setting = trainer.settings.get("optimizer")
    if setting is not None and stated(setting) and _eight_bit_adam(setting) and (forced is None or forced.value is not False):
        yield _finding(run, setting, offload)


def _eight_bit_adam(setting: Setting) -> bool:
    optimizer = optimizer_of(setting)
    return optimizer is not None and optimizer.library == "bitsandbytes" and optimizer.adam_like and any(s.block for s in optimizer.states)


def _finding(run: RunContext, setting: Setting, offload: Setting) -> Finding:
    decay, coupled = run.setting("weight_decay"), run.at_least("accelerate", "1.2.0")
    decays = decay is not None and decay.known and bool(decay.value) and coupled is not False
    l2 = f", and weight_decay {decay.text or decay.value} becomes L2 (accelerate 1.2.0 and newer)" if decays and decay is not None else ""
    params = run.estimate.trainable_params if run.estimate else None
    size = f" ({gib(params * HOST_BYTES)} for {params:,} parameters, over all ranks)" if params else ""
    return run.finding(
        setting,
        f"'{as_written(setting)}' is replaced by DeepSpeedCPUAdam, because the optimizer is offloaded: fp32 states, {HOST_BYTES} bytes of "
        f"host memory per parameter{size}, no 8-bit states{l2}",
        help="write adamw_torch with the offload, or keep the 8-bit optimizer on the GPU without offload_optimizer",
        because=[offload, *([decay] if decays and decay is not None else [])],
        numbers={"host_bytes": params * HOST_BYTES} if params else None,
        confidence=Confidence.HIGH if coupled is not None or not decays else Confidence.MEDIUM,
        severity=Severity.WARNING if decays or full_tuning(run) else Severity.INFO,
    )


RULE = Rule(
    code="BL305",
    name="bnb8bit-offload-becomes-l2-adam",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("deepspeed",),
    needs=("offload_optimizer",),
    applies="accelerate >= 1.2.0 for the L2 decay; the swap itself since 2023",
)
