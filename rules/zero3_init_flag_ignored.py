"""`zero3_init_flag` below ZeRO stage 3.

## What it costs

accelerate warns and takes it as false; nothing else changes. A launch with `--zero_stage 3` or a DeepSpeed file of its own hears the
flag, so the fix is unsafe.

## Failing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
num_processes: 8
deepspeed_config:
  zero_stage: 2
  zero3_init_flag: true
```

## Passing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
num_processes: 8
deepspeed_config:
  zero_stage: 3
  zero3_init_flag: true
```

## Sources

- accelerate 1.15.0 and 0.30.0 `utils/dataclasses.py` `DeepSpeedPlugin.__post_init__`; without `zero_stage` the stage is 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_on, number_of, written_in

from ._flags import may_be_elsewhere

SECTION = "deepspeed_config"


def check(document: DocumentContext) -> Iterator[Finding]:
    kind, file = written_in(document.reading, "distributed_type"), written_in(document.reading, f"{SECTION}.deepspeed_config_file")
    flag, stage = written_in(document.reading, f"{SECTION}.zero3_init_flag"), written_in(document.reading, f"{SECTION}.zero_stage")
    level = number_of(stage) if stage else 2.0
    if (
        kind is None
        or str(kind.value).upper() != "DEEPSPEED"
        or (stage is None and may_be_elsewhere(document))
        or (file is not None and file.value != "none")
    ):
        return
    if flag is None or not is_on(flag) or level is None or level >= 3:
        return
    yield document.finding(
        flag,
        f"zero3_init_flag {flag.text} has no effect at ZeRO stage {level:g}: accelerate warns and takes it as false",
        help="delete it",
        because=[stage] if stage else (),
        fixes=document.set(flag, False, safety=Safety.UNSAFE),
        numbers={"zero_stage": int(level)},
    )


RULE = Rule(
    "BL531",
    "zero3-init-flag-ignored",
    Severity.INFO,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("accelerate",),
    flags=True,
    harm=-0.3,
)
