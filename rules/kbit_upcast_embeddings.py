"""QLoRA with `prepare_model_for_kbit_training`: embedding, head and norms become fp32.

PEFT's helper casts every parameter that is not quantised to float32. Beside a base of half a byte a weight, the vocabulary tables
are then the largest part. Where the length is only a limit (`does-not-fit`), the figure is that of short rows.

## What it costs

2 bytes more for each element of the tables: 2.0 GiB for two of 128,256 x 4,096, beside 3.5 GiB of 4-bit weights.

## Failing

```budget
device 12GiB; model llama-3.1-8b; quant nf4 double=on upcast=all; lora r=16; optimizer adamw8bit; batch 1; seq 1024; recompute full
attention flash; stack torch@2.13 transformers@5.24
```

## Passing

```budget
device 12GiB; model llama-3.1-8b; quant nf4 double=on upcast=none; lora r=16; optimizer adamw8bit; batch 1; seq 1024
recompute full; attention flash; stack torch@2.13 transformers@5.24
```

## When it is meant

fp32 norms can steady a run; the tables gain little. `model.lm_head` and `embed_tokens` may be cast back, or the helper left out.

A base that is loaded in fp32 has such tables anyway; it is not told, nor where only a version that nobody names decides.

## Sources

- PEFT 0.21.2 `utils/other.py` `prepare_model_for_kbit_training`: "cast all non INT8 parameters to fp32", except for GPTQ, AQLM, EETQ,
  HQQ and torchao.
- TRL calls it in SFT, GRPO and reward training before 0.26.0, in DPO before 0.29.0; oumi 0.9 always.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.rule import (
    Architecture,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    device_words,
    effect_words,
    figures,
    gib,
    matters,
)

from ._length import of_rows, with_sure_rows
from ._whatif import if_only

BY_HELPER = ("nf4", "fp4", "int8")
WORTH_A_REMARK = 2**28
"""A quarter of a GiB."""


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan, upcast = run.estimate, run.plan, run.setting("quant_upcast")
    if estimate is None or plan is None or upcast is None or plan.quant is None or plan.quant.kind not in BY_HELPER:
        return
    if plan.quant.upcast != "all" or _loads_wide(run, plan.arch):
        return
    rows, run = of_rows(run), with_sure_rows(run)
    estimate = run.estimate or estimate
    without = if_only(run, quant=replace(plan.quant, upcast="none"))
    cost = estimate.need.bytes - without.need.bytes if without is not None else 0
    loud = matters(estimate, cost)
    if cost < WORTH_A_REMARK and not loud:
        return
    part = f" ({100 * cost // estimate.limit} % of what {device_words(run)} gives)" if estimate.limit else ""
    yield run.finding(
        upcast,
        f"embedding, head and norms of the {plan.quant.kind} base are cast to fp32: with the wider tensors behind them {gib(cost)} more "
        f"than in 16 bit{rows}{part}{effect_words(estimate, cost)}",
        help="leave prepare_model_for_kbit_training out (enable_input_require_grads is the part that checkpointing needs), "
        "or cast the tables back",
        because=[setting for name in ("quant", "model") if (setting := run.setting(name))],
        numbers={**figures(estimate), "upcast_bytes": cost},
        severity=None if loud else Severity.INFO,
    )


def _loads_wide(run: RunContext, arch: Architecture) -> bool:
    """Are the tables fp32 without the helper, or may they be: by the dtype that is asked for, or the checkpoint's own where a version
    that nobody names takes that?"""
    loaded = run.setting("weights_dtype")
    if loaded is None:
        return False
    own = arch.checkpoint_dtype or ("bf16" if arch.kind == "decoder" else "fp32")
    dtypes = {own if one == "auto" else one for one in ((loaded.value,) if loaded.known else loaded.readings)}
    return not dtypes or "fp32" in dtypes


RULE = Rule(
    code="BL124",
    name="kbit-upcast-embeddings",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("estimate", "quant_upcast"),
    words=("quant_upcast=all",),
    harm=4.0,
)
