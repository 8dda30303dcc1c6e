"""axolotl with `qat` and a base that is quantised already, or a `peft` section.

Quantisation-aware training rounds 16-bit weights in the forward pass while they train. Packed weights do not train.

## What it costs

axolotl stops when it reads the file: "QAT and load_in_4bit cannot be used together".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: qlora
load_in_4bit: true
qat:
  activation_dtype: int8
  weight_dtype: int4
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
qat:
  activation_dtype: int8
  weight_dtype: int4
```

## Sources

- axolotl 0.18.0 `utils/schemas/config.py` `check_qat_config`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Mapping, Rule, Setting, Severity, is_on, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    qat = written_in(document.reading, "qat")
    if qat is None or not isinstance(qat.value, Mapping) or not qat.value.entries:
        return
    for key in ("peft", "load_in_8bit", "load_in_4bit"):
        other = written_in(document.reading, key)
        if other is not None and _is_used(other):
            yield document.finding(
                other,
                f"'{key}' beside a qat section: axolotl stops when it reads the file",
                help=f"remove {key} to train the 16-bit weights for quantisation, or remove qat",
                related=[(qat.value, "quantisation-aware training")],
            )


def _is_used(other: Setting) -> bool:
    return bool(other.value.entries) if isinstance(other.value, Mapping) else is_on(other)


RULE = Rule(
    code="BL434",
    name="qat-with-peft",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("axolotl",),
    words=("qat",),
    harm=2.5,
    stops=True,
)
