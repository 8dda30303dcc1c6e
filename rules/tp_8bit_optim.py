"""An 8-bit AdamW of bitsandbytes with tensor parallelism, which axolotl refuses.

## What it costs

The run stops when the file is read: "tensor_parallel_size is not supported with paged_adamw_8bit, adamw_8bit, and adamw_bnb_8bit".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
datasets: [{path: d, type: alpaca}]
optimizer: paged_adamw_8bit
tensor_parallel_size: 2
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
datasets: [{path: d, type: alpaca}]
optimizer: adamw_torch_8bit
tensor_parallel_size: 2
```

## Sources

- axolotl 0.12.0, 0.15.0, 0.18.0 and 0.19.0 `utils/schemas/validation.py` `check_tensor_parallel_optimizer`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity, as_written, stated, trainer_of

REFUSED = frozenset(("paged_adamw_8bit", "adamw_8bit", "adamw_bnb_8bit"))


def check(run: RunContext) -> Iterator[Finding]:
    setting, degree = run.setting("optimizer"), run.setting("tensor_parallel")
    if trainer_of(run, ("axolotl",)) is None or setting is None or degree is None or not stated(setting) or not stated(degree):
        return
    if setting.text not in REFUSED or degree.value < 2:
        return
    yield run.finding(
        setting,
        f"'{as_written(setting)}' with '{as_written(degree)}': axolotl stops when it reads the file",
        help="adamw_torch_8bit or adamw_torch_fused",
        because=[degree],
        fixes=run.set(setting, "adamw_torch_8bit", safety=Safety.UNSAFE),
        numbers={"tensor_parallel_devices": degree.value},
    )


RULE = Rule(
    code="BL332",
    name="tp-8bit-optim",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("optimizer", "tensor_parallel"),
    harm=2.5,
    stops=True,
)
