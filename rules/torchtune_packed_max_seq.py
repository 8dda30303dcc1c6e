"""torchtune packs a dataset without knowing the length of the packed rows.

`packed: true` fills rows of `tokenizer.max_seq_len` tokens, which must be a number.

## What it costs

The run stops when it builds the dataset: "PackedDataset requires a max_seq_len to be set on the tokenizer."

## Failing

```yaml recipe.yaml
model:
  _component_: torchtune.models.llama3_2.llama3_2_1b
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  path: /tmp/tokenizer.model
  max_seq_len: null
dataset:
  _component_: torchtune.datasets.alpaca_dataset
  packed: true
optimizer:
  _component_: torch.optim.AdamW
  lr: 0.00002
batch_size: 2
dtype: bf16
```

## Passing

```yaml recipe.yaml
model:
  _component_: torchtune.models.llama3_2.llama3_2_1b
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  path: /tmp/tokenizer.model
  max_seq_len: 4096
dataset:
  _component_: torchtune.datasets.alpaca_dataset
  packed: true
optimizer:
  _component_: torch.optim.AdamW
  lr: 0.00002
batch_size: 2
dtype: bf16
```

## Sources

- torchtune 0.6.1 `datasets/`: `_alpaca.py`, `_chat.py`, `_instruct.py`, `_grammar.py`, `_slimorca.py`, `_text_completion.py` raise.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Role, Rule, Scalar, Severity, is_on, loads_with, written_in

_TOKENIZER = "tokenizer.max_seq_len"


def check(document: DocumentContext) -> Iterator[Finding]:
    packed, component = written_in(document.reading, "dataset.packed"), document.text("dataset._component_") or ""
    if packed is None or not is_on(packed) or not component.startswith("torchtune.datasets.") or _given(document):
        return
    entry = document.entry(_TOKENIZER)
    yield document.finding(
        entry or packed,
        f"dataset.packed {packed.text} with no tokenizer.max_seq_len: torchtune stops when it packs",
        help="write the length of the packed rows: tokenizer.max_seq_len: 4096",
        because=[packed],
    )


def _given(document: DocumentContext) -> bool:
    """A length is written, the dataset has its own, or there is no tokenizer here that could have one."""
    if document.node("tokenizer") is None or document.reading.role is not Role.TRAINER:
        return True
    if written_in(document.reading, "dataset.max_seq_len") is not None:
        return True
    node = document.node(_TOKENIZER)
    return node is not None and not (isinstance(node, Scalar) and node.value(loads_with(document.reading)) is None)


RULE = Rule(
    "BL712",
    "torchtune-packed-max-seq",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("torchtune",),
    harm=7.0,
)
