"""No budget says which card the run is for, and this is the smallest one that holds it.

Told as information where nothing names a device and the need of the run is known at both ends: the card of the catalog with
the least memory on which the high end of the need still leaves the usual headroom (the smaller of 2 GiB and a tenth). Only
single NVIDIA cards are looked at, no slices of a card and no laptops; for a run in bf16 only those that compute in it. Where no
card is large enough, that is told. A run that is sharded over a number of devices that nobody states gets no card, and none does
whose high end lies far above the best figure (by half of it and 4 GiB): there a `stack` tells first what the run is. Where the
length is only a limit (`does-not-fit`), the smallest card is that of short rows; need and card at the limit stand behind it. Nor
is a card named for what a script of its own decides, or where sharding, devices, adapter or quantisation hang on a file or a
variable that is not here.

## What it costs

Nothing. It is what a first look without any budget is for: which card to ask for, before one is rented that is too small, or
four times too large.

## Failing

```budget
model qwen2.5-1.5b; precision bf16; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full; attention sdpa
stack transformers@5.24 torch@2.13
```

## Passing

A device is named, so there is a verdict instead.

```budget
device rtx-4090; model qwen2.5-1.5b; precision bf16; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full; attention sdpa
stack transformers@5.24 torch@2.13
```

## Sources

- `budgetlint devices`: what torch and nvidia-smi report for each card, with sources.
- `docs/memory.md` in the project: how the need adds up.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.short_rows import ShortRows
from budgetlint.rule import Confidence, Finding, Location, Range, Rule, RunContext, Severity, gib

from ._cards import Held, held_by, is_closed
from ._length import with_sure_rows

CLOSE = 1.02
"""The high end decides which card; where it lies further above the best figure than this, it is told."""


def check(run: RunContext) -> Iterator[Finding]:
    if run.target is not None and run.target.device is not None:
        return
    sure = with_sure_rows(run)
    estimate, plan = sure.estimate, sure.plan
    if estimate is None or plan is None or not is_closed(run, estimate, plan):
        return
    least, short = held_by(run, estimate, plan), run.short_rows
    if least is None:
        return
    card, need = least.card, least.need
    most = held_by(run, run.estimate, run.plan) if short is not None and run.estimate is not None else least
    yield run.finding(
        _place(run),
        f"no device is named: {run.label} {_told(least, most, short, _each(plan.ranks), _rows(plan.arch.kind))}",
        help=f"'device {card.name}' in a budget makes it a verdict" if card else "an adapter, quantised weights, recomputation or sharding",
        numbers={
            "need_bytes": need.bytes,
            "need_low_bytes": need.low,
            "need_high_bytes": need.high,
            "card": card.name if card else None,
            "card_bytes": card.usable_min if card else None,
        },
    )


def _each(ranks: int) -> str:
    return f" on each of {ranks} devices" if ranks > 1 else ""


def _rows(kind: str) -> str:
    """What is as long as its limit, or shorter: of sound, which is padded, the labels."""
    return "labels" if kind == "speech" else "rows"


def _told(held: Held, most: Held | None, short: ShortRows | None, each: str, rows: str) -> str:
    """Both ends of what rows of any length need, where that is far from one figure."""
    if short is None or (most is not None and most.card is held.card and most.need.bytes <= held.need.bytes * CLOSE):
        return f"needs {_words(held.need)}{each}, and {_card(held)} holds it"
    of = " of labels" if rows == "labels" else ""
    needs, reached = (
        f"needs {_words(held.need)}{each} with {rows} of {short.tokens:,} tokens",
        f"where a row{of} reaches {short.limit:,} tokens",
    )
    if most is None:
        return f"{needs}, and {_card(held)} holds that; {reached} no card is known to"
    if most.card is held.card:
        return f"{needs} and {_words(most.need)} {reached}, and {_card(held)} holds both"
    larger = f"{most.card.name}, {gib(most.card.usable_min)}" if most.card else "no single card"
    return f"{needs}, and {_card(held)} holds that; {_words(most.need)} ({larger}) {reached}"


def _card(held: Held) -> str:
    return f"{held.card.name} ({gib(held.card.usable_min)}) is the smallest card that" if held.card else "no single card"


def _words(need: Range) -> str:
    return gib(need.bytes) + (f", at most {gib(need.high)}" if need.high is not None and need.high > need.bytes * CLOSE else "")


def _place(run: RunContext) -> Location | None:
    """The command that starts the run, where one does: several may start the same config."""
    script = run.run.name.partition("#")[0]
    started = next((reading.document for reading in run.run.readings if reading.document.path == script), None)
    return started.locate(started.root.span) if started is not None and started.root is not None and "#" in run.run.name else None


RULE = Rule(
    code="BL128",
    name="smallest-card",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("plan", "estimate"),
)
