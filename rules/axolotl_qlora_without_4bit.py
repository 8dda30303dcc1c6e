"""`adapter: qlora` in axolotl without `load_in_4bit: true`.

## What it costs

axolotl stops when it reads the file: "Require cfg.load_in_4bit to be True for qlora".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: qlora
load_in_4bit: false
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
```

## Sources

- axolotl 0.19.0 `utils/schemas/peft.py` `validate_qlora`: the same in 0.18.0; not asked when `merge_lora` is on.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_on, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    adapter, four = written_in(document.reading, "adapter"), written_in(document.reading, "load_in_4bit")
    if adapter is None or adapter.value != "qlora" or is_on(four) or is_on(written_in(document.reading, "merge_lora")):
        return
    if four is not None and not isinstance(four.value, bool):
        return
    if four is None:
        yield document.finding(
            adapter,
            "'adapter: qlora' needs a 4-bit base, and load_in_4bit is not set: axolotl stops when it reads the file",
            help="write load_in_4bit: true, or adapter: lora for a 16-bit base (four times the weight memory)",
            fixes=document.insert_after(adapter, "load_in_4bit", True, safety=Safety.SAFE),
        )
    else:
        yield document.finding(
            four,
            f"'load_in_4bit: {four.text}' contradicts 'adapter: qlora': axolotl stops when it reads the file",
            help="write load_in_4bit: true, or adapter: lora for a 16-bit base (four times the weight memory)",
            because=[adapter],
            fixes=document.set(four, True, "load in 4 bits", safety=Safety.UNSAFE),
        )


RULE = Rule(
    code="BL404",
    name="axolotl-qlora-without-4bit",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=("axolotl",),
    harm=4.5,
    stops=True,
)
