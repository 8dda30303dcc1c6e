"""A training config of LLaMA-Factory that is told to do nothing.

`llamafactory-cli train` trains where `do_train` is true, evaluates where `do_eval` is, predicts where `do_predict` is. All three are false
by default.

## What it costs

The model is loaded, the data tokenized, and the command ends with exit code 0 and nothing trained.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
finetuning_type: lora
dataset: identity
template: qwen
cutoff_len: 2048
output_dir: out
num_train_epochs: 3.0
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
cutoff_len: 2048
output_dir: out
num_train_epochs: 3.0
```

## Sources

- LLaMA-Factory 0.9.5 `train/sft/workflow.py` `run_sft` (and those of the other stages): ``if training_args.do_train``; transformers 4.57.6
  `training_args.py`: ``do_train: bool = False``, and `do_eval` follows ``eval_strategy``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Entry, Finding, Rule, Scalar, Severity, argument_entries

DOES = ("do_train", "do_eval", "do_predict")
OF_A_TRAINING = ("num_train_epochs", "max_steps", "learning_rate", "per_device_train_batch_size", "gradient_accumulation_steps")
STARTS_EVALUATION = ("eval_strategy", "evaluation_strategy", "val_size", "predict_with_generate")


def check(document: DocumentContext) -> Iterator[Finding]:
    entries = {entry.key.text: entry for entry in argument_entries(document.reading)}
    stage = entries.get("stage")
    if stage is None or "dataset" not in entries or not any(name in entries for name in OF_A_TRAINING):
        return
    if any(_may_be_true(entries.get(name)) for name in DOES) or any(name in entries for name in STARTS_EVALUATION):
        return
    told = entries.get("do_train")
    said = f"do_train {told.value.text}" if told is not None and isinstance(told.value, Scalar) else "do_train is not set"
    yield document.finding(
        told if told is not None else stage.key,
        f"{said}, and nothing else is asked for: LLaMA-Factory loads the model and ends, nothing is trained",
        help="do_train: true",
        key="do_train",
    )


def _may_be_true(entry: Entry | None) -> bool:
    return entry is not None and not (isinstance(entry.value, Scalar) and entry.value.text.lower() in ("false", "no", "off", "0"))


RULE = Rule(
    code="BL644",
    name="trains-nothing",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("llamafactory",),
    flags=True,
    words=("stage",),
    harm=9.0,
)
