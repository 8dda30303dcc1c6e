"""An adapter is to be merged into a base that is loaded in 4 or 8 bits.

## What it costs

axolotl stops when it reads the file ("Can't merge qlora if loaded in 4bit"), LLaMA-Factory once both are loaded ("Cannot merge
adapters to a quantized model"). Where a library lets it pass, the merged weights are rounded to 4 bits once more.

## Failing

```yaml export.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
adapter_name_or_path: saves/lora
template: qwen
finetuning_type: lora
quantization_bit: 4
export_dir: merged
```

## Passing

```yaml export.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
adapter_name_or_path: saves/lora
template: qwen
finetuning_type: lora
export_dir: merged
```

## Sources

- axolotl 0.18.0 `utils/schemas/peft.py` `validate_qlora`.
- llamafactory 0.9.5 `train/tuner.py` `export_model`; `export_quantization_bit` beside an adapter is refused likewise.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Setting, Severity, is_on, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    found = _axolotl(document) if document.format == "axolotl" else _llamafactory(document)
    if found is None:
        return
    packed, merge = found
    yield document.finding(
        packed,
        f"'{packed.name}: {packed.text}' packs the base that '{merge.name}: {merge.text}' is to be merged into: the merge stops",
        help=f"remove {packed.name}: merge into the 16-bit weights (2 bytes per parameter of host memory), and quantise the result",
        because=[merge],
    )


def _axolotl(document: DocumentContext) -> tuple[Setting, Setting] | None:
    merge, adapter = written_in(document.reading, "merge_lora"), written_in(document.reading, "adapter")
    if merge is None or not is_on(merge) or adapter is None or adapter.value != "qlora":
        return None
    packed = next(
        (key for key in (written_in(document.reading, name) for name in ("load_in_4bit", "load_in_8bit", "gptq")) if is_on(key)), None
    )
    return (packed, merge) if packed is not None else None


def _llamafactory(document: DocumentContext) -> tuple[Setting, Setting] | None:
    merge = written_in(document.reading, "adapter_name_or_path")
    packed = written_in(document.reading, "quantization_bit", "export_quantization_bit")
    if merge is None or packed is None or not packed.known or written_in(document.reading, "export_dir") is None:
        return None
    return packed, merge


RULE = Rule(
    code="BL416",
    name="merge-lora-into-kbit",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("axolotl", "llamafactory"),
    flags=True,
    words=("merge_lora", "export_dir"),
    harm=9.0,
)
