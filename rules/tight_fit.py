"""The run may fit or may not: its need is too close to what the device gives.

Everything that decides is known, and the range of the estimate reaches over the limit, or stays under it by less than the headroom
(the stated reserve, else the smaller of 2 GiB and a tenth of the device). Fragmentation from batches of varying length, a second
process, or a driver update can tip it over; where even the high end stays under the limit, or the length is only a limit and short rows
fit (`does-not-fit`), it is information. Where a setting or a
version opens the range, the verdict is unknown, and says on what it depends (`probably-does-not-fit`, `no-verdict`).

## What it costs

An out-of-memory error some hours into the run, at the longest batch, instead of at the first step.

## Failing

```budget
device rtx-4090; model qwen2.5-1.5b; precision bf16; optimizer adamw8bit; batch 1; seq 5120
recompute full; attention sdpa; stack torch@2.13 transformers@5.24
```

## Passing

```budget
device rtx-4090; model qwen2.5-1.5b; precision bf16; lora r=16; optimizer adamw; batch 1; seq 2048
recompute full; attention sdpa; stack torch@2.13 transformers@5.24
```

## Sources

- `docs/memory.md`: what lies above the allocated peak, and how wide each range is.
- axolotl-ai-cloud/axolotl#1813: out of memory where training resumes after the first evaluation, on blocks reserved for its shapes.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, Verdict, device_words, figures, gib

from ._fit import bill_words, dearest, moment
from ._length import depends_on_rows


def check(run: RunContext) -> Iterator[Finding]:
    estimate = run.estimate
    if estimate is None or estimate.verdict is not Verdict.TIGHT or estimate.need.high is None or estimate.limit is None:
        return
    if estimate.need.low > estimate.limit:
        return  # over the stated reserve for certain: over-reserve says that
    short = depends_on_rows(run)
    short = short if short is not None and short.verdict is Verdict.FITS else None
    yield run.finding(
        dearest(estimate),
        f"{run.label} {_how_near(estimate.need.high, estimate.limit)} {device_words(run)}{f' {short.words}' if short else ''}: "
        f"needs about {gib(estimate.need.bytes)} ({gib(estimate.need.low)} to {gib(estimate.need.high)}) of {gib(estimate.limit)}; "
        f"the peak is in {moment(estimate)}: {bill_words(estimate)}",
        help="measure it (one step at the longest length: budgetlint probe), or free some memory" + _after_evaluation(run),
        numbers={**figures(estimate), "spare_bytes": estimate.limit - estimate.need.bytes},
        severity=None if estimate.need.high > estimate.limit and short is None else Severity.INFO,
    )


def _how_near(high: int, limit: int) -> str:
    return "is too close to call on" if high > limit else f"leaves {gib(limit - high)} at worst, less than the headroom, on"


def _after_evaluation(run: RunContext) -> str:
    return "; it evaluates while it trains, and the step after that finds a pool of other shapes" if run.value("eval_on") is True else ""


RULE = Rule(
    code="BL102",
    name="tight-fit",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    aliases=("reserve-too-small",),
    harm=9.0,
)
