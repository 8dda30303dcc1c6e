"""FSDP and DeepSpeed are both switched on.

They are two ways to do the same thing, and the trainers refuse to choose.

## What it costs

The run stops at start: "Using --fsdp xxx together with --deepspeed is not possible", "deepspeed and fsdp cannot be used
together".

## Failing

```yaml train.yaml
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
save_strategy: epoch
fsdp: full_shard auto_wrap
deepspeed: ds.json
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
save_strategy: epoch
fsdp: full_shard auto_wrap
```

## Sources

- transformers 5.24.0 and 4.57.6 `trainer.py` `Trainer.__init__`.
- axolotl 0.19.0 `utils/schemas/validation.py` `check_fsdp_deepspeed`; the same check in 0.6.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, DocumentContext, Finding, Rule, Setting, Severity, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    fsdp, deepspeed = written_in(document.reading, "fsdp"), written_in(document.reading, "deepspeed")
    if fsdp is None or deepspeed is None or not _on(fsdp) or not _on(deepspeed):
        return
    yield document.finding(
        deepspeed,
        f"deepspeed {_shown(deepspeed)} beside fsdp {_shown(fsdp)}: the trainer stops at start",
        help="keep one of them",
        related=[(fsdp, f"fsdp is {_shown(fsdp)}")],
        because=[fsdp],
    )


def _on(setting: Setting) -> bool:
    """An empty text, an empty list and false are off."""
    items = getattr(setting.value, "items", getattr(setting.value, "entries", None))
    return setting.known and (bool(items) if items is not None else str(setting.value).lower() not in ("", "false", "none"))


def _shown(setting: Setting) -> str:
    return setting.text or "(a block)"


RULE = Rule(
    "BL506",
    "fsdp-and-deepspeed",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=TRAINER_RUNS,
    flags=True,
    words=("fsdp",),
    harm=6.5,
)
