"""`tf32: true` on a GPU older than Ampere.

## What it costs

transformers stops before the first step: "--tf32 requires Ampere or a newer GPU arch". On a newer card the line changes
what is computed, so its removal is unsafe.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
fp16: true
tf32: true
```

```budget
device v100-32gb
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
device v100-32gb
```

## Sources

- transformers 5.24.0 `training_args.py` `__post_init__`, step 9; the same in 4.46.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity, as_written, device_of, stated

AMPERE = (8, 0)


def check(run: RunContext) -> Iterator[Finding]:
    device, tf32 = device_of(run), run.setting("tf32")
    if device is None or tf32 is None or not stated(tf32) or tf32.value is not True:
        return
    capability = device.compute_capability
    if capability is None or capability >= AMPERE:
        return
    spec = run.target.device if run.target else None
    yield run.finding(
        tf32,
        f"'{as_written(tf32)}' asks for TF32, which {device.official} (compute capability {capability[0]}.{capability[1]}) does not have: "
        "transformers stops before the first step",
        help="remove tf32: fp32 matrix products run in fp32 on this card whatever it says",
        related=[(spec, f"the device is {device.official}")] if spec else (),
        fixes=run.delete(tf32, "remove tf32", safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL208",
    name="tf32-pre-ampere",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("device", "tf32"),
    harm=6.5,
)
