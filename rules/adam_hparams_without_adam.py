"""Betas or epsilon of Adam, beside an optimizer that has none.

## What it costs

The value has no effect. axolotl warns; the Trainer does not. (Lion takes the betas, not the epsilon.)

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: adafactor
adam_beta2: 0.95
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: lion_8bit
adam_beta2: 0.95
```

## Sources

- transformers 5.24.0 `trainer_optimizer.py`: who updates its arguments with `adam_kwargs`; 4.57.6 `trainer.py`: the same.
- axolotl 0.18.0 `utils/schemas/validation.py` `check_adamw_optimizer_params`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Severity,
    as_written,
    names,
    optimizer_of,
    stated,
    trainer_of,
)

BETAS, EPSILON = ("adam_beta1", "adam_beta2"), ("adam_epsilon",)
_NO_ADAM = names("""sgd adagrad adafactor rmsprop rmsprop_bnb rmsprop_8bit lomo adalomo grokadamw schedule_free_sgd""")
_LION = names("lion_8bit lion_32bit paged_lion_8bit paged_lion_32bit")
UNHEARD = {**dict.fromkeys(_NO_ADAM, (*BETAS, *EPSILON)), **dict.fromkeys(_LION, EPSILON)}
"""Catalog name: the arguments that its handler does not hand on."""


def check(run: RunContext) -> Iterator[Finding]:
    setting = run.setting("optimizer")
    optimizer = optimizer_of(setting)
    if trainer_of(run, TRAINERS_AND_AXOLOTL) is None or setting is None or optimizer is None or not stated(setting):
        return
    for name in UNHEARD.get(optimizer.name, ()):
        asked = run.setting(name)
        if asked is not None and stated(asked):
            yield run.finding(
                asked,
                f"'{as_written(asked)}' has no effect: {optimizer.name} has no such parameter",
                help="remove it",
                because=[setting],
                fixes=run.delete(asked, safety=Safety.SAFE),
                numbers={name: asked.value},
            )


RULE = Rule(
    code="BL333",
    name="adam-hparams-without-adam",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    needs=("optimizer",),
    words=tuple(f"optimizer={name}" for name in sorted(UNHEARD)),
    harm=2.0,
)
