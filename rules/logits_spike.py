"""The logits of a large vocabulary take the memory that the run lacks.

Between the head and the loss, tokens x vocabulary exist several times: in the model's dtype, in fp32, as log-probabilities,
and in the backward as gradients: 12 bytes per token and vocabulary entry at once. Gradient checkpointing does not touch
them. Where the length is only a limit (`does-not-fit`), it is told of short rows alone: no batch need have the logits of the limit.

## What it costs

The peak of the step: for a vocabulary of 152,064 and 8,192 tokens, 13.9 GiB for some milliseconds.

## Failing

```budget
device rtx-4090; model qwen2.5-1.5b; precision bf16; lora r=16; optimizer adamw; recompute full; batch 16; seq 1024
attention sdpa; stack torch@2.13 transformers@5.24
```

## Passing

```budget
device rtx-4090; model qwen2.5-1.5b; precision bf16; lora r=16; optimizer adamw; recompute full; batch 16; seq 1024
attention sdpa; loss fused; stack torch@2.13 transformers@5.24
```

## Sources

- transformers 5.24.0 `loss/loss_utils.py` `ForCausalLMLoss`: `logits.float()`, then cross entropy.
- Liger Kernel `ops/fused_linear_cross_entropy.py`: the same loss a chunk of tokens at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Bucket, Confidence, Estimate, Finding, Rule, RunContext, Severity, bytes_at_peak, figures, first_located, gib

from ._length import depends_on_rows, of_rows, with_sure_rows

SHARE = 4
"""Logits are named as the cause from a quarter of the need on."""


def check(run: RunContext) -> Iterator[Finding]:
    if run.estimate is None or not run.estimate.near:
        return
    if depends_on_rows(run) is None:
        yield from _spike(with_sure_rows(run), of_rows(run), None)
    else:
        yield from _spike(run, _at_the_limit(run), Severity.INFO)


def _at_the_limit(run: RunContext) -> str:
    length = run.setting("seq_len")
    return f" where a row reaches {length.value:,} tokens" if length is not None and length.known else ""


def _spike(run: RunContext, rows: str, severity: Severity | None) -> Iterator[Finding]:
    """``rows``: of which rows the figures are. ``severity`` of what only the data decides."""
    estimate, plan = run.estimate, run.plan
    if estimate is None or plan is None or not estimate.near or not estimate.whole:
        return
    if estimate.peak_phase not in ("forward", "backward"):
        return  # evaluation and rollouts have batches of their own
    logits = bytes_at_peak(estimate, (Bucket.LOGITS,))
    if logits * SHARE < estimate.need.bytes:
        return
    enough = _would_fit(estimate, logits)
    tokens = [setting for name in ("micro_batch", "seq_len") if (setting := run.setting(name))]
    yield run.finding(
        first_located(tokens),
        f"{plan.tokens:,} tokens x {plan.arch.vocab:,} vocabulary make {gib(logits)} of logits and their gradients, "
        f"{100 * logits // estimate.need.bytes} % of what {run.label} needs{rows}; without them it would "
        f"{'fit' if enough else 'still not fit'}",
        help="a fused or chunked loss (use_liger_kernel: true, TRL's chunked loss, cut cross entropy), "
        "or a smaller micro batch with more accumulation",
        because=tokens,
        numbers={**figures(estimate), "logits_bytes": logits, "tokens": plan.tokens, "vocabulary": plan.arch.vocab},
        severity=severity if enough else Severity.INFO,
    )


def _would_fit(estimate: Estimate, logits: int) -> bool:
    """A remedy that does not help by itself is told as information."""
    return estimate.limit is not None and estimate.need.bytes - logits < estimate.limit


RULE = Rule(
    code="BL108",
    name="logits-spike",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    aliases=("logits-spike-vocab",),
    harm=13.0,
)
