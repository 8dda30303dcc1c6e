"""bf16 on a GPU that has no bf16 units: Volta, Turing, Pascal (V100, T4, RTX 20, P100).

Told only when the budget names the device.

## What it costs

torch 2.4 and newer counts emulation as support, so the run starts and computes bf16 through fp32, several times slower than fp16
on the same card. Older versions stop: "Your setup doesn't support bf16/gpu".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
```

```budget
device t4
stack torch@2.6 transformers@4.57
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
fp16: true
```

```budget
device t4
stack torch@2.6 transformers@4.57
```

## Sources

- transformers 5.24.0 `training_args.py` `_validate_args`; `utils/import_utils.py` `is_torch_bf16_gpu_available`.
- torch 2.13.0 `torch/cuda/__init__.py` `is_bf16_supported(including_emulation=True)`; the argument is there since 2.4.
- axolotl 0.19.0 `utils/schemas/config.py` `check_bf16`: "Requires Ampere series or above"; `bf16: auto` turns to fp16 by itself.
- TRL 1.16.0 `trainer/base_config.py`: bf16 is on unless fp16 is.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRL_ARGUMENTS, Confidence, Device, Finding, Rule, RunContext, Setting, Severity, as_written, device_of, stated

_WHERE = ("precision", "autocast", "engine_dtype", "weights_dtype", "quant_compute_dtype")
"""Settings that ask for bf16 arithmetic, the one that decides first."""


def check(run: RunContext) -> Iterator[Finding]:
    device = device_of(run)
    if device is None or device.bf16 is not False:
        return
    setting = next((found for found in map(run.setting, _WHERE) if found is not None and _asks(run, found)), None)
    if setting is not None:
        yield _finding(run, setting, device)


def _asks(run: RunContext, setting: Setting) -> bool:
    """``bf16: auto`` of axolotl looks at the GPU itself."""
    if not setting.known or not str(setting.value).startswith("bf16") or setting.text == "auto":
        return False
    trainer = run.run.trainer
    by_trl = setting.name == "autocast" and trainer is not None and trainer.format in TRL_ARGUMENTS
    return stated(setting) or by_trl


def _finding(run: RunContext, setting: Setting, device: Device) -> Finding:
    major, minor = device.compute_capability or (0, 0)
    spec = run.target.device if run.target else None
    asked = f"'{as_written(setting)}'" if not setting.is_default else "TRL's own bf16"
    return run.finding(
        setting,
        f"{asked} asks for bf16, which {device.official} (compute capability {major}.{minor}) does not have: {_cost(run)}",
        help="write fp16: true and bf16: false (with dynamic loss scaling, the default), or run on compute capability 8.0 or newer",
        related=[(spec, f"the device is {device.official}")] if spec else (),
        numbers={"compute_capability": f"{major}.{minor}"},
        confidence=Confidence.HIGH if stated(setting) else Confidence.MEDIUM,
    )


def _cost(run: RunContext) -> str:
    if run.at_least("torch", "2.4"):
        return "torch emulates it through fp32, several times slower than fp16"
    return "torch 2.4 and newer emulates it through fp32, several times slower than fp16; older versions stop at the start"


RULE = Rule(
    code="BL203",
    name="bf16-pre-ampere",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("device",),
    aliases=("trl-bf16-default-turing",),
    harm=11.5,
)
