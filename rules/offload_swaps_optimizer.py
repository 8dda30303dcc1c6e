"""With the optimizer offloaded, accelerate replaces the one that was asked for by DeepSpeed's CPU Adam.

Only torch's AdamW and Adagrad and the 32-bit AdamW and Lion of bitsandbytes keep their algorithm. Everything else (Adafactor, SGD, 8-bit
Lion, GaLore, ...) becomes `DeepSpeedCPUAdam`, which takes over its parameter groups (rate, decay, betas where there are any).
`"zero_force_ds_cpu_optimizer": false`, or an optimizer in the DeepSpeed file, avoids the swap. 8-bit AdamW has a rule of its own,
`bnb8bit-offload-becomes-l2-adam`.

## What it costs

Another optimizer trains, with a learning rate that was chosen for a different one, and 12 bytes of host memory per parameter. From
accelerate 1.2.0 on its decay is L2; before, it was AdamW. Only a log line says so. Adafactor's pair of epsilons is no number to the
CPU kernel: that run stops at its first step.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: adafactor
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: adamw_torch
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}
```

## Sources

- accelerate 1.15.0 `utils/deepspeed.py` `map_pytorch_optim_to_deepspeed`; `accelerator.py` `_prepare_deepspeed`.
- huggingface/accelerate#3255. DeepSpeed 0.19.3 `ops/adam/cpu_adam.py` `step`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, as_written, last_key, names

from ._offload import DECOUPLES, decay_of, eight_bit_adam, host_bytes, host_cost, replaced

KEPT = names(
    """adamw adamw_torch_fused adamw_torch_xla adamw_torch_npu_fused adagrad
    adamw_bnb_32bit paged_adamw_32bit lion_32bit paged_lion_32bit"""
)
"""Catalog names whose class (or a class above it) accelerate maps to the same algorithm; the XLA and NPU classes are not judged."""

NAMED = ("optim", "optimizer", "adafactor")
"""Keys that the Trainer itself makes an optimizer of; LLaMA-Factory's own switches are refused beside DeepSpeed."""


def check(run: RunContext) -> Iterator[Finding]:
    found = replaced(run)
    if found is None or found[1].name in KEPT or eight_bit_adam(found[1]) or last_key(found[0]) not in NAMED:
        return
    setting, optimizer, offload = found
    decay = decay_of(run) if run.at_least("accelerate", DECOUPLES) is not False else None
    l2 = f", with weight_decay {decay.shown} as L2" if decay else ""
    yield run.finding(
        setting,
        f"'{as_written(setting)}' never runs, because the optimizer is offloaded: accelerate puts DeepSpeedCPUAdam in the place of "
        f"{optimizer.name} and keeps its learning rate{l2}: {host_cost(run)}",
        help='write adamw_torch, or "zero_force_ds_cpu_optimizer": false in the DeepSpeed file if this optimizer can step on the CPU',
        because=[offload, *([decay] if decay else [])],
        numbers={"host_bytes": taken} if (taken := host_bytes(run)) else None,
    )


RULE = Rule(
    code="BL311",
    name="offload-swaps-optimizer",
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
