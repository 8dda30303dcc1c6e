"""The batch was made small, but weights, gradients and optimizer alone exceed the device.

Training memory is a fixed part (about 16 bytes a parameter for mixed-precision Adam) and a part that follows batch and
length. Where the fixed part is too large, no batch size makes the run fit.

## What it costs

Hours of trying smaller batches, slower training, and the same out-of-memory error.

## Failing

```budget
device rtx-4090; model llama-3.1-8b; precision bf16; optimizer adamw; batch 1 accum=32; seq 1024
```

## Passing

```budget
device rtx-4090; model llama-3.1-8b; quant nf4 double=on; lora r=16; optimizer adamw8bit; recompute full
batch 1 accum=32; seq 1024
```

## Sources

- Rajbhandari et al. 2019 (ZeRO, arXiv 1910.02054), section 3.1: 16 bytes a parameter for mixed-precision Adam.
- https://github.com/FireRedTeam/FireRedTTS2/issues/42: a batch of 1 that still runs out of memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Estimate, Finding, Rule, RunContext, Setting, Severity, Verdict, device_words, figures, gib

from ._fit import outside


def check(run: RunContext) -> Iterator[Finding]:
    estimate, batch = run.estimate, run.setting("micro_batch")
    if estimate is None or estimate.usable_high is None or batch is None or not _made_small(run, batch):
        return
    fixed = estimate.static_bytes + outside(estimate)
    if fixed <= estimate.usable_high or estimate.verdict is not Verdict.DOES_NOT_FIT or not estimate.whole or _is_open(run, estimate):
        return
    yield run.finding(
        batch,
        f"micro batch {batch.value} is not what makes {run.label} too large: weights, gradients and optimizer alone take "
        f"{gib(estimate.static_bytes)} ({_shared(run, estimate)}), {device_words(run)} gives {gib(estimate.usable_high)}",
        help=_cure(run),
        because=[setting for name in ("model", "optimizer", "precision") if (setting := run.setting(name))],
        numbers={**figures(estimate), "static_bytes": estimate.static_bytes},
    )


def _cure(run: RunContext) -> str:
    """What the run does not do already."""
    adapter = "" if run.value("adapter", "none") != "none" else "an adapter (LoRA), "
    base = "a quantised base, " if run.value("quant", "none") == "none" else ""
    optimizer = "an 8-bit or offloaded optimizer, or " if adapter else ""
    return f"{adapter}{base}{optimizer}{'or ' if base and not optimizer else ''}sharding over more devices"


def _made_small(run: RunContext, batch: Setting) -> bool:
    """Somebody already went down with the batch: it is 1 or 2 with accumulation, or found by trying."""
    if not batch.known or batch.is_default:
        return False
    return int(batch.value) <= 2 and int(run.value("grad_accum", 1) or 1) > 1


def _is_open(run: RunContext, estimate: Estimate) -> bool:
    """How the model is split is not known or not modelled: the fixed part is counted for a whole model, each device may hold less."""
    return bool({"parallel", "devices"} & set(estimate.missing)) or (run.plan is not None and run.plan.model_split > 1)


def _shared(run: RunContext, estimate: Estimate) -> str:
    plan = run.plan
    if plan is not None and (plan.parallel.on or plan.sharding.states_over > 1):
        return f"on each of {plan.ranks} devices"
    return f"{estimate.static_bytes / estimate.params:.1f} bytes a parameter" if estimate.params else "fixed"


RULE = Rule(
    code="BL107",
    name="batch-is-not-the-cause",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate", "micro_batch"),
    aliases=("optimizer-state-dominates",),
    harm=11.5,
)
