"""SageAttention trains on rows that it was seen to break on.

Its kernels compute in 8 bits. axolotl saw the loss explode on batches that are neither packed nor padded to one length, and drop to
0 in full fine-tuning.

## What it costs

A ruined run that does not stop by itself.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.0002
adapter: lora
lora_r: 8
lora_target_linear: true
attn_implementation: sage
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.0002
adapter: lora
lora_r: 8
lora_target_linear: true
attn_implementation: sage
sample_packing: true
```

## Sources

- axolotl 0.15.0 (`sage_attention`), 0.18.0 and 0.19.0 `utils/schemas/config.py` `check_sageattn_wo_sample_packing`, `check_sageattn_fft`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Setting, Severity, is_on, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    sage = _sage(document)
    if sage is None:
        return
    loose = not any(is_on(written_in(document.reading, key)) for key in ("sample_packing", "pad_to_sequence_len"))
    whole = written_in(document.reading, "adapter") is None
    if loose or whole:
        costs = [
            *(["the loss was seen to explode on rows neither packed nor padded"] if loose else []),
            *(["the loss was seen to drop to 0 in full fine-tuning"] if whole else []),
        ]
        yield document.finding(
            sage,
            f"{sage.name} {sage.text}: {', and '.join(costs)}",
            help="pad_to_sequence_len: true" if not whole else "attn_implementation: flash_attention_2",
        )


def _sage(document: DocumentContext) -> Setting | None:
    flag, word = written_in(document.reading, "sage_attention"), written_in(document.reading, "attn_implementation")
    return flag if is_on(flag) else word if word is not None and word.value == "sage" else None


RULE = Rule(
    "BL715",
    "sage-attention-no-pad",
    Severity.WARNING,
    Confidence.MEDIUM,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("axolotl",),
    applies="axolotl >= 0.15, the first read that has SageAttention",
    words=("sage_attention", "attn_implementation"),
    harm=5.0,
)
