"""`optim` names an optimizer that the installed transformers no longer has.

`adamw_hf` is gone since transformers 4.50.0 (March 2025), `adamw_apex_fused` since 5.8.0.

## What it costs

The run stops when the arguments are read: "'adamw_hf' is not a valid OptimizerNames".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: adamw_hf
```

```budget
device 1x a100-80gb
stack transformers@4.57
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: adamw_torch
```

```budget
device 1x a100-80gb
stack transformers@4.57
```

## Sources

- transformers `training_args.py` `OptimizerNames`, read in 34 wheels: `adamw_hf` last in 4.49.0, `adamw_apex_fused` last in 5.7.0.
- axolotl 0.8.0 `requirements.txt` pins transformers 4.50.3, axolotl 0.18.0 pins 5.14.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Safety, Severity

_GONE = {
    "adamw_hf": (("transformers", "4.50.0"), ("axolotl", "0.8.0")),
    "adamw_apex_fused": (("transformers", "5.8.0"), ("axolotl", "0.18.0")),
}
"""name -> the releases that no longer have it."""

_LONG_GONE = frozenset({"adamw_hf"})
"""Told with an unknown stack too: most installations are newer."""


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    setting = trainer.settings.get("optimizer") if trainer is not None and trainer.format in TRAINER_RUNS else None
    if setting is None or setting.text not in _GONE:
        return
    package, version = _GONE[setting.text][0]
    gone = _is_gone(run, setting.text)
    if gone is False or (gone is None and setting.text not in _LONG_GONE):
        return
    whose = "this run has it or a newer one, and" if gone else "a newer installation"
    yield run.finding(
        setting,
        f"'{setting.text}' is gone since {package} {version}: {whose} stops when the arguments are read",
        help="write adamw_torch: the same AdamW with the same states",
        fixes=run.set(setting, "adamw_torch", safety=Safety.SAFE if gone else Safety.UNSAFE),
        severity=Severity.ERROR if gone else Severity.WARNING,
        confidence=Confidence.HIGH if gone else Confidence.MEDIUM,
    )


def _is_gone(run: RunContext, name: str) -> bool | None:
    """None where the stack does not tell."""
    answers = [run.at_least(package, version) for package, version in _GONE[name]]
    return True if True in answers else answers[0]


RULE = Rule(
    code="BL302",
    name="removed-optim-name",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    applies="transformers >= 4.50.0 (adamw_hf), >= 5.8.0 (adamw_apex_fused)",
    words=tuple(f"optimizer={name}" for name in _GONE),
    harm=8.5,
)
