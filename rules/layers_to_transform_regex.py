"""`layers_to_transform` beside target modules that are one text.

PEFT takes a text of `target_modules` as a regular expression over whole paths (or as `all-linear`); which layers it means is then the
expression's own business.

## What it costs

The run stops when the adapter is configured: "`layers_to_transform` cannot be used when `target_modules` is a str".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 8
lora_target_modules: ".*q_proj"
peft_layers_to_transform: [0, 1]
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 8
lora_target_modules: [q_proj]
peft_layers_to_transform: [0, 1]
```

## Sources

- PEFT 0.21.2 and 0.13.0 `tuners/lora/config.py` `LoraConfig.__post_init__`; `layers_pattern` likewise.
- axolotl 0.18.0 `loaders/adapter.py` `_build_peft_lora_config`: `lora_target_linear` makes a list of the text.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Setting, Severity, is_on, written_in

from ._adapters import PEFT_FORMATS, inside, lora_sections

_LAYERS = ("layers_to_transform", "layers_pattern")


def check(document: DocumentContext) -> Iterator[Finding]:
    for targets, layers in _pairs(document):
        if targets is None or layers is None or not isinstance(targets.value, str) or not _is_given(layers):
            continue
        yield document.finding(
            layers,
            f"{layers.name} with target modules in one text, '{targets.text}': PEFT stops when the adapter is configured",
            help=f"write the target modules as a list of names, or put the layers into the expression and remove {layers.name}",
            because=[targets],
        )


def _pairs(document: DocumentContext) -> Iterator[tuple[Setting | None, Setting | None]]:
    reading = document.reading
    if document.format == "axolotl":
        if written_in(reading, "adapter") is not None and not is_on(written_in(reading, "lora_target_linear")):
            yield from ((written_in(reading, "lora_target_modules"), written_in(reading, f"peft_{name}")) for name in _LAYERS)
        return
    for section in lora_sections(reading):
        yield from ((inside(reading, section, "target_modules"), inside(reading, section, name)) for name in _LAYERS)


def _is_given(layers: Setting) -> bool:
    """``${VAR}`` may be nothing."""
    return layers.known


RULE = Rule(
    code="BL429",
    name="layers-to-transform-regex",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*PEFT_FORMATS, "axolotl"),
    words=(*_LAYERS, *(f"peft_{name}" for name in _LAYERS)),
    harm=3.0,
)
