"""An 8-bit float format on a GPU whose tensor cores do not have it.

FP8 needs compute capability 8.9 (Ada, Hopper); MXFP8 and NVFP4 need 10.0 (Blackwell); axolotl's fp8 attention needs 9.0.

## What it costs

The run stops: axolotl and torchtitan look at the GPU at start, TransformerEngine and torchao at the first product.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.00002
bf16: true
fp8: true
```

```budget
device a100-80gb
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.00002
bf16: true
fp8: true
```

```budget
device h100-80gb
```

## When it is meant

torchtitan's `emulate` computes float8 through other formats, for tests.

## Sources

- torchtitan 0.2.2 `components/quantization/float8.py` (8.9, unless `emulate`), `mx.py` (10.0).
- axolotl 0.19.0 and 0.15.0 `utils/schemas/config.py` `check_fp8`, 0.19.0 `check_fp8_attention_preflight` (9.0).
- accelerate 1.15.0 `mixed_precision: fp8` and LLaMA-Factory 0.9.5 `fp8: true` hand over to TransformerEngine or torchao.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.rule import (
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    as_written,
    capability_of,
    card_words,
    device_line,
    is_on,
    stated,
    written_by,
)

_BLOCKS = expression(r"\b(?:mx|mxfp8|nvfp4)\b")
"""Parts of torchtitan's converter names (``quantize.linear.mx``)."""

_EMULATED = ("float8.emulate", "quantize.linear.float8.emulate", "quantize.linear.mx.emulate", "mx.emulate")


def check(run: RunContext) -> Iterator[Finding]:
    capability = capability_of(run)
    if capability is None or is_on(written_by(run, *_EMULATED)):
        return
    for setting, what, needed in _asked(run):
        if capability < needed:
            yield run.finding(
                setting,
                f"'{as_written(setting)}' needs {what} of compute capability {needed[0]}.{needed[1]}, and the run is on "
                f"{card_words(run)}: it stops",
                help="compute in bf16",
                related=device_line(run),
                numbers={"compute_capability": f"{capability[0]}.{capability[1]}", "needed": f"{needed[0]}.{needed[1]}"},
            )


def _asked(run: RunContext) -> Iterator[tuple[Setting, str, tuple[int, int]]]:
    """What the run asks for, the hardware that has it, and from where on."""
    compute, converters = run.setting("autocast"), written_by(run, "model.converters")
    attention = written_by(run, "attn_implementation")
    if compute is not None and stated(compute) and compute.value == "fp8":
        yield compute, "FP8 tensor cores", (8, 9)
    trainer = run.run.trainer
    if trainer is None:
        return
    if trainer.format == "torchtitan" and converters is not None and _BLOCKS.search(as_written(converters)):
        yield converters, "block-scaled tensor cores", (10, 0)
    if trainer.format == "axolotl" and attention is not None and attention.value == "fp8":
        yield attention, "an attention kernel", (9, 0)


RULE = Rule(
    "BL216",
    "fp8-unsupported-gpu",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("device",),
    harm=6.5,
)
