"""A number of the DeepSpeed file differs from the trainer's own.

The Trainer compares every number that both sides know (micro batch, accumulation, clipping, learning rate, betas, epsilon,
weight decay, the product of them all) and stops at the first difference. Keys that the DeepSpeed file leaves out, or sets to
`"auto"`, are filled from the trainer and always agree.

## What it costs

The run stops at start: "Please correct the following DeepSpeed config values that mismatch TrainingArguments values".

## Failing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 0.00002
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 4}
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 0.00002
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- transformers 5.24.0 and 4.57.6 `integrations/deepspeed.py` `fill_match`, `trainer_config_process`.
- deepspeedai/DeepSpeed#3982, huggingface/transformers#27830, hiyouga/LLaMA-Factory#1116 ("8" in quotes).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.rule import (
    TRAINING_ARGUMENTS,
    TRL_FORMATS,
    Confidence,
    Finding,
    OriginKind,
    Reading,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    is_on,
    is_own_script,
    number_of,
    number_text,
    written_in,
)

PAIRS: tuple[tuple[str, str, float | None], ...] = (
    ("train_micro_batch_size_per_gpu", "per_device_train_batch_size", 8),
    ("gradient_accumulation_steps", "gradient_accumulation_steps", 1),
    ("gradient_clipping", "max_grad_norm", 1.0),
    ("optimizer.params.lr", "learning_rate", 5e-5),
    ("optimizer.params.eps", "adam_epsilon", 1e-8),
    ("optimizer.params.weight_decay", "weight_decay", 0.0),
    ("scheduler.params.warmup_max_lr", "learning_rate", 5e-5),
    ("scheduler.params.warmup_num_steps", "warmup_steps", None),
    ("scheduler.params.total_num_steps", "max_steps", None),
)
"""DeepSpeed key, TrainingArguments field, and its default (the same in every version from 4.36 to 5.24). None: below 1 the Trainer
works the steps out from the data."""

BETAS = (("adam_beta1", 0.9), ("adam_beta2", 0.999))
"""``optimizer.params.betas`` is compared as a pair."""

COMPARED = (*(key for key, _, _ in PAIRS), "train_batch_size", "fp16.enabled", "bf16.enabled")
"""Keys that `fill_match` compares with ``!=``: "8" is not 8, nor "true" true."""

SEARCHED = ("train_micro_batch_size_per_gpu", "train_batch_size")
"""Not compared under ``auto_find_batch_size``."""


def check(run: RunContext) -> Iterator[Finding]:
    trainer, engine = run.run.trainer, run.reading("deepspeed")
    if trainer is None or engine is None or trainer.format not in TRAINING_ARGUMENTS or is_own_script(trainer.settings):
        return
    texts = {left.name: left for key in COMPARED if (left := written_in(engine, key)) is not None and _is_text(left)}
    yield from (_as_text(run, left) for left in texts.values() if not _searched(trainer, left.name))
    pairs = [(written_in(engine, theirs), field, default) for theirs, field, default in PAIRS if theirs not in texts]
    betas = [(engine.settings.get(name), name, default) for name, default in BETAS]
    found = [finding for left, field, default in (*pairs, *betas) for finding in _compare(run, trainer, left, field, default)]
    yield from found or (() if texts else _product(run, trainer, engine))


def _is_text(left: Setting) -> bool:
    """A number, or true and false, between quotes: JSON keeps the text."""
    return isinstance(left.value, str) and (number_of(left) is not None or left.value.lower() in ("true", "false"))


def _as_text(run: RunContext, left: Setting) -> Finding:
    value = {"true": True, "false": False}.get(str(left.value).lower(), number_of(left))
    plain = int(value) if isinstance(value, float) and value == int(value) else value
    kind = "true or false" if isinstance(value, bool) else "number"
    return run.finding(
        left,
        f'{left.name} "{left.text}" is text to JSON, no {kind}: the Trainer compares it with its own value and stops at start',
        help=f'write it without quotes, or "auto": {str(plain).lower()}',
        fixes=run.set(left, "auto", safety=Safety.UNSAFE),
    )


def _compare(run: RunContext, trainer: Reading, left: Setting | None, field: str, default: float | None) -> Iterator[Finding]:
    right, there = written_in(trainer, field), number_of(left)
    if left is None or there is None or _searched(trainer, left.name):
        return
    if right is None:
        yield from _against_default(run, trainer, left, there, field, default)
    elif (here := number_of(right)) is not None and here != there and (default is not None or here >= 1):
        yield _finding(run, left, right, f"{_in(left)} says {left.name} {left.text}, but {_in(right)} says {field} {right.text}")


def _in(setting: Setting) -> str:
    """The file's own name, short enough for a sentence."""
    return setting.origin.source.path.rpartition("/")[2] if setting.origin.source else "the file"


def _against_default(
    run: RunContext, trainer: Reading, left: Setting, there: float, field: str, default: float | None
) -> Iterator[Finding]:
    """A field that the trainer's file leaves out may still come from its command line."""
    if default is None or there == default or (field == "learning_rate" and trainer.format in TRL_FORMATS):
        return
    said = f"{left.name} is {left.text}, but {field} is not set, which makes it {number_text(default)}"
    yield _finding(run, left, None, said, severity=Severity.WARNING, confidence=Confidence.MEDIUM)


def _product(run: RunContext, trainer: Reading, engine: Reading) -> Iterator[Finding]:
    """``train_batch_size`` against processes x micro batch x accumulation, where all four are written."""
    total = written_in(engine, "train_batch_size")
    parts = [written_in(trainer, "per_device_train_batch_size"), written_in(trainer, "gradient_accumulation_steps")]
    world = run.setting("devices")
    values = [number_of(total), *map(number_of, parts), number_of(world)]
    if total is None or world is None or None in values or _searched(trainer, "train_batch_size") or _parallel(run):
        return
    there, micro, accum, devices = (int(value) for value in values if value is not None)
    if there == micro * accum * devices:
        return
    said = (
        f"train_batch_size is {there:,}, but {devices:,} processes x {micro:,} sequences x {accum:,} "
        f"accumulation steps are {devices * micro * accum:,}"
    )
    sure = world.origin.kind in (OriginKind.FILE, OriginKind.FLAG)
    yield run.finding(
        total,
        f"{said}: the Trainer stops at start",
        help='write "auto"',
        because=[*(part for part in parts if part), world],
        fixes=run.set(total, "auto", safety=Safety.UNSAFE),
        numbers={"stated_sequences": there, "product_sequences": devices * micro * accum},
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


def _searched(trainer: Reading, key: str) -> bool:
    return key in SEARCHED and is_on(written_in(trainer, "auto_find_batch_size"))


def _parallel(run: RunContext) -> bool:
    return any(run.value(name, 1) != 1 for name in ("tensor_parallel", "context_parallel", "pipeline_parallel"))


def _finding(run: RunContext, left: Setting, right: Setting | None, said: str, **more: Any) -> Finding:
    return run.finding(
        left,
        f"{said}: the Trainer stops at start",
        help='write "auto": the Trainer fills it in',
        because=[right] if right else (),
        fixes=run.set(left, "auto", safety=Safety.UNSAFE),
        **more,
    )


RULE = Rule(
    "BL501",
    "ds-hf-batch-mismatch",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("deepspeed",),
    aliases=("lr-as-deepspeed-literal",),
    harm=10.5,
    stops=True,
)
