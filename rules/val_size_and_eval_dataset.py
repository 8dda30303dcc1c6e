"""Evaluation data is named, and a part of the training data is to be split off too.

LLaMA-Factory takes either `eval_dataset` or `val_size`, axolotl either `test_datasets` or `val_set_size`.

## What it costs

The run stops at start: "Cannot specify `val_size` if `eval_dataset` is not None", "non-zero val_set_size should not be used with
test_datasets".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
eval_dataset: alpaca_en_demo
val_size: 0.1
template: qwen
output_dir: out
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
eval_dataset: alpaca_en_demo
template: qwen
output_dir: out
```

## Sources

- LLaMA-Factory 0.9.0, 0.9.3 and 0.9.5 `hparams/data_args.py` `__post_init__`.
- axolotl 0.8.0 to 0.19.0 `utils/schemas/validation.py` `check_val_w_test_datasets`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Sequence, Setting, Severity, number_of, trainer_of, written_by

from ._llamafactory import takes_hparams

LEAST = 1e-6


def check(run: RunContext) -> Iterator[Finding]:
    if takes_hparams(run):
        size, data, who = written_by(run, "val_size"), written_by(run, "eval_dataset"), "LLaMA-Factory"
    elif trainer_of(run, ("axolotl",)) is not None:
        size, data, who = written_by(run, "val_set_size"), written_by(run, "test_datasets"), "axolotl"
    else:
        return
    share = number_of(size)
    if size is not None and data is not None and _named(data) and share is not None and share > LEAST:
        yield run.finding(
            size,
            f"{size.name} {size.text} beside {data.name}: {who} stops at start",
            help=f"remove {size.name}, or {data.name}",
            because=[data],
            fixes=run.delete(size, safety=Safety.UNSAFE),
            numbers={size.name: share},
        )


def _named(data: Setting) -> bool:
    return bool(data.value.items) if isinstance(data.value, Sequence) else data.known and data.value != ""


RULE = Rule(
    code="BL618",
    name="val-size-and-eval-dataset",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("llamafactory", "axolotl"),
    words=("eval_dataset", "test_datasets"),
    harm=4.5,
    stops=True,
)
