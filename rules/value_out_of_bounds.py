"""A number that no optimizer, loader or engine takes, or with which a run learns nothing.

Betas of Adam outside of 0 to 1, a negative rate, decay or number of workers, a memory share above 1 (often in percent); a learning rate or
number of epochs of 0, a label smoothing that leaves nothing of the label, a rate for a policy that no pretrained model survives.

## What it costs

The first kind stops, but only when the model has been loaded and the optimizer, the loader or the engine is made. The second runs through
and gives back the model that it was given, or a broken one.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
output_dir: out
learning_rate: 0
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
output_dir: out
learning_rate: 1.0e-4
```

## When it is meant

A dry run that measures speed may have a rate of 0. Configs that ask for evaluation or prediction are not told of it.

## Sources

- torch 2.13.0 `optim/adamw.py`, `optim/adam.py` ``__init__``: ValueError for `lr` and `weight_decay` below 0, betas outside of 0 to 1, 1
  excluded; `utils/data/dataloader.py`: ValueError for `num_workers` below 0.
- vLLM `config.py` `CacheConfig._verify_args`: ValueError for a `gpu_memory_utilization` above 1.
- transformers 4.49.0 and 5.24.0 `trainer_pt_utils.py` `LabelSmoother`: (1 - epsilon) times the label's loss; `trainer.py`: as many steps as
  `num_train_epochs` gives where `max_steps` is not above 0.
- TRL 0.24.0 `trainer/dpo_trainer.py` `dpo_loss`: ``label_smoothing`` weighs the pair the other way round; 1.16.0 refuses 0.5 and more for
  the robust loss.
- Weights of a new transformer have a deviation of 0.02 (`learning-rate-too-high`).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRAINER_RUNS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    last_key,
    number_of,
    number_text,
    trainer_of,
)

from ._bounds import BOUNDS

FORMATS = tuple(dict.fromkeys((*TRAINER_RUNS, *PYTHON, "ms_swift", "axolotl", "torchtune", "verl", "openrlhf")))


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, FORMATS) is None:
        return
    for bound in BOUNDS:
        if not bound.where(run):
            continue
        setting = bound.value(run)
        value = number_of(setting)
        if setting is None or value is None or not bound.is_wrong(value):
            continue
        yield run.finding(
            setting,
            f"{last_key(setting)} {number_text(value)}: {bound.ends}",
            help=bound.help,
            severity=Severity.ERROR if bound.stops else None,
            numbers={"value": value},
        )


RULE = Rule(
    code="BL650",
    name="value-out-of-bounds",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=FORMATS,
    harm=8.0,
)
