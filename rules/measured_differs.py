"""What was measured and what is estimated differ by more than the tolerance.

A `measured` line is a fact about this run, as a balance line in a ledger: the estimate has to land beside it. Allocated peaks and buckets
are compared with the best figure; reserved and device totals, which no arithmetic gives exactly, with their range. A line that is
[stale](measured-stale.md) is not compared. `tolerance` says how far is too far; without it, 8 %.

## What it costs

One of them is about another run than the other: a length that no sample reaches, a kernel that did not load, a second process on the card,
or a mistake of the estimate. Until it is known which, neither can decide whether the job fits.

## Failing

```budget
device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full
tolerance 5%
measured peak=6.91GiB metric=allocated
```

## Passing

```budget
device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full
tolerance 5%
measured peak=4.96GiB metric=allocated
```

## Sources

- `docs/measured.md` in the project: the figures, which is compared with what, and how to record one.
- Beancount compares recorded balances with computed ones, within a tolerance, for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.language.budget import Measured
from budgetlint.measured.reconcile import RANGES, TOLERANCE_PPM, Compared, below_static, compare
from budgetlint.rule import Bucket, Confidence, Estimate, Finding, Rule, RunContext, Severity, gib

from ._measured import judged, per_cent, seen_on, tolerance, words


def check(run: RunContext) -> Iterator[Finding]:
    allowed = tolerance(run)
    for line, estimate in judged(run):
        if not line.holds or line.measured.outcome == "oom" or any(below_static(line.measured, estimate, allowed)):
            continue
        for one in compare(line.measured, estimate, allowed):
            if not one.inside:
                yield run.finding(
                    line.measured.origin,
                    f"{run.label}: {words(one.figure, one.bytes)} measured{seen_on(line)}, {_estimated(one)}, "
                    f"tolerance {per_cent(TOLERANCE_PPM if allowed is None else allowed)}",
                    help=_help(one, line.measured, estimate),
                    numbers={"measured_bytes": one.bytes, "estimate_bytes": one.estimate.bytes, "off_ppm": one.far},
                )


def _estimated(one: Compared) -> str:
    if one.figure not in RANGES:
        return f"{gib(one.estimate.bytes)} estimated: {abs(one.far) / 10_000:.1f} % {'more' if one.far > 0 else 'less'}"
    most = gib(one.estimate.high) if one.estimate.high is not None else "no end"
    return f"estimated between {gib(one.estimate.low)} and {most}"


def _help(one: Compared, measured: Measured, estimate: Estimate) -> str:
    """The likeliest reasons, in the order in which they are easily checked."""
    if one.figure == "device_total" and one.bytes > one.estimate.bytes:
        return "nvidia-smi counts every process on the card: was it alone? metric=allocated is the figure to compare"
    if "metric" not in measured.facts and "peak" in measured.figures:
        return "say what printed it (metric=allocated, reserved or nvidia-smi): they are different figures"
    if one.far > 0 and estimate.phases and estimate.buckets[Bucket.ACTIVATIONS] + estimate.buckets[Bucket.LOGITS] > estimate.static_bytes:
        return "most of it is activations: did a batch of the full length run? `budgetlint probe` runs the worst shape"
    return "`budgetlint probe --simulate` runs the model code and says which bucket is off; then state what differs, or report it"


RULE = Rule(
    code="BL130",
    name="measured-differs",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("measurement", "estimate"),
    harm=7.0,
)
