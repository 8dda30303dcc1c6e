"""A DeepSpeed file turns `Adam` into L2 Adam with `adam_w_mode: false` and decays weights.

It is the only way in which DeepSpeed's `Adam` is not AdamW. With `type: AdamW` the flag has no effect. Where the file belongs to a run,
`adam-l2-weight-decay` tells it, with the trainer's own decay.

## What it costs

The decay is added to the gradient and divided by its size in the moments: weights that are updated often hardly decay.

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "optimizer": {"type": "Adam", "params": {"lr": 0.0001, "weight_decay": 0.1, "adam_w_mode": false}}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "optimizer": {"type": "Adam", "params": {"lr": 0.0001, "weight_decay": 0.1}}}
```

## Sources

- DeepSpeed 0.19.8 `runtime/engine.py` `_configure_basic_optimizer`; `runtime/config.py` `ADAM_W_MODE_DEFAULT = True`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, written_in

_PARAMS = "optimizer.params"


def check(document: DocumentContext) -> Iterator[Finding]:
    kind, mode = written_in(document.reading, "optimizer.type"), written_in(document.reading, f"{_PARAMS}.adam_w_mode")
    decay = document.setting("weight_decay")
    if kind is None or mode is None or kind.text.lower() != "adam" or mode.value is not False:
        return
    if decay is None or not decay.known or decay.value <= 0:
        return
    yield document.finding(
        mode,
        f"adam_w_mode false makes Adam add weight_decay {decay.text} to the gradient (L2): weights with large gradients hardly decay",
        help="delete adam_w_mode (Adam is then AdamW), or set weight_decay to 0",
        because=[kind, decay],
        fixes=document.delete(mode, "decouple the decay", safety=Safety.UNSAFE),
        numbers={"weight_decay": float(decay.value)},
    )


RULE = Rule(
    code="BL308",
    name="ds-adamw-mode-false",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("deepspeed",),
    harm=7.0,
)
