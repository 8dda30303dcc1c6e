"""The DeepSpeed file brings its own optimizer, so the trainer's `optim` has no effect.

Told only when the two differ in what they keep or how they decay: `adamw_torch` beside DeepSpeed's `AdamW` is one algorithm.

## What it costs

A memory plan that rests on 8-bit or paged states is wrong: DeepSpeed's AdamW keeps 8 bytes of state per parameter, an 8-bit AdamW
about 2. `optim_args` is ignored as well. No message.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: adamw_bnb_8bit
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: adamw_torch
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}}
```

## Sources

- transformers 5.24.0 `integrations/deepspeed.py` `deepspeed_optim_sched`: with an `optimizer` section only a `DummyOptim` is made.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Optimizer, Rule, RunContext, Severity, as_written, optimizer_of, stated


def check(run: RunContext) -> Iterator[Finding]:
    engine, trainer = run.reading("deepspeed"), run.run.trainer
    if engine is None or trainer is None or trainer.format not in TRAINER_RUNS:
        return
    ours, theirs = trainer.settings.get("optimizer"), engine.settings.get("optimizer")
    mine, other = optimizer_of(ours), optimizer_of(theirs)
    if ours is None or theirs is None or mine is None or other is None or not stated(ours) or _kind(mine) == _kind(other):
        return
    yield run.finding(
        ours,
        f"'{as_written(ours)}' has no effect: the DeepSpeed file builds {theirs.text}, "
        f"which keeps {_states(other)} instead of {_states(mine)}",
        help="delete the optimizer section of the DeepSpeed file to use this one, or write adamw_torch here to say what runs",
        because=[theirs],
        numbers={"parameters": run.estimate.trainable_params} if run.estimate and run.estimate.trainable_params else None,
    )


def _kind(optimizer: Optimizer) -> tuple[object, ...]:
    """What tells two optimizers apart for a memory plan and for the algorithm."""
    return (
        optimizer.decay,
        optimizer.adam_like,
        optimizer.paged,
        tuple((state.layout, state.block, state.scale) for state in optimizer.states),
    )


def _states(optimizer: Optimizer) -> str:
    if not optimizer.states:
        return "no state"
    width = (
        "8-bit" if any(state.dtype == "uint8" for state in optimizer.states) else "4-bit" if optimizer.states[0].dtype == "uint4" else ""
    )
    layout = "factored" if optimizer.states[0].layout == "factored" else "low-rank" if optimizer.states[0].layout == "low-rank" else ""
    words = ("paged" if optimizer.paged else "", width or layout or "full-precision", f"states of {optimizer.name}")
    return " ".join(word for word in words if word)


RULE = Rule(
    code="BL304",
    name="ds-optimizer-overrides-hf",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("deepspeed",),
    harm=11.0,
)
