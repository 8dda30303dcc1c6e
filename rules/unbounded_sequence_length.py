"""No length limit is set, and the model takes longer samples than the device has memory for.

The peak of a step follows the longest sample of its batch. With `max_length: null` nothing is cut, so the data decides it.

## What it costs

The run trains until the long sample comes, hours later, and dies out of memory there. The finding says how many tokens fit.

## Failing

```budget
device rtx-4090
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
dtype: bfloat16
use_peft: true
lora_r: 16
per_device_train_batch_size: 4
learning_rate: 0.0001
num_train_epochs: 1
max_length: null
```

## Passing

```budget
device rtx-4090
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
dtype: bfloat16
use_peft: true
lora_r: 16
per_device_train_batch_size: 4
learning_rate: 0.0001
num_train_epochs: 1
max_length: 2048
```

## When it is meant

Data that is known to be short. A `seq` in the budget says for how long, and the estimate takes it.

## Sources

- TRL 1.16.0 `trainer/sft_config.py` `max_length`: "If `None`, no truncation is applied"; litgpt 0.5.11 `args.py` `max_seq_length`.
- artidoro/qlora#225, unslothai/unsloth#1624, hiyouga/LLaMA-Factory#3631: out of memory part of the way (step 129 of 882).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._arguments import trainer_of
from ._common import TRL_FORMATS
from ._fit import device_words, figures
from ._training import stated

FORMATS = (*TRL_FORMATS, "python_trl_script", "litgpt")
"""torchtune has a rule of its own."""


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan, length = run.estimate, run.plan, run.setting("seq_len")
    if estimate is None or plan is None or length is None or length.state != "unbounded" or length.is_default:
        return
    batch, most = plan.batch, plan.arch.max_positions
    if (
        trainer_of(run, FORMATS) is None
        or batch is None
        or not most
        or estimate.tokens_that_fit is None
        or run.claim("seq_len") is not None
    ):
        return
    fit = estimate.tokens_that_fit // batch
    if fit >= most:
        return
    key = length.origin.key.rpartition(".")[2] or "max_length"
    each = f"{batch} sequences of {fit:,} tokens" if batch > 1 else f"a sequence of {fit:,} tokens"
    yield run.finding(
        length,
        f"{key} {length.text} cuts nothing: {device_words(run)} has room for {each}, and {plan.arch.name} takes up to {most:,}",
        help=f"{key}: {max(fit // 256 * 256, 256)} or less, whatever the data needs",
        because=[micro] if (micro := run.setting("micro_batch")) and stated(micro) else [],
        numbers={**figures(estimate), "fitting_tokens": fit, "max_positions": most},
    )


RULE = Rule(
    code="BL120",
    name="unbounded-sequence-length",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("device", "estimate"),
)
