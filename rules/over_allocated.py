"""A run fits on a quarter of the memory that it asks for.

Told as information where a budget or a job of the project names a card, everything that decides about the need is known, and a card with
at most a quarter of its memory holds the run too, at the longest rows that its limit lets through and with the usual headroom. A budget of
the command line is nobody's request, and is not looked at.

## What it costs

A card that others wait for, and several times the price of an hour. A larger card is also faster, so it may be meant.

## Failing

```budget
device a100-80gb; model qwen2.5-0.5b; precision bf16; lora r=16; optimizer adamw; batch 1; seq 512; recompute full; attention sdpa
stack transformers@5.24 torch@2.13
```

## Passing

```budget
device t4; model qwen2.5-0.5b; precision fp16; lora r=16; optimizer adamw; batch 1; seq 512; recompute full; attention sdpa
stack transformers@5.24 torch@2.13
```

## When it is meant

For the speed of the larger card, or because there is no other: `allow over-allocated reason="the only node that we have"`.

## Sources

- `budgetlint devices`: what torch and nvidia-smi report for each card, with sources.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, Verdict, gib

from ._cards import held_by, is_closed

PARTS = 4
"""What fits on a quarter of a card asks for too much."""

_COMMAND_LINE = ("--budget", "<command>")


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan, asked = run.estimate, run.plan, run.target.device if run.target else None
    if estimate is None or plan is None or asked is None or asked.device is None or asked.device.kind == "cpu":
        return
    source = asked.origin.source
    if estimate.verdict is not Verdict.FITS or source is None or source.path in _COMMAND_LINE or not is_closed(run, estimate, plan):
        return
    least = held_by(run, estimate, plan)
    card = least.card if least is not None else None
    if least is None or card is None or card.usable_max * PARTS > asked.usable_low:
        return
    times = f"{asked.count}x " if asked.count is not None else ""
    yield run.finding(
        asked,
        f"{run.label} fits on a quarter of {asked.text}: it needs {gib(least.need.high or least.need.bytes)} at most of "
        f"{gib(asked.usable_low)}, and {card.name} ({gib(card.usable_min)}) holds it",
        help=f"'device {times}{card.name}', unless the speed of the larger card is what is wanted",
        numbers={
            "need_high_bytes": least.need.high,
            "usable_bytes": asked.usable_low,
            "card": card.name,
            "card_bytes": card.usable_min,
        },
    )


RULE = Rule(
    code="BL138",
    name="over-allocated",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "plan", "estimate"),
    harm=2.0,
)
