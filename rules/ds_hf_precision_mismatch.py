"""`fp16` or `bf16` in the DeepSpeed file differs from the trainer's.

The trainer compares every key that the DeepSpeed file has and that is not `"auto"`. A section that is missing is not compared.

## What it costs

The run stops once the model is loaded: "Please correct the following DeepSpeed config values that mismatch TrainingArguments".

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

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity
from budgetlint.run import Reading, Setting

from ._common import is_on, written
from ._training import HUGGING_FACE, as_written, stated

_TRAINERS = (*HUGGING_FACE, "llamafactory", "axolotl")
_DTYPES = ("fp16", "bf16")


def check(run: RunContext) -> Iterator[Finding]:
    engine, trainer = run.reading("deepspeed"), run.run.trainer
    computed = _computed(run, trainer) if trainer is not None and trainer.format in _TRAINERS else None
    if engine is None or computed is None:
        return
    switches = {dtype: written(engine, f"{dtype}.enabled") for dtype in _DTYPES}
    wrong = [switch for dtype, switch in switches.items() if switch is not None and _differs(switch, computed.value == dtype)]
    if wrong and not all(map(is_on, switches.values())):  # both on is BL205
        yield _finding(run, wrong, computed)


def _computed(run: RunContext, trainer: Reading) -> Setting | None:
    """The trainer's own 16-bit choice, written or by default; None where it cannot be known (``auto``, ``${VAR}``)."""
    setting = trainer.settings.get("autocast")
    if setting is None:
        merged = run.setting("autocast")
        setting = merged if merged is not None and merged.is_default else None
    return setting if setting is not None and setting.known and setting.text != "auto" else None


def _differs(switch: Setting, wanted: bool) -> bool:
    return isinstance(switch.value, bool) and switch.value is not wanted


def _finding(run: RunContext, wrong: list[Setting], computed: Setting) -> Finding:
    sure = stated(computed)
    said = f"the trainer says '{as_written(computed)}'" if sure else f"the trainer names no dtype, which makes it {computed.value}"
    values = " and ".join(f"{switch.name} is {switch.text}" for switch in wrong)
    return run.finding(
        wrong[0],
        f"{values} in the DeepSpeed file, but {said}: the trainer stops with a list of mismatching values",
        help='write "auto" for fp16.enabled and bf16.enabled in the DeepSpeed file: the trainer fills them in',
        because=[*wrong[1:], computed],
        fixes=[fix for switch in wrong for fix in run.set(switch, "auto", "let the trainer decide")][:1],
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        severity=Severity.ERROR if sure else Severity.WARNING,
    )


RULE = Rule(
    code="BL206",
    name="ds-hf-precision-mismatch",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=("deepspeed",),
)
