"""The frozen base of a LoRA run is loaded in fp32, because nobody gave a dtype.

`from_pretrained` took float32 before transformers 5, and TRL's own loading takes it still. Weights that do not train gain nothing
from it.

## What it costs

2 bytes a parameter, and as much again in every tensor that keeps the weights' dtype: 15 GiB of weights for 8 billion.

## Failing

```budget
device a100-40gb
config train.yaml
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: trl-lib/Capybara
use_peft: true
lora_r: 16
per_device_train_batch_size: 1
learning_rate: 0.0001
num_train_epochs: 1
max_length: 1024
```

## Passing

```budget
device a100-40gb
config train.yaml
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: trl-lib/Capybara
dtype: bfloat16
use_peft: true
lora_r: 16
per_device_train_batch_size: 1
learning_rate: 0.0001
num_train_epochs: 1
max_length: 1024
```

## When it is meant

A full fine-tune keeps fp32 weights as its master copy: this rule looks at frozen weights, and at full fine-tuning only with GaLore,
APOLLO and their like, whose published savings are those of bf16 weights, and only where the dtype decides whether the run fits.

## Sources

- transformers 4.57.6 `modeling_utils.py` `from_pretrained` (`dtype=None` is float32), 5.24.0 ("auto": the checkpoint's).
- jiaweizzhao/GaLore `torchrun_main.py`: `--dtype bfloat16`; huggingface/transformers#29822: fp32 weights and GaLore in 40 GB.
- TRL 1.16.0 `trainer/model_config.py` `dtype: float32`, `trainer/utils.py` `create_model_from_path`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.memory.plan import Precision
from budgetlint.rule import (
    HUGGING_FACE,
    PYTHON,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    decides,
    effect_words,
    figures,
    gib,
    matters,
    trainer_of,
)

from ._fit import is_low_rank
from ._whatif import if_only

FORMATS = (*HUGGING_FACE, *PYTHON)


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan, dtype = run.estimate, run.plan, run.setting("weights_dtype")
    if estimate is None or plan is None or dtype is None or not dtype.known or not dtype.is_default or trainer_of(run, FORMATS) is None:
        return
    if plan.quant is not None or plan.precision.weights != 4 or plan.arch.checkpoint_dtype == "fp32":
        return
    if plan.adapter is not None:
        cost = _cost(run, replace(plan.precision, weights=2))
        if cost > 0 and (estimate.limit is None or matters(estimate, cost)):
            yield _finding(run, dtype, cost, "the frozen base is", "adapter")
    elif is_low_rank(plan):
        cost = _cost(run, replace(plan.precision, weights=2, grads=2))
        if cost > 0 and decides(estimate, cost):
            yield _finding(run, dtype, cost, f"weights and gradients of a {plan.optimizer.name} run are", "optimizer")


def _cost(run: RunContext, half: Precision) -> int:
    other = if_only(run, precision=half)
    return run.estimate.need.bytes - other.need.bytes if other is not None and run.estimate is not None else 0


def _finding(run: RunContext, dtype: Setting, cost: int, what: str, why: str) -> Finding:
    estimate = run.estimate
    assert estimate is not None
    loaded = "loaded in fp32" if why == "adapter" else "in fp32"
    return run.finding(
        run.setting("model"),
        f"no dtype is given, so {what} {loaded}: {gib(cost)} more than in 16 bit{effect_words(estimate, cost)}",
        help="dtype: bfloat16 (torch_dtype before TRL 0.27), or dtype=torch.bfloat16 where the model is loaded",
        because=[dtype, *([reason] if (reason := run.setting(why)) else [])],
        numbers={**figures(estimate), "cost_bytes": cost, "frozen_parameters": estimate.params if why == "adapter" else 0},
        severity=None if estimate.limit is not None else Severity.INFO,
        confidence=Confidence.HIGH if decides(estimate, cost) else None,
    )


RULE = Rule(
    code="BL115",
    name="fp32-default-load",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("estimate", "weights_dtype"),
    words=FORMATS,
    harm=11.0,
)
