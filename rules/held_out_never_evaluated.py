"""A part of the training data is held out, and nothing evaluates on it.

LLaMA-Factory takes `val_size` out of the training data whatever else is asked for. Whether somebody evaluates is for `eval_strategy` to
say, which is `no` by default, or for `do_eval`.

## What it costs

The examples are neither trained on nor looked at.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
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
val_size: 0.1
eval_strategy: steps
eval_steps: 500
template: qwen
output_dir: out
```

## Sources

- LLaMA-Factory 0.9.1 `data/data_utils.py` `split_dataset`, `data/loader.py`; `train/sft/workflow.py` and those of the other stages:
  ``if training_args.do_eval``.
- transformers 4.53.2 `training_args.py`: `eval_strategy`, by default `no`; `do_eval` is set where it is another.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, is_on, number_of, written_by

from ._llamafactory import takes_hparams
from ._moments import evaluation

LEAST = 1e-6
ASKING = ("do_eval", "do_predict", "load_best_model_at_end", "evaluate_during_training")


def check(run: RunContext) -> Iterator[Finding]:
    if not takes_hparams(run) or not is_on(written_by(run, "do_train")):
        return
    size, (strategy, word) = written_by(run, "val_size"), evaluation(run)
    share = number_of(size)
    if size is None or share is None or share <= LEAST or word != "no" or any(written_by(run, key) is not None for key in ASKING):
        return
    part = f"{share:.0%} of the examples" if share < 1 else f"{share:g} examples"
    yield run.finding(
        size,
        f"{size.name} {size.text} holds {part} out, and nothing evaluates on them: eval_strategy is no",
        help="eval_strategy: steps, or no val_size",
        because=[strategy] if strategy is not None else [],
        numbers={"val_size": share},
    )


RULE = Rule(
    code="BL670",
    name="held-out-never-evaluated",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("llamafactory",),
    words=("val_size",),
    harm=5.0,
)
