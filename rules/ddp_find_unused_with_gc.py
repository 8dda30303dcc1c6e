"""DDP looks for unused parameters while reentrant checkpointing runs the backward in pieces.

Reentrant checkpointing calls backward inside backward; DDP, told to look for parameters without a gradient, then sees the same one
ready twice. The Trainer switches the search off by itself when checkpointing is on.

## What it costs

The first step stops: "Expected to mark a variable ready only once". Where it runs, the search walks the whole graph in every step.

## Failing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 0.00002
num_train_epochs: 1
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: true
ddp_find_unused_parameters: true
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 0.00002
num_train_epochs: 1
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: false
ddp_find_unused_parameters: true
```

## Sources

- transformers 5.24.0 and 4.57.6 `trainer.py`: "find_unused_parameters breaks checkpointing"; `modeling_utils.py`
  `gradient_checkpointing_enable`: reentrant in 4.41 to 4.57.6, not from 5.0.
- torch 2.13 `nn/parallel/distributed.py`, `_set_static_graph`: reentrant checkpointing is supported with a static graph.
- huggingface/accelerate#2017.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, Finding, Rule, RunContext, Safety, Severity, is_on, unsharded, written_in


def check(run: RunContext) -> Iterator[Finding]:
    trainer, recompute, reentrant = run.run.trainer, run.setting("recompute"), run.setting("recompute_reentrant")
    if trainer is None or trainer.format not in TRAINING_ARGUMENTS or recompute is None or recompute.value not in ("full", "selective"):
        return
    found = (written_in(reading, "ddp_find_unused_parameters") for reading in run.run.readings if reading.format in TRAINING_ARGUMENTS)
    search = next((one for one in found if one is not None), None)
    if search is None or not is_on(search) or unsharded(run) is False or run.value("devices") == 1 or _static(run):
        return
    nested = reentrant.value if reentrant is not None and reentrant.known else None
    if nested is False:
        return
    sure = nested is True
    before = "" if sure else "with transformers before 5.0, "
    yield run.finding(
        search,
        f"ddp_find_unused_parameters: {search.text} beside reentrant checkpointing: {before}DDP stops in the first step",
        help="ddp_find_unused_parameters: false, or gradient_checkpointing_kwargs: {use_reentrant: false}",
        because=[one for one in (recompute, reentrant) if one is not None],
        fixes=run.set(search, False, safety=Safety.UNSAFE),
        severity=None if sure else Severity.INFO,
        confidence=None if sure else Confidence.MEDIUM,
    )


def _static(run: RunContext) -> bool:
    return any(is_on(written_in(reading, "ddp_static_graph")) for reading in run.run.readings)


RULE = Rule(
    "BL517",
    "ddp-find-unused-with-gc",
    Severity.WARNING,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    needs=("recompute",),
    applies="use_reentrant written true, or transformers < 5.0",
    words=("ddp_find_unused_parameters",),
    harm=7.5,
)
