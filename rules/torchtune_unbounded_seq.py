"""torchtune's tokenizer has no length limit: the longest sample of the data sets the peak.

Told only for a run whose memory is judged, that is with a device.

## What it costs

The run fits until the first long sample comes, hours into training. Llama 3 8B with LoRA on a 24 GB card fits at 2,048 tokens and
not at 8,192 (pytorch/torchtune#856).

## Failing

```yaml recipe.yaml
model:
  _component_: torchtune.models.llama3.lora_llama3_8b
  lora_attn_modules: [q_proj, v_proj]
  lora_rank: 8
  lora_alpha: 16
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  path: /tmp/tokenizer.model
  max_seq_len: null
dataset:
  _component_: torchtune.datasets.alpaca_cleaned_dataset
optimizer:
  _component_: torch.optim.AdamW
  lr: 0.0003
batch_size: 2
dtype: bf16
```

```budget
device rtx-4090
```

## Passing

```yaml recipe.yaml
model:
  _component_: torchtune.models.llama3.lora_llama3_8b
  lora_attn_modules: [q_proj, v_proj]
  lora_rank: 8
  lora_alpha: 16
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  path: /tmp/tokenizer.model
  max_seq_len: 2048
dataset:
  _component_: torchtune.datasets.alpaca_cleaned_dataset
optimizer:
  _component_: torch.optim.AdamW
  lr: 0.0003
batch_size: 2
dtype: bf16
```

```budget
device rtx-4090
```

## When it is meant

Data that is known to be short.

## Sources

- torchtune 0.6.1 `modules/transforms/tokenizers`: `max_seq_len=None` truncates nothing; most of `recipes/configs` say null.
- pytorch/torchtune#856.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, trainer_of


def check(run: RunContext) -> Iterator[Finding]:
    length = run.setting("seq_len")
    if trainer_of(run, ("torchtune",)) is None or length is None or length.state != "unbounded" or run.claim("seq_len") is not None:
        return
    positions = run.plan.arch.max_positions if run.plan is not None else None
    reach = f", up to the {positions:,} positions of {run.plan.arch.name}," if run.plan is not None and positions else ""
    yield run.finding(
        length,
        f"tokenizer.max_seq_len {length.text}: nothing is cut, so the longest sample{reach} sets the peak",
        help="write the length that the memory is meant for, 2048 for example",
        numbers={"max_positions": positions} if positions else {},
    )


RULE = Rule(
    "BL707",
    "torchtune-unbounded-seq",
    Severity.INFO,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("device",),
    harm=9.2,
)
