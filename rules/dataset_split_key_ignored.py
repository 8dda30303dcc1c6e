"""`train_on_split` in an axolotl dataset, which reads `split`.

## What it costs

The key is passed over without a stop, and the split `train` is loaded whatever it says.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
    train_on_split: train[:10%]
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.00002
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
    split: train[:10%]
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.00002
```

## Sources

- axolotl 0.16.1, 0.18.0 and 0.19.0 `utils/schemas/validation.py`: "silently ignored"; 0.12.2 does not know the key; 0.8.0
  `utils/schemas/datasets.py` has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Entry, Finding, Mapping, Rule, Safety, Sequence, Severity

KEY, SPLIT = "train_on_split", "split"
_LISTS = ("datasets", "test_datasets", "pretraining_dataset")
IGNORED = "0.12"


def check(document: DocumentContext) -> Iterator[Finding]:
    if document.at_least("axolotl", IGNORED) is False:
        return
    for keys in _datasets(document):
        entry = keys.get(KEY)
        if entry is not None:
            yield _finding(document, entry, SPLIT in keys)


def _datasets(document: DocumentContext) -> Iterator[dict[str, Entry]]:
    for node in map(document.node, _LISTS):
        for item in node.items if isinstance(node, Sequence) else ():
            if isinstance(item, Mapping):
                yield {entry.key.text: entry for entry in item.entries}


def _finding(document: DocumentContext, entry: Entry, has_split: bool) -> Finding:
    text = getattr(entry.value, "text", "")
    usual = text in ("train", "") and not has_split
    loaded = "" if usual else ", which loads what split says" if has_split else ", which loads the split 'train'"
    return document.finding(
        entry,
        f"{KEY} {text} is not read by axolotl{loaded}",
        help=f"{SPLIT}: {text or 'train'}",
        fixes=() if has_split else document.rename(entry, SPLIT, safety=Safety.UNSAFE),
        severity=Severity.INFO if usual else None,
    )


RULE = Rule(
    "BL711",
    "dataset-split-key-ignored",
    Severity.WARNING,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("axolotl",),
    applies="axolotl >= 0.12",
    words=(KEY,),
    harm=7.0,
)
