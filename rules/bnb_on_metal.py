"""bitsandbytes on a Mac's GPU: no 8-bit optimizer yet, and 4-bit or 8-bit bases only from 0.50.0 on.

bitsandbytes 0.50.0 brought kernels for Metal (`mps`) that pack and unpack weights. The step of its 8-bit optimizers has kernels for
CUDA, XPU and the processor only.

## What it costs

The first optimizer step, or loading the base, stops with `NotImplementedError`.

## Failing

```budget
device m3-max-64gb; model qwen2.5-1.5b; precision bf16-pure; optimizer adamw8bit; batch 1; seq 2048; stack bitsandbytes@0.50.2
```

## Passing

```budget
device m3-max-64gb; model qwen2.5-7b; precision bf16-pure; lora r=16; quant nf4
optimizer adamw; batch 1; seq 2048; stack bitsandbytes@0.50.2
```

## How sure it is

An error for the 8-bit states up to the newest release that was read (0.50.2), and for a packed base where the version is known to be
older than 0.50.0; silent where it is not known.

## Sources

- bitsandbytes 0.50.0, 0.50.2 `backends/*/ops.py`: `optimizer_update_8bit_blockwise` is registered for `cuda`, `xpu`, `cpu`;
  `backends/mps/ops.py`: `quantize_4bit`, `dequantize_4bit`, `gemm_4bit`. 0.49.2 has no `backends/mps`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

KERNELS_SINCE = "0.50.0"
UNREAD = "0.51.0"
PACKED = frozenset(("nf4", "fp4", "int8"))


def check(run: RunContext) -> Iterator[Finding]:
    spec, plan = run.target.device if run.target else None, run.plan
    if spec is None or spec.device is None or spec.device.vendor != "apple" or plan is None:
        return
    related = [(spec.origin, "an Apple chip")]
    optimizer, quant = run.setting("optimizer"), run.setting("quant")
    eight = plan.optimizer.library == "bitsandbytes" and any(state.block for state in plan.optimizer.states)
    if optimizer is not None and eight and run.at_least("bitsandbytes", UNREAD) is not True:
        yield run.finding(
            optimizer,
            f"'{optimizer.shown}' on {spec.device.name}: bitsandbytes has no 8-bit optimizer kernel for Metal, so the first step stops",
            help="adamw, or an adapter, whose states are small",
            related=related,
        )
    if quant is not None and quant.value in PACKED and run.at_least("bitsandbytes", KERNELS_SINCE) is False:
        yield run.finding(
            quant,
            f"'{quant.shown}' on {spec.device.name}: bitsandbytes has Metal kernels from {KERNELS_SINCE} on",
            help=f"bitsandbytes>={KERNELS_SINCE}",
            related=related,
        )


RULE = Rule(
    code="BL334",
    name="bnb-on-metal",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "plan"),
    harm=8.0,
)
