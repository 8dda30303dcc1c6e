"""A measured figure is less than the run's weights, gradients and optimizer states: it cannot be the peak.

When a backward ends all three are there, whatever the batch is. A smaller figure was read at another moment (after the step, when the
gradients are gone; after loading), on another rank, or is another quantity. It narrows nothing.

## What it costs

A figure from after the step looks like gigabytes of room. The next larger batch dies.

## Failing

```budget
device a100-80gb; model qwen2.5-1.5b; precision bf16-autocast; optimizer adamw; batch 1; seq 1024; recompute full
measured peak=17.3GiB metric=allocated
```

## Passing

```budget
device a100-80gb; model qwen2.5-1.5b; precision bf16-autocast; optimizer adamw; batch 1; seq 1024; recompute full
measured peak=24.8GiB metric=allocated
```

## Sources

- torch 2.13 torch/cuda/memory.py: `memory_allocated` is now, `max_memory_allocated` since the last reset.
- `docs/measured.md` in the project: when to read which figure.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.measured.reconcile import below_static
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, gib

from ._measured import judged, seen_on, tolerance, words


def check(run: RunContext) -> Iterator[Finding]:
    for line, estimate in judged(run):
        if not line.holds or line.measured.outcome == "oom":
            continue
        for figure, size in below_static(line.measured, estimate, tolerance(run)):
            yield run.finding(
                line.measured.origin,
                f"{run.label}: {words(figure, size)} measured{seen_on(line)} is less than its weights, gradients and optimizer states "
                f"({gib(estimate.static_bytes)}): read after the step, or of another quantity",
                help="read torch.cuda.max_memory_allocated() behind a whole step, without a reset in between, on the first rank",
                numbers={"measured_bytes": size, "static_bytes": estimate.static_bytes},
            )


RULE = Rule(
    code="BL133",
    name="measured-below-static",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("measurement", "estimate"),
    harm=7.0,
)
