"""A measurement is of other settings than the run has now.

`config=sha256:…` is the hash of what files, flags and budget say about anything that memory depends on; a learning rate or an output
folder does not change it. A stale line narrows nothing and is compared with nothing. The torch release counts too where the run names
its own: another minor version has other kernels.

## What it costs

Somebody believes that this run was measured. It was not.

## Failing

```budget
device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 2; seq 1024; recompute full
measured peak=5.00GiB metric=allocated device="NVIDIA L4" date=2026-11-29 config=sha256:0f3c9a7712ab34cd
```

## Passing

```budget
device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full
measured peak=5.00GiB metric=allocated device="NVIDIA L4" date=2026-11-29
```

## Sources

- `docs/measured.md` in the project: which settings the hash is of.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._measured import seen_on


def check(run: RunContext) -> Iterator[Finding]:
    for line in run.recorded:
        if not line.holds:
            yield run.finding(
                line.measured.origin,
                f"{run.label}: the measurement{seen_on(line)} is stale: {line.why}",
                help="measure again (`budgetlint probe --record`), or delete the line",
            )


RULE = Rule(
    code="BL131",
    name="measured-stale",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("measurement",),
    harm=6.0,
)
