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

Where it is known that nothing packs or pads up to the written length, and the run fits with samples of a quarter of it or more, it is a
warning: only the data tells whether a batch gets that long.

## Sources

- `docs/memory.md` in the project: how the memory of a step adds up, each formula with its source.
- Device totals as torch and nvidia-smi report them: `budgetlint devices NAME`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Estimate, Finding, Rule, RunContext, Severity, device_words, figures, gib

from ._advice import advice
from ._fit import bill_words, dearest, moment
from ._length import is_known_unfilled, shorter_that_fits


def check(run: RunContext) -> Iterator[Finding]:
    estimate = run.estimate
    if estimate is None or estimate.over is None or estimate.usable_high is None:
        return
    dear, over = dearest(estimate), estimate.over
    shorter = shorter_that_fits(run) if is_known_unfilled(run) else None
    at_most = "at most " if estimate.usable_high != estimate.usable_low else ""
    yield run.finding(
        dear or (run.target.device if run.target else None),
        f"{run.label} does not fit {device_words(run)}: needs at least {gib(estimate.need.low)}, the device gives "
        f"{at_most}{gib(estimate.usable_high)}, {gib(over)} too much; the peak is in {moment(estimate)}: {bill_words(estimate)}"
        + (f"; with no sample over {shorter:,} tokens it would" if shorter else ""),
        help=advice(run, estimate) + _condition(estimate),
        related=[(run.target.device, "the device")] if run.target and run.target.device else [],
        numbers={**figures(estimate), "over_bytes": over},
        severity=Severity.WARNING if shorter else None,
        confidence=Confidence.MEDIUM if shorter else None,
    )


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
