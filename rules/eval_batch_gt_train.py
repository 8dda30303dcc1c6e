"""Evaluation takes a larger batch than training, and is the peak of the run.

There is no backward pass, so more sequences look affordable. But logits and their fp32 copy for the loss grow with the tokens, while
checkpointing and accumulation keep training small.

## What it costs

10 bytes per token and vocabulary entry: 16 sequences of 4,096 tokens and a vocabulary of 151,936 make 93 GiB. The run trains until its
first evaluation and dies there.

## Failing

```budget
device a100-40gb
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
per_device_eval_batch_size: 16
learning_rate: 0.00002
num_train_epochs: 1
eval_strategy: epoch
block_size: 4096
```

## Passing

```budget
device a100-40gb
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
per_device_eval_batch_size: 1
learning_rate: 0.00002
num_train_epochs: 1
eval_strategy: epoch
block_size: 4096
```

## Sources

- transformers 5.24.0 `trainer.py` `prediction_step`, `loss/loss_utils.py` `ForCausalLMLoss`: the loss of an evaluation upcasts the
  whole logits.
- axolotl 0.18.0 `utils/schemas/validation.py`: warns where `eval_batch_size` differs from `micro_batch_size`.
- huggingface/transformers#25313: out of memory at evaluation on 8 A100.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    Confidence,
    Estimate,
    Finding,
    Rule,
    RunContext,
    Safety,
    Severity,
    effect_words,
    figures,
    gib,
    is_off,
    matters,
    stated,
    written_by,
)

GENERATES = ("grpo", "ppo")
"""Their evaluation batch follows the number of generations."""


def check(run: RunContext) -> Iterator[Finding]:
    estimate, micro, evaluation = run.estimate, run.setting("micro_batch"), run.setting("eval_batch")
    if estimate is None or not estimate.whole or evaluation is None or micro is None or not micro.known or not stated(evaluation):
        return
    if run.value("eval_on") is not True or run.value("task") in GENERATES or evaluation.value <= micro.value:
        return
    if (generates := written_by(run, "predict_with_generate")) is not None and not is_off(generates):
        return  # it writes answers, and whether a loss is computed beside is for the class to say
    over = _over_training(estimate)
    if over <= 0 or (estimate.limit is not None and not matters(estimate, over)):
        return
    yield run.finding(
        evaluation,
        f"evaluation takes {evaluation.value} sequences at once where training takes {micro.value}: the peak of the run is there, "
        f"{gib(over)} above training{effect_words(estimate, over)}",
        help=f"{evaluation.origin.key.rpartition('.')[2] or 'eval_batch'}: {micro.value}",
        because=[micro, *([on] if (on := run.setting("eval_on")) else [])],
        fixes=run.set(evaluation, micro.value, safety=Safety.UNSAFE),
        numbers={**figures(estimate), "over_training_bytes": over, "eval_sequences": evaluation.value, "train_sequences": micro.value},
        severity=None if estimate.limit is not None else Severity.INFO,
    )


def _over_training(estimate: Estimate) -> int:
    """How far the evaluation phase lies above the highest of the others."""
    phase = estimate.phase("eval")
    others = [other.bytes for other in estimate.phases if other.name != "eval"]
    return phase.bytes - max(others) if phase and others else 0


RULE = Rule(
    code="BL116",
    name="eval-batch-gt-train",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("estimate", "eval_batch"),
    words=("eval_on=True",),
    harm=9.3,
)
