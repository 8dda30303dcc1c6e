"""A LoRA dropout that is no probability, often written in percent.

## What it costs

Above 1 torch stops when the adapter is made, after the model has been loaded: "dropout probability has to be between 0 and 1". At exactly 1
the adapter sees zeros only, and nothing trains.

## Failing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
lora_dropout: 5
```

## Passing

```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
lora_dropout: 0.05
```

## Sources

- torch 2.13.0 `nn/modules/dropout.py` `_DropoutNd.__init__`: ValueError outside of 0 to 1.
- PEFT 0.21.2 `tuners/lora/layer.py` `update_layer`: `nn.Dropout(p=lora_dropout)` above 0, else `nn.Identity()`.
- LLaMA-Factory 0.9.4 `model/adapter.py`, axolotl 0.12.2 `loaders/adapter.py`: handed on as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, as_written, number_text, stated


def check(run: RunContext) -> Iterator[Finding]:
    dropout, adapter = run.setting("lora_dropout"), run.setting("adapter")
    if dropout is None or not stated(dropout) or dropout.value < 1:
        return
    if adapter is not None and adapter.known and adapter.value != "lora":
        return
    sure = adapter is not None and adapter.known
    whole = dropout.value == 1
    cost = "the adapter sees zeros only and does not train" if whole else "torch stops when the adapter is made"
    yield run.finding(
        dropout,
        f"'{as_written(dropout)}' {'drops everything' if whole else 'is no probability'}: {cost}",
        help="0.05 to 0.1 is usual" if whole else f"a share between 0 and 1, such as {number_text(dropout.value / 100)}",
        numbers={"dropout_ratio": dropout.value},
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL436",
    name="lora-dropout-range",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("lora_dropout",),
    harm=6.0,
)
