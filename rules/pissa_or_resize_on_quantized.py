"""LLaMA-Factory with a base quantised on the fly, and something that has to change its packed weights.

`pissa_init` takes the principal parts out of the weights, `resize_vocab` adds rows to the embeddings, `create_new_adapter` merges the
adapter that was there first. None of them works on 4-bit or 8-bit weights.

## What it costs

The run stops when the arguments are read, for `resize_vocab` with "Cannot resize embedding layers of a quantized model".

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
template: qwen
quantization_bit: 4
resize_vocab: true
per_device_train_batch_size: 1
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
template: qwen
resize_vocab: true
per_device_train_batch_size: 1
```

## Sources

- llamafactory 0.9.5 `hparams/parser.py` `_verify_model_args`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Setting, Severity, is_on, written_by

CURES = {
    "pissa_init": "run scripts/pissa_init.py first and train on what it writes, or remove pissa_init",
    "resize_vocab": "resize and save the model in 16 bits first, then quantise that checkpoint",
    "create_new_adapter": "merge the first adapter into the 16-bit base and quantise the merged model, or go on with that adapter",
}


def check(run: RunContext) -> Iterator[Finding]:
    bits = written_by(run, "quantization_bit")
    if bits is None or not bits.known or str(bits.value) not in ("4", "8"):
        return
    for key, cure in CURES.items():
        switch = written_by(run, key)
        if switch is not None and is_on(switch) and _asked(run, key):
            yield _finding(run, switch, bits, cure)


def _asked(run: RunContext, key: str) -> bool:
    """A new adapter is refused only beside one that is loaded."""
    return key != "create_new_adapter" or written_by(run, "adapter_name_or_path") is not None


def _finding(run: RunContext, switch: Setting, bits: Setting, cure: str) -> Finding:
    return run.finding(
        switch,
        f"'{switch.name}: {switch.text}' on a base of {bits.text} bits: LLaMA-Factory stops when it reads the arguments",
        help=cure,
        because=[bits],
        numbers={"weight_bits": int(bits.value)},
    )


RULE = Rule(
    code="BL427",
    name="pissa-or-resize-on-quantized",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("llamafactory",),
    words=("quantization_bit",),
    harm=2.5,
)
