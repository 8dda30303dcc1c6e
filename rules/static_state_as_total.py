"""A limit covers weights, gradients and optimizer only, and passes while the whole run does not.

Weights, gradients and optimizer state are the fixed part. Activations, logits, buffers and the CUDA context come on top;
the peak is in the backward of the loss or in the optimizer step, not in the sum of the fixed part.

## What it costs

The budget says yes, the device says out of memory: the difference is the finding's number.

## Failing

```budget
device rtx-4090; model qwen2.5-1.5b; precision bf16; optimizer adamw8bit; batch 16; seq 2048
assert weights + gradients + optimizer <= usable
```

## Passing

```budget
device a100-80gb; model qwen2.5-1.5b; precision bf16; optimizer adamw8bit; batch 4; seq 2048
assert peak <= 90% of usable
assert weights + gradients + optimizer <= usable
```

## Sources

- https://github.com/hiyouga/LlamaFactory/issues/3259: a table of the fixed part taken for the whole run.
- DeepSpeed's and accelerate's own estimators count the fixed part only.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.language.asserts import names_in
from budgetlint.language.tree import Assert, Value
from budgetlint.rule import Confidence, Finding, Origin, OriginKind, Rule, RunContext, Severity, figures, gib

STATIC = frozenset({"weights", "gradients", "grads", "optimizer"})
WHOLE = frozenset({"usable", "device"})


def check(run: RunContext) -> Iterator[Finding]:
    estimate = run.estimate
    if estimate is None or estimate.usable_low is None or estimate.need.bytes <= estimate.usable_low:
        return
    sure = estimate.need.low > estimate.usable_low
    need, words = (estimate.need.low, "at least") if sure else (estimate.need.bytes, "about")
    for statement in run.budget_run.asserts if run.budget_run else ():
        if _counts_the_fixed_part(statement) and estimate.static_bytes <= estimate.usable_low:
            yield run.finding(
                Origin(OriginKind.BUDGET, statement.source, statement.span, "assert"),
                f"this limit counts {gib(estimate.static_bytes)} of weights, gradients and optimizer and passes; {run.label} needs "
                f"{words} {gib(need)}, {gib(need - estimate.static_bytes)} more: activations, logits, "
                "buffers and context",
                help="assert peak <= 90% of usable",
                numbers={**figures(estimate), "static_bytes": estimate.static_bytes},
                confidence=None if sure else Confidence.MEDIUM,
            )


def _counts_the_fixed_part(statement: Assert) -> bool:
    """The left side adds up two or three fixed buckets, the right side is the device."""
    left = [term.value.text for term in statement.left if isinstance(term.value, Value)]
    if len(left) < 2 or not set(left) <= STATIC or statement.comparison not in ("<", "<="):
        return False
    return any(name in WHOLE for name in names_in(statement) if name not in left)


RULE = Rule(
    code="BL106",
    name="static-state-as-total",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    harm=11.5,
)
