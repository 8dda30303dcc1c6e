"""A DeepSpeed file names an optimizer that ZeRO does not know, without `zero_allow_untested_optimizer`.

ZeRO knows Adam, AdamW, Adagrad, Lion and Muon (and MuAdam, which is torch's Adam underneath). It refuses the rest: LAMB, SGD, and every
other class of `torch.optim`. An optimizer that the Trainer or accelerate brings is let through: they set the switch themselves.

## What it costs

The engine stops at start: "You are using an untested ZeRO Optimizer". A program that hands over an optimizer of its own
never builds this one; the file alone does not tell.

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "optimizer": {"type": "Lamb", "params": {"lr": 0.001}}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "zero_allow_untested_optimizer": true,
 "optimizer": {"type": "Lamb", "params": {"lr": 0.001}}}
```

## Sources

- DeepSpeed 0.18.6 and 0.19.3 `runtime/engine.py` `_do_optimizer_sanity_check`, `runtime/zero/utils.py` `ZERO_SUPPORTED_OPTIMIZERS`.
- transformers 5.24.0 `integrations/deepspeed.py` `deepspeed_optim_sched`, accelerate 1.15.0 `accelerator.py`: they set it for their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_on, names, written_in

KNOWN = names("adam adamw adagrad lion muon muadam muadamw")
ONE_BIT = names("onebitadam zerooneadam onebitlamb")
"""Refused by an assertion of their own: `onebit-with-zero`."""


def check(document: DocumentContext) -> Iterator[Finding]:
    kind, shard = written_in(document.reading, "optimizer.type"), document.setting("shard")
    if kind is None or not kind.known or shard is None or shard.value not in ("zero1", "zero2", "zero3"):
        return
    if str(kind.value).lower() in KNOWN | ONE_BIT or is_on(allowed := written_in(document.reading, "zero_allow_untested_optimizer")):
        return
    yield document.finding(
        kind,
        f"{kind.text} is none of the optimizers that ZeRO has tested (Adam, AdamW, Adagrad, Lion, Muon): DeepSpeed stops at start",
        help='write AdamW, or "zero_allow_untested_optimizer": true if you have verified it with partitioned gradients',
        because=[shard, *([allowed] if allowed else [])],
        fixes=document.set(allowed, True, safety=Safety.UNSAFE) if allowed else (),
    )


RULE = Rule(
    code="BL314",
    name="ds-untested-optimizer",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("deepspeed",),
    harm=7.0,
)
