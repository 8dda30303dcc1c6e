"""`fp16` or `bf16` in the DeepSpeed file differs from the trainer's.

The trainer compares every key that the DeepSpeed file has and that is not `"auto"`. A section that is missing is not compared,
and a trainer's file that names neither dtype is not judged: the command line may.

## What it costs

The run stops once the model is loaded: "Please correct the following DeepSpeed config values that mismatch TrainingArguments". To
another program that starts from the same DeepSpeed file, `"auto"` may mean another dtype, so the fix is unsafe.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
deepspeed: ds.json
```

```json ds.json
{"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}, "fp16": {"enabled": true}}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
deepspeed: ds.json
```

```json ds.json
{"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}, "fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}}
```

## Sources

- transformers 5.24.0 `integrations/deepspeed.py` `fill_match`, `trainer_config_process` and `trainer_config_finalize`.
- <https://github.com/hendrycks/apps/issues/9>, <https://github.com/CarperAI/trlx/issues/376>: users who hit it.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINER_RUNS,
    Confidence,
    Finding,
    Fix,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    as_written,
    is_on,
    written_in,
)

_DTYPES = ("fp16", "bf16")


def check(run: RunContext) -> Iterator[Finding]:
    engine, trainer = run.reading("deepspeed"), run.run.trainer
    if engine is None or trainer is None or trainer.format not in TRAINER_RUNS:
        return
    computed = trainer.settings.get("autocast")
    if computed is None or not computed.known or computed.text == "auto":
        return
    switches = {dtype: written_in(engine, f"{dtype}.enabled") for dtype in _DTYPES}
    wrong = [switch for dtype, switch in switches.items() if switch is not None and _differs(switch, computed.value == dtype)]
    if wrong and not all(map(is_on, switches.values())):  # both on is BL205
        yield _finding(run, wrong, computed)


def _differs(switch: Setting, wanted: bool) -> bool:
    return isinstance(switch.value, bool) and switch.value is not wanted


def _finding(run: RunContext, wrong: list[Setting], computed: Setting) -> Finding:
    values = " and ".join(f"{switch.name} is {switch.text}" for switch in wrong)
    return run.finding(
        wrong[0],
        f"{values} in the DeepSpeed file, but the trainer says '{as_written(computed)}' and stops with a list of mismatching values",
        help='write "auto" for fp16.enabled and bf16.enabled in the DeepSpeed file: the trainer fills them in',
        because=[*wrong[1:], computed],
        fixes=_cure(run, wrong),
    )


def _cure(run: RunContext, wrong: list[Setting]) -> tuple[Fix, ...]:
    """All of them in one fix: the run starts only when none is left."""
    edits = [edit for switch in wrong for fix in run.set(switch, "auto", safety=Safety.UNSAFE) for edit in fix.edits]
    return (Fix("let the trainer decide", Safety.UNSAFE, tuple(edits)),) if edits else ()


RULE = Rule(
    code="BL206",
    name="ds-hf-precision-mismatch",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("deepspeed",),
    harm=10.5,
    stops=True,
)
