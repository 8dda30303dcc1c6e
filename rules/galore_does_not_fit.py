"""GaLore, APOLLO or their like in a run that would not fit without any optimizer state.

Low-rank optimizers shrink the optimizer's states. Weights, gradients and activations stay as they are; only the layer-wise variants
also free each gradient at once.

## What it costs

The run does not fit although its optimizer is said to make full fine-tuning cheap: 4 bytes a parameter of fp32 weights and as many of
gradients are 60 GiB for 8 billion.

## Failing

```budget
device a100-40gb; model llama-3.1-8b; precision bf16-autocast; optimizer galore_adamw; batch 1; seq 2048; recompute full
attention flash; stack torch@2.13 transformers@5.24
```

## Passing

```budget
device a100-40gb; model llama-3.1-8b; precision bf16-pure; optimizer galore_adamw_layerwise; batch 1; seq 2048; recompute full
attention flash; stack torch@2.13 transformers@5.24
```

## Sources

- Zhao et al. 2024, arXiv 2403.03507, table 1: weights and gradients are those of full-rank training.
- OpenAccess-AI-Collective/axolotl#1641, huggingface/transformers#29822: Llama-3-8B and Mistral-7B that do not fit with GaLore.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Bucket, Confidence, Finding, Rule, RunContext, Severity, Verdict, bytes_at_peak, device_words, figures, gib

from ._fit import is_low_rank


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan, optimizer = run.estimate, run.plan, run.setting("optimizer")
    if estimate is None or plan is None or optimizer is None or estimate.verdict is not Verdict.DOES_NOT_FIT:
        return
    if not is_low_rank(plan):
        return
    states = bytes_at_peak(estimate, (Bucket.OPTIMIZER,))
    if estimate.usable_high is None or estimate.need.low - states <= estimate.usable_high:
        return
    weights, gradients = (bytes_at_peak(estimate, (bucket,)) for bucket in (Bucket.WEIGHTS, Bucket.GRADIENTS))
    yield run.finding(
        optimizer,
        f"{plan.optimizer.name} leaves {gib(states)} of optimizer states, but weights ({gib(weights)}), gradients ({gib(gradients)}) and "
        f"activations stay: {run.label} would not fit {device_words(run)} without any state",
        help="16-bit weights (pure bf16), the layer-wise variant on one GPU, checkpointing; or LoRA",
        because=[setting for name in ("model", "precision") if (setting := run.setting(name))],
        numbers={**figures(estimate), "state_bytes": states, "weight_bytes": weights, "gradient_bytes": gradients},
    )


RULE = Rule(
    code="BL121",
    name="galore-does-not-fit",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate", "optimizer"),
    harm=7.5,
)
