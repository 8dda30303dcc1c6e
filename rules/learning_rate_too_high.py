"""AdamW at a learning rate that no pretrained transformer survives.

Adam moves every weight by about the learning rate at each step, whatever the size of its gradient, and the weights of a transformer are
about 0.02 in size. Told from 0.1 on, five times that, for AdamW and its 8-bit, paged and fused kin that train the model or a LoRA adapter.

Prompt tuning, SGD, Adafactor and Prodigy have rates of their own and are not told, nor are NeMo's schedules, which scale the rate. Of a
script that is not followed only rates above 0.3 are, where nothing names one of those and the model has 100 million parameters or more.

## What it costs

The loss jumps or turns NaN within the first steps, at the latest when the warm-up is over; often it is a missing exponent.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
output_dir: out
learning_rate: 0.5
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
output_dir: out
learning_rate: 1.0e-4
```

## Sources

- Kingma and Ba 2015, Adam, section 2.1: "the effective magnitude of the steps taken in parameter space in each iteration are approximately
  bounded by the stepsize setting".
- transformers 5.24.0 `models/llama/configuration_llama.py`, `models/bert/configuration_bert.py`, `models/gpt2/configuration_gpt2.py`:
  `initializer_range` 0.02, the standard deviation of a new weight.
- Lester et al. 2021, The Power of Scale for Parameter-Efficient Prompt Tuning: 0.3, with Adafactor.
- Brown et al. 2020, GPT-3, table 2.1: 6e-4 is the highest rate of the eight models, at 125M parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINER_RUNS,
    Confidence,
    Finding,
    Optimizer,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    find_optimizer,
    mentions,
    number_text,
    stated,
)

from .lora_full_ft_lr import plain_adam

WEIGHT, TOO_HIGH = 0.02, 0.1
"""The standard deviation of a transformer's new weights, and a rate of five times that."""
PEAK_RATES = (*TRAINER_RUNS, "ms_swift", "torchtune", "litgpt", "torchtitan", "verl", "openrlhf", "oumi", "xtuner")
"""Formats whose rate is the highest that the schedule reaches; NeMo's Noam schedule divides it by the model's width and more."""
OF_PROMPTS, LARGE_MODEL = 0.3, 100_000_000
OTHERS = (
    "sgd",
    "SGD",
    "momentum",
    "rodigy",
    "dapt",
    "DAdapt",
    "dafactor",
    "ophia",
    "momo",
    "lars",
    "LARS",
    "lamb",
    "LAMB",
    "rompt",
    "virtual",
    "prefix",
)
"""Parts of the names of optimizers whose rates are not Adam's step, and of prompt tuning."""


def check(run: RunContext) -> Iterator[Finding]:
    rate, setting = run.setting("learning_rate"), run.setting("optimizer")
    trainer = run.run.trainer
    if trainer is None or trainer.format not in PEAK_RATES or rate is None or not stated(rate) or rate.value < TOO_HIGH:
        return
    sure = setting is not None and _adam(setting) and _trains_weights(run)
    if not sure and not (rate.value > OF_PROMPTS and _unresolved(setting) and _pretrained(run) and not _other_kind(run)):
        return
    yield run.finding(
        rate,
        f"'{as_written(rate)}' with AdamW{'' if sure else ', as far as the files say'}: each step moves every weight by about "
        f"{number_text(rate.value)}, and the weights of a transformer are about {WEIGHT} in size: the loss diverges at once",
        help="1e-5 to 2e-5 is usual for full fine-tuning, 1e-4 to 2e-4 for LoRA",
        because=[setting] if setting is not None and stated(setting) else [],
        numbers={"learning_rate": rate.value, "weight_std": WEIGHT},
        confidence=None if sure else Confidence.MEDIUM,
    )


def _adam(setting: Setting) -> bool:
    """AdamW, whichever of its implementations the versions take."""
    values = (setting.value,) if setting.known else setting.readings
    found = [find_optimizer(str(value)) for value in values]
    return bool(found) and all(isinstance(one, Optimizer) and plain_adam(one.name) for one in found)


def _unresolved(setting: Setting | None) -> bool:
    """A script of one's own takes the rate in the arguments of a Trainer, whose default is AdamW, and may build another optimizer."""
    return setting is None or setting.certainty == "unresolved"


def _pretrained(run: RunContext) -> bool:
    return run.plan is not None and run.estimate is not None and (run.estimate.params or 0) >= LARGE_MODEL


def _other_kind(run: RunContext) -> bool:
    """Do the run's files name an optimizer or a method whose rate is of another kind?"""
    return any(mentions(reading.document.source, OTHERS) for reading in run.run.readings)


def _trains_weights(run: RunContext) -> bool:
    """The model's own or those of LoRA; prompts and vectors of other adapters train at rates up to 0.3."""
    adapter = run.setting("adapter")
    return adapter is None or (adapter.known and adapter.value in ("none", "lora"))


RULE = Rule(
    code="BL335",
    name="learning-rate-too-high",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("learning_rate",),
    formats=PEAK_RATES,
    harm=11.0,
)
