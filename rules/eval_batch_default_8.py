"""Evaluation runs with 8 sequences per GPU, because nobody said otherwise.

`per_device_eval_batch_size` is 8 by default and does not follow the training batch. axolotl ties the two; LLaMA-Factory and
TRL do not.

## What it costs

With a micro batch of 1, evaluation takes 8 times the tokens at once. There is no backward pass, but the logits (and their
fp32 copy for the loss) grow with the tokens and can be the peak of the whole run: a run that trains dies at its first
evaluation.

Told where the evaluation is the peak of the run: there is no backward pass, so eight sequences often take less than the training's few.

## Failing

```budget
device 24GiB
config train.yaml
stack transformers@4.57.6 trl@0.24 torch@2.13
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 1
learning_rate: 0.00002
num_train_epochs: 1
eval_strategy: epoch
max_length: 8192
```

## Passing

```budget
device 24GiB
config train.yaml
stack transformers@4.57.6 trl@0.24 torch@2.13
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 1
per_device_eval_batch_size: 1
learning_rate: 0.00002
num_train_epochs: 1
eval_strategy: epoch
max_length: 8192
```

## Sources

- transformers 4.46.3 to 5.24.0 `training_args.py` `per_device_eval_batch_size`.
- huggingface/transformers#17089: out of memory at evaluation while training fits.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import both
from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, Estimate, Finding, Rule, RunContext, Safety, Severity

DEFAULT = 8
GENERATES = ("grpo", "ppo")
"""Their evaluation batch follows the number of generations."""


def check(run: RunContext) -> Iterator[Finding]:
    trainer, micro, evaluates = run.run.trainer, run.setting("micro_batch"), run.setting("eval_on")
    if trainer is None or trainer.format not in TRAINING_ARGUMENTS or micro is None or evaluates is None:
        return
    if micro.is_default or not micro.known or micro.value >= DEFAULT or evaluates.value is not True or evaluates.is_default:
        return
    if not _defaulted(run) or run.value("task") in GENERATES:
        return
    peak = _eval_peak(run.estimate)
    if peak is None:
        return
    yield run.finding(
        micro,
        f"per_device_eval_batch_size is not set, so evaluation takes {DEFAULT} sequences at once where training takes {micro.text}, "
        f"{both(peak)} at the peak of the run",
        help=f"per_device_eval_batch_size: {micro.value}",
        because=[evaluates],
        fixes=run.insert_after(micro, "per_device_eval_batch_size", micro.value, safety=Safety.UNSAFE),
        numbers={"eval_sequences": DEFAULT, "train_sequences": micro.value, "eval_peak_bytes": peak},
    )


def _defaulted(run: RunContext) -> bool:
    setting = run.setting("eval_batch")
    return setting is None or setting.is_default


def _eval_peak(estimate: Estimate | None) -> int | None:
    """The bytes of the evaluation phase where it is the highest of all."""
    phase = estimate.phase("eval") if estimate and estimate.whole else None
    others = [other.bytes for other in estimate.phases if other.name != "eval"] if estimate else []
    return phase.bytes if phase and others and phase.bytes > max(others) else None


RULE = Rule(
    code="BL705",
    name="eval-batch-default-8",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRAINING_ARGUMENTS,
    harm=10.7,
)
