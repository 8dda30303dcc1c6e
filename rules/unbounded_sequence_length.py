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

## A limit above what fits

Where a written limit does not fit but shorter samples do, the rule tells as information how long they may be: such a run trains until
the first long sample comes, which looks like a leak. Packed and padded batches are always full and are not told.

## When it is meant

Data that is known to be short. A `seq` in the budget says for how long, and the estimate takes it.

## Sources

- TRL 1.16.0 `trainer/sft_config.py` `max_length`: "If `None`, no truncation is applied"; litgpt 0.5.11 `args.py` `max_seq_length`.
- artidoro/qlora#225, unslothai/unsloth#1624, hiyouga/LLaMA-Factory#3631: out of memory part of the way (step 129 of 882).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRL_ARGUMENTS,
    Confidence,
    Estimate,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    device_words,
    figures,
    is_over,
    stated,
    trainer_of,
)

from ._length import depends_on_rows

FORMATS = (*TRL_ARGUMENTS, "litgpt")
"""torchtune has a rule of its own."""


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan, length = run.estimate, run.plan, run.setting("seq_len")
    if estimate is None or plan is None or length is None or plan.batch is None:
        return
    if _hangs_on_more(estimate) or set(estimate.missing) - {"device", "seq_len"} or estimate.peak_phase == "eval":
        return  # a bill of which more is open than the length, or whose peak has a batch of its own, says nothing of it
    if length.state == "unbounded" and not length.is_default and trainer_of(run, FORMATS) is not None:
        yield from _uncut(run, length, estimate.tokens_that_fit, plan.arch.max_positions)
    elif is_over(estimate):
        yield from _too_long(run, length)


def _hangs_on_more(estimate: Estimate) -> bool:
    return any(one.name != "seq_len" for fork in estimate.forks for one in fork.settings)


def _uncut(run: RunContext, length: Setting, tokens: int | None, most: int | None) -> Iterator[Finding]:
    plan = run.plan
    if plan is None or plan.batch is None or tokens is None or not most or run.claim("seq_len") is not None or tokens // plan.batch >= most:
        return
    fit, key = tokens // plan.batch, _key(length)
    yield run.finding(
        length,
        f"{key} {length.text} cuts nothing: {device_words(run)} has room for {_samples(run, fit)}, and {plan.arch.name} takes up to "
        f"{most:,}",
        help=f"{key}: {max(fit // 256 * 256, 256)} or less, whatever the data needs",
        because=_batch(run),
        numbers={**_figures(run), "fitting_tokens": fit, "max_positions": most},
    )


def _too_long(run: RunContext, length: Setting) -> Iterator[Finding]:
    """Only where a good part of the samples may be short enough for the run to get going."""
    short = depends_on_rows(run)
    fit = short.fitting if short is not None and stated(length) else None
    if fit is None:
        return
    yield run.finding(
        length,
        f"{_key(length)} {length.text} is a limit, not the length of a batch: {device_words(run)} has room for {_samples(run, fit)}, so "
        "the run may train until a longer one comes, and dies there",
        help=f"{_key(length)}: {fit}, or a smaller micro batch; the longest sample sets the peak, not the average",
        because=_batch(run),
        numbers={**_figures(run), "fitting_tokens": fit},
        severity=Severity.INFO,
    )


def _key(length: Setting) -> str:
    return length.origin.key.rpartition(".")[2] or "max_length"


def _samples(run: RunContext, fit: int) -> str:
    batch = run.plan.batch if run.plan is not None else None
    return f"{batch} sequences of {fit:,} tokens" if batch and batch > 1 else f"a sequence of {fit:,} tokens"


def _batch(run: RunContext) -> list[Setting]:
    return [micro] if (micro := run.setting("micro_batch")) and stated(micro) else []


def _figures(run: RunContext) -> dict[str, int | None]:
    return figures(run.estimate) if run.estimate is not None else {}


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
    harm=11.0,
)
