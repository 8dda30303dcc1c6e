"""A 4-bit base under an fp16 model, without a compute dtype.

`BitsAndBytesConfig` computes in fp32 unless told otherwise. bitsandbytes corrects that at the first forward where the input is bf16
or fp32 (it takes the input's dtype), and autocast decides by itself; only fp16 activations without autocast keep the fp32 default.

## What it costs

Every matrix product of the base runs in fp32, several times slower than in fp16, with buffers of twice the size. bitsandbytes
warns once; nothing stops.

## Failing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-2-7b-hf
torch_dtype: float16
load_in_4bit: true
lora_r: 16
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
```

## Passing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-2-7b-hf
torch_dtype: float16
load_in_4bit: true
bnb_4bit_compute_dtype: float16
lora_r: 16
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
```

## Sources

- transformers 5.24.0 `utils/quantization_config.py` `BitsAndBytesConfig`: `bnb_4bit_compute_dtype` None becomes float32.
- bitsandbytes 0.50.2 `nn/modules.py` `Linear4bit.set_compute_type` and `forward`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, as_written, stated


def check(run: RunContext) -> Iterator[Finding]:
    quant, compute, weights = run.setting("quant"), run.setting("quant_compute_dtype"), run.setting("weights_dtype")
    if quant is None or compute is None or weights is None or quant.value not in ("nf4", "fp4"):
        return
    half = stated(weights) and weights.value == "fp16" and run.value("autocast") == "none"
    if not half or not compute.is_default or compute.value != "fp32":
        return
    yield run.finding(
        quant,
        f"'{as_written(quant)}' has no compute dtype, so the fp16 activations of '{as_written(weights)}' are multiplied in fp32: "
        "several times slower, with buffers of twice the size",
        help="write bnb_4bit_compute_dtype: float16 (bfloat16 with bf16 weights)",
        because=[compute, weights],
    )


RULE = Rule(
    code="BL209",
    name="bnb-compute-fp32-default",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("quant", "quant_compute_dtype", "weights_dtype"),
    words=("weights_dtype=fp16",),
    harm=11.0,
)
