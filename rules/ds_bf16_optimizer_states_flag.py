"""DeepSpeed's `bf16_optimizer_states` without what it needs.

States in bf16 belong to master weights in bf16, and both to ZeRO stage 1, 2 or 3.

## What it costs

The run stops at start: "bf16_optimizer_states requires bf16_master_weights_and_grads to be enabled".

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2},
 "bf16": {"enabled": true, "bf16_optimizer_states": true}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2},
 "bf16": {"enabled": true, "bf16_optimizer_states": true, "bf16_master_weights_and_grads": true}}
```

## Sources

- DeepSpeed 0.18.6, 0.19.3 and 0.19.8 `runtime/config.py` `_do_error_check`. Older ones (0.14.4) do not know the keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Setting, Severity, is_on, number_of, written_in

STATES, MASTER = "bf16_optimizer_states", "bf16_master_weights_and_grads"


def check(document: DocumentContext) -> Iterator[Finding]:
    states, master = (written_in(document.reading, f"bf16.{key}") for key in (STATES, MASTER))
    stage = written_in(document.reading, "zero_optimization.stage")
    flag = states if is_on(states) else master if is_on(master) else None
    if flag is None:
        return
    lacks = _lacks(document, flag, master, stage)
    if lacks:
        yield document.finding(
            flag,
            f"{flag.name.rpartition('.')[2]} {flag.text} {lacks}: DeepSpeed stops at start",
            help=f"{MASTER}: true beside it, with ZeRO 1 to 3, trains purely in bf16; else leave both out",
            because=[one for one in (master, stage) if one],
        )


def _lacks(document: DocumentContext, flag: Setting, master: Setting | None, stage: Setting | None) -> str:
    partitions = number_of(stage)
    if partitions == 0 or (stage is None and document.node("zero_optimization") is None):
        return "without ZeRO"
    if flag.name.endswith(STATES) and (master is None or (master.known and not is_on(master))):
        return f"without {MASTER}"
    return ""


RULE = Rule(
    "BL223",
    "ds-bf16-optimizer-states-flag",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("deepspeed",),
    applies="DeepSpeed >= 0.18",
    harm=2.5,
)
