"""An 8-bit base of bitsandbytes, computed from bf16.

LLM.int8 multiplies fp16 inputs: bf16 activations are cast to fp16 first, for every linear layer, and lose their range.

## What it costs

Two casts per linear and "MatMul8bitLt: inputs will be cast from torch.bfloat16 to float16"; activations above 65,504 become infinite.
A 4-bit base is half as large and computes in bf16.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-7B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.0002
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
load_in_8bit: true
bf16: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-7B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.0002
adapter: qlora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
load_in_4bit: true
bf16: true
```

## When it is meant

Models whose activations stay in range, which most do.

## Sources

- bitsandbytes 0.49.0 `autograd/_functions.py` `MatMul8bitLt.forward`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, as_written, stated

from ._apple import for_apple


def check(run: RunContext) -> Iterator[Finding]:
    quant, compute = run.setting("quant"), run.setting("autocast")
    if quant is None or compute is None or quant.value != "int8" or compute.value != "bf16" or not stated(quant):
        return
    if for_apple(run):
        return
    if "8bit" not in quant.origin.key and str(quant.text) not in ("8", "int8"):  # another library's int8
        return
    yield run.finding(
        quant,
        f"'{as_written(quant)}' with bf16: bitsandbytes casts every input to fp16, whose largest number is 65,504",
        help="a 4-bit base (load_in_4bit) computes in bf16 and is half as large; or train with fp16",
        because=[compute],
        numbers={"largest_fp16": 65504},
    )


RULE = Rule(
    "BL222",
    "load8bit-bf16-cast",
    Severity.INFO,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("quant", "autocast"),
    words=("quant=int8",),
    harm=4.0,
)
