"""The run fits the device but eats into the reserve that the budget holds back.

## What it costs

Whatever the reserve is for (a desktop session, another process, the longest batch) no longer has its memory.

## Failing

```budget
device rtx-4090; reserve 12GiB; model qwen2.5-1.5b; precision bf16; optimizer adamw8bit; batch 1; seq 2048; recompute full
attention sdpa; stack torch@2.13 transformers@5.24
```

## Passing

```budget
device rtx-4090; reserve 1GiB; model qwen2.5-1.5b; precision bf16; lora r=16; optimizer adamw; batch 1; seq 2048; recompute full
attention sdpa; stack torch@2.13 transformers@5.24
```

## Sources

- The budget itself: every run must satisfy peak <= usable - reserve.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, Verdict, device_words, figures, gib

from ._fit import bill_words, dearest


def check(run: RunContext) -> Iterator[Finding]:
    estimate, reserve = run.estimate, run.target.reserve if run.target else None
    if estimate is None or reserve is None or estimate.limit is None or estimate.verdict is Verdict.DOES_NOT_FIT:
        return
    if estimate.need.low <= estimate.limit:
        return
    over = estimate.need.low - estimate.limit
    yield run.finding(
        reserve,
        f"{run.label} fits {device_words(run)} but not beside the reserve of {reserve.text}: needs at least {gib(estimate.need.low)} "
        f"of {gib(estimate.limit)}, {gib(over)} too much ({bill_words(estimate)})",
        help="lower the reserve if it is not needed, or free that much",
        because=[dear] if (dear := dearest(estimate)) else [],
        numbers={**figures(estimate), "over_bytes": over},
    )


RULE = Rule(
    code="BL110",
    name="over-reserve",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    harm=8.0,
)
