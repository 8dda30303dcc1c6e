"""The run needs more memory than the device can give.

The need is what the run cannot do without on one device: the allocated peak, the CUDA context with its libraries, and the
fragmentation that the allocator cannot give back. It is compared at its low end with the largest total that torch was seen
to report for the card, so this rule is only heard when the run cannot fit on the facts that are known. The bill behind it
is `budgetlint estimate`.

## What it costs

The job waits for its GPU, loads for minutes, and dies of an out-of-memory error in the first steps.

## Failing

```budget
device rtx-4090; model llama-3.1-8b; precision bf16; optimizer adamw; batch 1; seq 2048
```

## Passing

```budget
device rtx-4090; model llama-3.1-8b; quant nf4 double=on; lora r=16; optimizer adamw8bit; recompute full
batch 1; seq 2048
```

## A length that the data need not reach

Where nothing is known to pack, pad or join rows up to the written length, that is only a limit, and a batch is as long as its longest row.
It is an error where the run does not fit with short rows either (a quarter of the limit, at most 128 tokens: no data has shorter ones);
else a warning, which says up to which length rows fit. A budget's `seq` says the length itself.

## Sources

- `docs/memory.md` in the project: how the memory of a step adds up, each formula with its source.
- Device totals as torch and nvidia-smi report them: `budgetlint devices NAME`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Estimate, Finding, Rule, RunContext, Severity, device_words, figures, gib

from ._advice import advice
from ._fit import bill_words, dearest, moment
from ._length import depends_on_rows, with_sure_rows


def check(run: RunContext) -> Iterator[Finding]:
    estimate = run.estimate
    if estimate is None or estimate.over is None or estimate.usable_high is None:
        return
    dear, over, short = dearest(estimate), estimate.over, depends_on_rows(run)
    sure = run if short else with_sure_rows(run)
    at_most = "at most " if estimate.usable_high != estimate.usable_low else ""
    yield run.finding(
        dear or (run.target.device if run.target else None),
        f"{run.label} does not fit {device_words(run)}{f' {short.words}' if short else ''}: needs {'there ' if short else ''}at least "
        f"{gib(estimate.need.low)}, the device gives {at_most}{gib(estimate.usable_high)}, {gib(over)} too much; "
        f"the peak is in {moment(estimate)}: {bill_words(estimate)}{_still(run, sure)}",
        help=advice(sure, sure.estimate or estimate) + ("" if short else _condition(estimate)),
        related=[(run.target.device, "the device")] if run.target and run.target.device else [],
        numbers={**figures(estimate), "over_bytes": over},
        severity=Severity.WARNING if short else None,
        confidence=Confidence.MEDIUM if short else None,
    )


def _still(run: RunContext, sure: RunContext) -> str:
    """What even short rows need, where that is less."""
    short = run.short_rows
    if short is None or run.estimate is None or sure.estimate is None:
        return ""
    least = gib(sure.estimate.need.low)
    return f"; with rows of {short.tokens:,} tokens still at least {least}" if least != gib(run.estimate.need.low) else ""


def _condition(estimate: Estimate) -> str:
    """Where the length is a cap, the figure is that of the longest sample that it lets through."""
    cap = next((assumption for assumption in estimate.assumptions if assumption.setting == "seq_len"), None)
    return "; the figure is for a batch whose longest sample reaches the length" if cap else ""


RULE = Rule(
    code="BL101",
    name="does-not-fit",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    aliases=("full-ft-sharded-does-not-fit", "gc-counted-as-free"),
    harm=11.5,
)
