"""The frozen reference copy of a preference run takes the memory that the run lacks.

DPO and KTO compare with the model as it was. A full fine-tune keeps that copy on the device beside the one that trains; with an
adapter the base is the reference, and log-probabilities that are computed beforehand need none.

## What it costs

A second set of weights: 2 bytes a parameter in 16 bit, 15 GiB for 8 billion; information where the run would not fit without it
either. With an adapter a micro batch that was fitted for SFT still holds two sequences an example, which is told where that decides.

## Failing

```budget
device 30GiB
config dpo.yaml
stack torch@2.13 transformers@5.24 trl@1.16
```

```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-3B
dataset_name: trl-lib/ultrafeedback_binarized
beta: 0.1
dtype: bfloat16
per_device_train_batch_size: 1
learning_rate: 0.000001
num_train_epochs: 1
max_length: 2048
attn_implementation: flash_attention_2
```

## Passing

```budget
device 30GiB
config dpo.yaml
stack torch@2.13 transformers@5.24 trl@1.16
```

```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-3B
dataset_name: trl-lib/ultrafeedback_binarized
beta: 0.1
dtype: bfloat16
per_device_train_batch_size: 1
learning_rate: 0.000001
num_train_epochs: 1
max_length: 2048
attn_implementation: flash_attention_2
precompute_ref_log_probs: true
```

## Sources

- TRL 0.24.0 and 1.16.0 `trainer/dpo_trainer.py`: no reference model with PEFT or `precompute_ref_log_probs`; before 1.x not under
  ZeRO-3.
- hiyouga/LLaMA-Factory#798, #1250: the reference doubles the weights; 7B on 8 A100 runs out of memory under ZeRO-2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.rule import (
    TRL_ARGUMENTS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    decides,
    effect_words,
    figures,
    first_located,
    gib,
    is_over,
    matters,
)

from ._whatif import if_only

BESIDE = ("reference_model", "model", "task")
PAIR = 2
"""A chosen and a rejected answer are two sequences of one batch."""


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan = run.estimate, run.plan
    if estimate is None or plan is None or not is_over(estimate) or run.value("task") not in ("dpo", "kto"):
        return
    others = tuple(model for model in plan.beside if model.role != "reference")
    if len(others) < len(plan.beside):
        cost = _without(run, beside=others)
        if matters(estimate, cost):
            yield _reference(run, cost)
    elif plan.batch is not None and run.value("task") == "dpo" and plan.batch == PAIR * (run.value("micro_batch") or 0):
        cost = _without(run, batch=plan.batch // PAIR)
        if decides(estimate, cost):
            yield _pairs(run, plan.batch, cost)


def _without(run: RunContext, **changes: Any) -> int:
    other = if_only(run, **changes)
    return run.estimate.need.bytes - other.need.bytes if other is not None and run.estimate is not None else 0


def _reference(run: RunContext, cost: int) -> Finding:
    estimate = run.estimate
    assert estimate is not None
    reasons = [setting for name in BESIDE if (setting := run.setting(name))]
    return run.finding(
        first_located(reasons),
        f"{run.value('task')} keeps a frozen copy of the model beside the one that trains: {gib(cost)} of the {gib(estimate.need.bytes)} "
        f"that {run.label} needs{effect_words(estimate, cost)}",
        help=f"{_precomputed(run)}an adapter (LoRA), whose base is the reference, or more devices",
        because=reasons,
        numbers={**figures(estimate), "reference_bytes": cost},
        severity=None if decides(estimate, cost) else Severity.INFO,
    )


def _pairs(run: RunContext, sequences: int, cost: int) -> Finding:
    estimate = run.estimate
    assert estimate is not None
    reasons = [setting for name in ("micro_batch", "task", "seq_len") if (setting := run.setting(name))]
    return run.finding(
        first_located(reasons),
        f"dpo trains on pairs: micro batch {run.value('micro_batch')} is {sequences} sequences, {gib(cost)} more than in supervised "
        f"fine-tuning{effect_words(estimate, cost)}",
        help="half the micro batch and twice the accumulation of the supervised run, or a fused loss",
        because=reasons,
        numbers={**figures(estimate), "pair_bytes": cost, "sequences": sequences},
    )


def _precomputed(run: RunContext) -> str:
    trainer = run.run.trainer
    trl = trainer is not None and trainer.format in (*TRL_ARGUMENTS, "axolotl")
    return "precompute_ref_log_probs: true, " if trl else ""


RULE = Rule(
    code="BL113",
    name="dpo-ref-model-double",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    harm=9.5,
)
