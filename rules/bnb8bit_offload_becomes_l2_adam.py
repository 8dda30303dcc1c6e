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

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Setting, Severity, as_written, full_tuning

from ._offload import DECOUPLES, decay_of, eight_bit_adam, host_bytes, host_cost, replaced


def check(run: RunContext) -> Iterator[Finding]:
    found = replaced(run)
    if found is not None and eight_bit_adam(found[1]):
        yield _finding(run, found[0], found[2])


def _finding(run: RunContext, setting: Setting, offload: Setting) -> Finding:
    coupled = run.at_least("accelerate", DECOUPLES)
    decay = decay_of(run) if coupled is not False else None
    l2 = f", and weight_decay {decay.shown} becomes L2 (accelerate {DECOUPLES} and newer)" if decay else ""
    return run.finding(
        setting,
        f"'{as_written(setting)}' is replaced by DeepSpeedCPUAdam, because the optimizer is offloaded: fp32 states, "
        f"{host_cost(run)}, no 8-bit states{l2}",
        help="write adamw_torch with the offload, or keep the 8-bit optimizer on the GPU without offload_optimizer",
        because=[offload, *([decay] if decay else [])],
        numbers={"host_bytes": taken} if (taken := host_bytes(run)) else None,
        confidence=Confidence.HIGH if coupled is not None or not decay else Confidence.MEDIUM,
        severity=Severity.WARNING if decay or full_tuning(run) else Severity.INFO,
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
    harm=11.0,
)
