"""GRPO with fewer than two completions for each prompt, or with its batch given in two ways.

An advantage compares the completions of one prompt with each other, so one alone has none. `generation_batch_size` and
`steps_per_generation` are two words for the same thing.

## What it costs

The run stops when its arguments are read.

## Failing

```yaml grpo.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/tldr
per_device_train_batch_size: 4
learning_rate: 0.000001
num_train_epochs: 1
num_generations: 1
```

## Passing

```yaml grpo.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/tldr
per_device_train_batch_size: 4
learning_rate: 0.000001
num_train_epochs: 1
num_generations: 4
```

## Sources

- TRL 0.15.2 `trainer/grpo_trainer.py` (from 2 on); 0.19.1, 0.24.0, 1.10.0 and 1.16.0 `trainer/grpo_config.py` `__post_init__`.
- ms-swift 3.5.3 and 3.6.0 `trainers/rlhf_arguments.py` `check_num_generations`, 4.6.0 `arguments/rlhf_args.py`.
- axolotl 0.18.0 `utils/schemas/validation.py` `check_grpo_batch_size_divisibility`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRL_ARGUMENTS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    number_of,
    trainer_of,
    written_by,
)

LEAST = 2


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, TRL_ARGUMENTS) is not None and run.value("task") == "grpo":
        yield from _found(run, "")
    elif trainer_of(run, ("ms_swift",)) is not None and run.value("task") == "grpo":
        yield from _too_few(run, written_by(run, "num_generations"))
    elif trainer_of(run, ("axolotl",)) is not None:
        method = written_by(run, "rl")
        yield from _found(run, "trl.") if method is not None and method.value == "grpo" else ()


def _found(run: RunContext, section: str) -> Iterator[Finding]:
    each, batch, steps = (written_by(run, section + key) for key in ("num_generations", "generation_batch_size", "steps_per_generation"))
    yield from _too_few(run, each)
    if batch is not None and steps is not None:
        yield _twice(run, batch, steps)


def _too_few(run: RunContext, each: Setting | None) -> Iterator[Finding]:
    count = number_of(each)
    if each is not None and count is not None and count < LEAST:
        yield run.finding(
            each,
            f"num_generations {each.text}: GRPO compares the completions of a prompt, so it stops below {LEAST}",
            help="num_generations: 4 to 16",
            fixes=run.advice("at least 2 completions for each prompt"),
            numbers={"num_generations": count},
        )


def _twice(run: RunContext, batch: Setting, steps: Setting) -> Finding:
    return run.finding(
        steps,
        f"steps_per_generation {steps.text} beside generation_batch_size {batch.text}: TRL takes one of them and stops at both",
        help="remove one; generation_batch_size = per_device_train_batch_size x processes x steps_per_generation",
        because=[batch],
        fixes=run.delete(steps, safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL623",
    name="grpo-num-generations-min",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*TRL_ARGUMENTS, "axolotl", "ms_swift"),
    words=("rl", "num_generations", "generation_batch_size"),
    harm=2.5,
    stops=True,
)
