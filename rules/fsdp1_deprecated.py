"""The file asks for FSDP1, which the trainer announces to drop.

## What it costs

Nothing yet, but a warning at start: transformers and axolotl say that FSDP1 goes in a coming release.

## Failing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
save_strategy: epoch
learning_rate: 0.00002
fsdp: full_shard auto_wrap
fsdp_config:
  version: 1
```

```budget
device 8x a100-80gb; config train.yaml; stack transformers@5.24
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
save_strategy: epoch
learning_rate: 0.00002
fsdp: full_shard auto_wrap
fsdp_config:
  version: 2
```

```budget
device 8x a100-80gb; config train.yaml; stack transformers@5.24
```

## Sources

- transformers 5.24.0 and 5.10.0 `training_args.py` `_process_fsdp_args` (it names 5.20 as the end, and 5.24.0 still has it).
- axolotl 0.19.0 and 0.18.0 `utils/schemas/validation.py` `check_fsdp_version`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, DocumentContext, Finding, Rule, Safety, Severity, written_in

from ._fsdp import SECOND_BY_DEFAULT, VERSIONS, option_words

BOUNDS = {"axolotl": ("axolotl", "0.18")}


def check(document: DocumentContext) -> Iterator[Finding]:
    own = document.format == "axolotl"
    told = written_in(document.reading, *(("fsdp_version",) if own else ()), *VERSIONS)
    on = written_in(document.reading, "fsdp_config") is not None if own else bool(option_words(written_in(document.reading, "fsdp")))
    package, bound = BOUNDS.get(document.format, ("transformers", SECOND_BY_DEFAULT))
    if told is None or str(told.value) != "1" or not on or not document.at_least(package, bound):
        return
    yield document.finding(
        told,
        f"FSDP1 is asked for, which {package} announces to drop",
        help="version 2, with reshard_after_forward in place of a sharding strategy",
        fixes=document.set(told, 2, safety=Safety.UNSAFE),
    )


RULE = Rule(
    "BL525",
    "fsdp1-deprecated",
    Severity.INFO,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=TRAINER_RUNS,
    applies="transformers >= 5.10.0, axolotl >= 0.18",
    flags=True,
    words=("fsdp_version", "version"),
    harm=3.3,
)
