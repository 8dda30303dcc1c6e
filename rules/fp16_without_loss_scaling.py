"""Weights, gradients and updates are all in fp16, and nothing scales the loss.

fp16 reaches down to 6e-8 only. Mixed precision keeps fp32 weights and multiplies the loss so that small gradients survive
(`fp16: true` in the Hugging Face trainers, `fp16` of DeepSpeed and Megatron, all with a dynamic scale by default). A model that is
loaded in fp16 and trained as it is has neither.

Not told for adapters: PEFT keeps the trained weights in fp32.

## What it costs

Adam squares the gradient: below 2.4e-4 the square is zero in fp16, and the epsilon of 1e-8 is zero too, so the step divides by
zero and the weights become infinite within a few steps. What does not blow up is lost to rounding.

## Failing

```budget
device 80GiB
model qwen2.5-1.5b
precision fp16-pure
optimizer adamw
```

## Passing

```budget
device 80GiB
model qwen2.5-1.5b
precision fp16
optimizer adamw
```

## Sources

- IEEE 754 binary16: the smallest subnormal is 2^-24, about 5.96e-8; the square root of it is 2.44e-4.
- Micikevicius et al. 2018, Mixed Precision Training (arXiv 1710.03740), sections 3.1 and 3.2.
- torch 2.13.0 `optim/adam.py`: state takes the dtype of the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    full_tuning,
    optimizer_of,
    stated,
    unsharded,
)

_ADAM = "Adam divides by zero where a gradient is below 2.4e-4 (its square and the epsilon are zero in fp16), and small updates vanish"
_OTHERS = "gradients and updates below 6e-8 vanish"

ROUNDS_TO_ZERO = 2**-25
"""An epsilon below this is zero in fp16: half of the smallest subnormal."""


def check(run: RunContext) -> Iterator[Finding]:
    pure = _pure(run)
    if pure is None or not full_tuning(run) or run.value("quant", "none") != "none":
        return
    optimizer = optimizer_of(run.setting("optimizer"))
    divides = (optimizer is None or optimizer.adam_like) and run.value("adam_epsilon", 1e-8) < ROUNDS_TO_ZERO
    cost = _ADAM if divides else _OTHERS
    sure = pure.name == "precision" or (stated(run.setting("autocast")) and bool(unsharded(run)))
    yield run.finding(
        pure,
        f"'{as_written(pure)}' trains fp16 weights without loss scaling{_under(run)}: {cost}",
        help="keep fp32 weights and compute in fp16 with a dynamic loss scale ('precision fp16', fp16: true), or use bf16",
        because=[setting for setting in (run.setting("autocast"), run.setting("optimizer")) if setting],
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        severity=Severity.ERROR if sure else Severity.WARNING,
    )


def _under(run: RunContext) -> str:
    return ", which bf16 autocast does not have" if run.value("autocast") == "bf16" else ""


def _pure(run: RunContext) -> Setting | None:
    """The setting that makes everything fp16."""
    recipe, weights = run.setting("precision"), run.setting("weights_dtype")
    if recipe is not None and recipe.value == "fp16-pure":
        return recipe
    loaded = weights is not None and stated(weights) and weights.value == "fp16"
    half, whole = run.setting("autocast"), unsharded(run)
    scaled = half is None or half.value not in ("none", "bf16")
    may_be = whole is None and stated(half) and half is not None and half.value == "bf16"  # an engine that nobody names would keep fp32
    alone = not scaled and run.value("master_dtype", "none") == "none" and (whole or may_be)
    return weights if loaded and alone else None


RULE = Rule(
    code="BL201",
    name="fp16-without-loss-scaling",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    aliases=("adam-eps-fp16",),
    words=("precision=fp16-pure", "weights_dtype=fp16"),
    harm=9.0,
)
