"""axolotl packs samples but does not pad the packed rows to one length.

## What it costs

Every batch has another shape: the allocator keeps blocks of all of them, and the peak creeps up. axolotl warns; where the key is
missing it pads "to prevent memory leaks".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 4096
micro_batch_size: 2
learning_rate: 0.00002
flash_attention: true
sample_packing: true
pad_to_sequence_len: false
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 4096
micro_batch_size: 2
learning_rate: 0.00002
flash_attention: true
sample_packing: true
pad_to_sequence_len: true
```

## Sources

- axolotl 0.8.0, 0.12.2, 0.18.0 and 0.19.0 `utils/schemas/` `hint_sample_packing_padding`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_off, is_on, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    packing, padding = written_in(document.reading, "sample_packing"), written_in(document.reading, "pad_to_sequence_len")
    if packing is None or padding is None or not is_on(packing) or not is_off(padding):
        return
    yield document.finding(
        padding,
        f"pad_to_sequence_len {padding.text} with sample_packing: batches change their shape, and the allocator's pool grows with them",
        help="pad_to_sequence_len: true; packed rows are nearly full anyway",
        because=[packing],
        fixes=document.set(padding, True, safety=Safety.UNSAFE),
    )


RULE = Rule(
    "BL708",
    "axolotl-pad-to-sequence-len",
    Severity.WARNING,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("axolotl",),
    flags=True,
    words=("pad_to_sequence_len",),
    harm=9.0,
)
