"""`torch_dtype` is called `dtype` today, and TRL no longer hears the old name.

TRL's own argument went at 0.27. Inside `model_init_kwargs` TRL puts a `dtype` of float32 beside it from 0.27 on, and of two names
`transformers` takes the new one.

## What it costs

As an argument: the run stops at start, except for a script with such an argument of its own. Inside `model_init_kwargs`: the model is
loaded in float32, twice the memory of what is written.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 2
learning_rate: 0.00002
num_train_epochs: 1
torch_dtype: bfloat16
```

```text requirements.txt
trl==1.16.0
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 2
learning_rate: 0.00002
num_train_epochs: 1
dtype: bfloat16
```

```text requirements.txt
trl==1.16.0
```

## Sources

- TRL 0.24.0 `trainer/model_config.py`: deprecated, "will be removed in version 0.27.0"; 0.27.0, 0.28.0 and 1.16.0: gone.
- TRL 0.27.0 and 1.16.0 `trainer/utils.py` `create_model_from_path`: `kwargs["dtype"] = torch.float32` where none is given;
  `scripts/sft.py`: `dtype` of the model arguments. 0.24.0 adds nothing.
- transformers 4.57.6 and 5.24.0 `modeling_utils.py` `from_pretrained`: "dtype if dtype is not None else torch_dtype".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Fix, Rule, RunContext, Safety, Setting, Severity, trainer_of, written_by

GONE = "0.27"


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, ("trl",)) is None or not run.at_least("trl", GONE):
        return
    argument, inside = written_by(run, "torch_dtype"), written_by(run, "model_init_kwargs.torch_dtype")
    if argument is not None:
        yield run.finding(
            argument,
            f"torch_dtype {argument.text}: TRL {GONE} removed the argument, so the run stops at start unless the script takes it itself",
            help=f"dtype: {argument.text}",
            fixes=_cure(run, argument),
        )
    if inside is not None:
        yield run.finding(
            inside,
            f"torch_dtype {inside.text} inside model_init_kwargs has no effect: TRL puts a dtype beside it, which wins",
            help=f"dtype: {inside.text}",
            fixes=run.rename(inside, "dtype", safety=Safety.UNSAFE) if written_by(run, "model_init_kwargs.dtype") is None else (),
        )


def _cure(run: RunContext, argument: Setting) -> tuple[Fix, ...]:
    """Unsafe: a script that takes the old name itself would be given another dtype."""
    if written_by(run, "dtype") is None:
        return run.rename(argument, "dtype", safety=Safety.UNSAFE)
    return run.delete(argument, safety=Safety.UNSAFE)


RULE = Rule(
    code="BL627",
    name="torch-dtype-renamed",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("trl",),
    applies="TRL >= 0.27",
    words=("torch_dtype",),
    harm=1.5,
)
