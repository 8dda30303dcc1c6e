"""A layer-wise GaLore or APOLLO, with accumulated gradients or on several GPUs.

Each layer steps as soon as its gradient is there, so gradients are neither added up nor averaged over processes.

## What it costs

The run stops when the optimizer is built: "does not support gradient accumulation", "does not support DDP at this time".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: galore_adamw_layerwise
optim_target_modules: [attn, mlp]
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 1
num_train_epochs: 1
optim: galore_adamw_layerwise
optim_target_modules: [attn, mlp]
```

## Sources

- transformers 5.24.0 `trainer_optimizer.py` `_setup_low_rank_optimizer`; 4.41.0, 4.46.3 and 4.57.6 `trainer.py`.
- llamafactory 0.9.4 `train/trainer_utils.py`, `hparams/parser.py`: "Per-layer GaLore does not support gradient accumulation".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.optimizer_table import OPTIMIZERS
from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    OriginKind,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    is_on,
    stated,
    trainer_of,
    written_by,
)

LAUNCHED = (OriginKind.FILE, OriginKind.FLAG, OriginKind.DERIVED)
"""Several GPUs in the budget may still be one process."""

NAMED = tuple(name for row in OPTIMIZERS for name in row.spellings if name.endswith("_layerwise"))


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, TRAINERS_AND_AXOLOTL) is None:
        return
    layerwise, accum, devices = _layerwise(run), run.setting("grad_accum"), run.setting("devices")
    if layerwise is None:
        return
    if accum is not None and accum.known and accum.value > 1:
        yield run.finding(
            layerwise,
            f"'{as_written(layerwise)}' cannot accumulate gradients ('{as_written(accum)}'): the run stops when the optimizer is built",
            help="gradient_accumulation_steps: 1, or the variant that is not layer-wise",
            because=[accum],
            numbers={"accumulation_steps": accum.value},
        )
    elif devices is not None and devices.known and devices.value > 1 and devices.origin.kind in LAUNCHED:
        yield run.finding(
            layerwise,
            f"'{as_written(layerwise)}' cannot run on {devices.value:,} processes: the run stops at start",
            help="one process, or the variant that is not layer-wise",
            because=[devices],
            numbers={"devices": devices.value},
        )


def _layerwise(run: RunContext) -> Setting | None:
    setting = run.setting("optimizer")
    if setting is not None and stated(setting) and setting.text.endswith("_layerwise"):
        return setting
    for method in ("galore", "apollo"):
        switch = written_by(run, f"{method}_layerwise")
        if is_on(switch) and is_on(written_by(run, f"use_{method}")):
            return switch
    return None


RULE = Rule(
    code="BL324",
    name="layerwise-optimizer-grad-accumulation",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("optimizer",),
    words=(*(f"optimizer={name}" for name in NAMED), "galore_layerwise", "apollo_layerwise"),
    harm=5.0,
    stops=True,
)
