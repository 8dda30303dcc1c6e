"""A streamed data set without `max_steps`: nobody knows how long the run is.

A stream has no length, so the epochs cannot be counted in steps, nor the learning rate schedule laid out.

## What it costs

The run stops: axolotl and LLaMA-Factory at start, the Trainer after the model has been loaded ("max_steps has to be specified").

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: pt
do_train: true
finetuning_type: full
dataset: c4_demo
streaming: true
template: qwen
output_dir: out
num_train_epochs: 1
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: pt
do_train: true
finetuning_type: full
dataset: c4_demo
streaming: true
template: qwen
output_dir: out
max_steps: 10000
```

## Sources

- LLaMA-Factory 0.9.0 to 0.9.5 `hparams/parser.py`; transformers 5.24.0 and 4.57.6 `trainer.py`; TRL 0.24.0 and 1.16.0
  `scripts/utils.py` `dataset_streaming`.
- axolotl 0.8.0 to 0.19.0 `utils/schemas/validation.py` `check_pretraining_w_max_steps`; `streaming` from 0.13.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    Confidence,
    Finding,
    Mapping,
    Rule,
    RunContext,
    Scalar,
    Sequence,
    Setting,
    Severity,
    is_on,
    number_of,
    trainer_of,
    written_by,
)

KEYS = {
    "axolotl": ("pretraining_dataset", "streaming"),
    "llamafactory": ("streaming",),
    "trl": ("dataset_streaming", "streaming"),
    "alignment_handbook": ("dataset_streaming",),
    "hf_training_arguments": ("streaming", "dataset_streaming"),
}


def check(run: RunContext) -> Iterator[Finding]:
    trainer = trainer_of(run, tuple(KEYS))
    stream = next((one for key in KEYS[trainer.format] if _streams(one := written_by(run, key))), None) if trainer else None
    if trainer is None or stream is None:
        return
    limit = written_by(run, "max_steps")
    steps = number_of(limit) if limit is not None else 0
    if steps is None or steps > 0:
        return
    sure = trainer.format != "hf_training_arguments"
    yield run.finding(
        stream,
        f"{stream.name}{_told(stream)} and max_steps is {limit.text if limit else 'not set'}: a stream has no length, so the run stops",
        help="set max_steps: tokens to train on / (sequence length x global batch)",
        because=[limit] if limit else (),
        fixes=run.advice("set max_steps"),
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


def _streams(setting: Setting | None) -> bool:
    """Switched on, or a data set to stream is named."""
    if setting is None or setting.name != "pretraining_dataset":
        return is_on(setting)
    if isinstance(setting.value, (Mapping, Sequence, Scalar)):
        return True
    return setting.known and bool(setting.value)


def _told(setting: Setting) -> str:
    return f" {setting.text}" if setting.text else ""


RULE = Rule(
    code="BL616",
    name="streaming-needs-max-steps",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    formats=tuple(KEYS),
    words=("pretraining_dataset", "streaming", "dataset_streaming"),
    harm=5.0,
)
