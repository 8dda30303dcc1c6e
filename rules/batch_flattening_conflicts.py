"""axolotl's `batch_flattening` with settings that exclude it.

A flattened batch needs an attention that keeps samples apart by position; packing flattens already; a batch of one is flat.

## What it costs

The run stops when the config is read: "batch_flattening not compatible with sample_packing", "batch_flattening requires a
varlen-capable attention backend". With `micro_batch_size: 1` it does nothing.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 4
learning_rate: 0.00002
flash_attention: true
sample_packing: true
batch_flattening: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 4
learning_rate: 0.00002
flash_attention: true
batch_flattening: true
```

## When it is meant

`batch_flattening: auto` looks at these settings itself.

## Sources

- axolotl 0.8.0, 0.12.2, 0.18.0 and 0.19.0 `utils/schemas/` `check_batch_flattening_fa`; `enums.py` ATTN_IMPLS_SUPPORTING_PACKING.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_on, number_of, written_in

_VARIABLE = ("flash", "flex")
_XFORMERS = ("xformers", "xformers_attention")


def check(document: DocumentContext) -> Iterator[Finding]:
    flat, packing = written_in(document.reading, "batch_flattening"), written_in(document.reading, "sample_packing")
    batch, attention = written_in(document.reading, "micro_batch_size"), document.setting("attention")
    if flat is None or not is_on(flat):
        return
    if packing is not None and is_on(packing):
        yield document.finding(
            flat,
            f"batch_flattening {flat.text} with sample_packing: axolotl stops when it reads the file",
            help="leave batch_flattening out: packed rows are flat already",
            because=[packing],
            fixes=document.set(flat, False, safety=Safety.UNSAFE),
        )
    elif attention is None or (attention.known and attention.value not in _VARIABLE and not _xformers(document)):
        yield document.finding(
            flat,
            f"batch_flattening {flat.text} without an attention that keeps samples apart: axolotl stops when it reads the file",
            help="attn_implementation: flash_attention_2 (older axolotl: flash_attention: true)",
            because=[attention] if attention else (),
        )
    elif batch is not None and number_of(batch) == 1:
        yield document.finding(
            flat,
            f"batch_flattening {flat.text} has no effect with micro_batch_size {batch.text}",
            help="leave it out, or take a micro batch of 2 or more",
            because=[batch],
            severity=Severity.WARNING,
        )


def _xformers(document: DocumentContext) -> bool:
    attention = document.setting("attention")
    return attention is not None and (attention.text == _XFORMERS[0] or attention.origin.key == _XFORMERS[1])


RULE = Rule(
    "BL719",
    "batch-flattening-conflicts",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("axolotl",),
    words=("batch_flattening",),
    harm=2.5,
)
