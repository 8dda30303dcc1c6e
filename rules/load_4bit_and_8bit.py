"""`load_in_4bit` and `load_in_8bit` are both on.

## What it costs

TRL and transformers stop before the model is loaded. axolotl with `adapter: qlora` stops too; with `adapter: lora` it takes 8 bits
and ignores the other.

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: qlora
load_in_4bit: true
load_in_8bit: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: qlora
load_in_4bit: true
load_in_8bit: false
```

## Sources

- TRL 1.16.0 `trainer/model_config.py`: "You can't use 8 bit and 4 bit precision at the same time".
- transformers 5.24.0 `utils/quantization_config.py` `BitsAndBytesConfig`: raises ValueError for both.
- axolotl 0.19.0 `utils/schemas/peft.py` `validate_qlora`; `loaders/model.py` `_set_quantization_config`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    HUGGING_FACE,
    SCRIPTS,
    Confidence,
    DocumentContext,
    Entry,
    Finding,
    Mapping,
    Node,
    Rule,
    Safety,
    Scalar,
    Severity,
    walk,
    written_in,
)


def check(document: DocumentContext) -> Iterator[Finding]:
    root = document.reading.document.root
    for node in (root, *(entry.value for _, entry in walk(root))):
        pair = _both(node)
        if pair:
            yield _finding(document, *pair)


def _both(node: Node | None) -> tuple[Entry, Entry] | None:
    if not isinstance(node, Mapping):
        return None
    four, eight = node.entry("load_in_4bit"), node.entry("load_in_8bit")
    return (four, eight) if four and eight and _is_true(four) and _is_true(eight) else None


def _is_true(entry: Entry) -> bool:
    return isinstance(entry.value, Scalar) and entry.value.text.lower() in ("true", "yes", "on")


def _finding(document: DocumentContext, four: Entry, eight: Entry) -> Finding:
    adapter = written_in(document.reading, "adapter") if document.format == "axolotl" else None
    goes_on = adapter is not None and adapter.value == "lora"
    cost = "axolotl takes 8 bits for adapter lora and ignores the other" if goes_on else "the run stops before the model is loaded"
    return document.finding(
        eight,
        f"load_in_4bit and load_in_8bit are both on: {cost}",
        help="keep one: 4 bits for QLoRA (half a byte per weight), 8 bits for LLM.int8 (one byte)",
        related=[(four, "load_in_4bit is on here")],
        fixes=document.set(eight, False, "keep 4 bits", safety=Safety.UNSAFE),
        severity=Severity.WARNING if goes_on else Severity.ERROR,
    )


RULE = Rule(
    code="BL403",
    name="load-4bit-and-8bit",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*HUGGING_FACE, *SCRIPTS, "axolotl"),
    flags=True,
    words=("load_in_8bit",),
    harm=4.5,
)
