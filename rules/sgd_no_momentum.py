"""Plain SGD at a learning rate that was meant for Adam.

The Trainer builds `torch.optim.SGD` with momentum 0. Its step is rate x gradient, and a transformer's gradients are far below 1 per weight;
Adam's step is about the rate itself. Told for models of 100 million parameters and more, at rates up to 0.001.

## What it costs

The loss stays where it is for the whole run: a gradient of 0.001 at a rate of 2e-5 moves a weight by 2e-8 a step, where Adam moves it
by 2e-5.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
learning_rate: 0.00002
optim: sgd
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
learning_rate: 0.00002
optim: adafactor
```

## Sources

- transformers 5.24.0 `trainer_optimizer.py` `_get_sgd`; 4.57.6 `trainer.py` (no `optim_args` for it).
- torch 2.13.0 `optim/sgd.py`: `momentum = 0`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    as_written,
    number_text,
    stated,
    trainer_of,
    written_by,
)

LARGE_MODEL, ADAM_RATE = 100_000_000, 1e-3


def check(run: RunContext) -> Iterator[Finding]:
    setting, rate, arguments = run.setting("optimizer"), run.setting("learning_rate"), written_by(run, "optim_args")
    if trainer_of(run, TRAINERS_AND_AXOLOTL) is None or setting is None or not stated(setting) or setting.text != "sgd":
        return
    if rate is None or not rate.known or not 0 < rate.value <= ADAM_RATE or (arguments is not None and "momentum" in arguments.text):
        return
    if run.estimate is None or (run.estimate.params or 0) < LARGE_MODEL:
        return
    yield run.finding(
        setting,
        f"'{as_written(setting)}' is SGD without momentum, and learning_rate {number_text(rate.value)} is a rate for Adam: "
        "the weights hardly move and the loss stays flat",
        help="adamw_torch; with less state adafactor or adamw_8bit",
        because=[rate],
        numbers={"learning_rate": rate.value},
    )


RULE = Rule(
    code="BL319",
    name="sgd-no-momentum",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("optimizer", "learning_rate", "estimate"),
    words=("optimizer=sgd",),
    harm=7.0,
)
