"""LoRA target modules written as one text: PEFT reads a text as a pattern for whole module paths.

`"q_proj,v_proj"`, `"q_proj|v_proj"` and `"q_proj"` match no path such as `model.layers.0.self_attn.q_proj`. A list of names is matched
at the end of the path. LLaMA-Factory's `lora_target` is a comma list by design and is not told. TRL unpacks a list of one name into a
text, so `[q_proj]` alone has the same end.

## What it costs

PEFT stops once the model is loaded: "Target modules q_proj,v_proj not found in the base model".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_target_modules: "q_proj,v_proj"
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 16
lora_target_modules: [q_proj, v_proj]
```

## Sources

- PEFT 0.21.2 `utils/other.py` `match_target_against_key`: `re.fullmatch(target_modules, path)`; run: both texts raise.
- TRL 0.12.2 to 1.16.0 `trainer/model_config.py` `__post_init__`: a list of one becomes its element.
- axolotl 0.19.0 `loaders/adapter.py`: the text goes to PEFT as it is, unless `lora_target_linear` adds a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.rule import (
    HUGGING_FACE,
    PYTHON,
    TRL_FORMATS,
    Confidence,
    DocumentContext,
    Finding,
    Rule,
    Scalar,
    Sequence,
    Setting,
    Severity,
    is_on,
    written_in,
)

from ._adapters import lora_sections

_SECTIONS = ("peft_config", "lora_config", "lora", "peft")
_NESTED = tuple(f"{section}.target_modules" for section in _SECTIONS)
_NAMES = re.compile(r"\w+(?:\s*[,|]\s*\w+)*,?")
_WORDS = ("all-linear", "all", "lm_head", "embed_out", "none", "null", "auto", "default")
"""Texts that PEFT or a script takes as they are; ``lm_head`` is a whole path."""


def check(document: DocumentContext) -> Iterator[Finding]:
    flat = () if document.format not in (*TRL_FORMATS, "axolotl") else ("lora_target_modules",)
    calls = tuple(f"{path}.target_modules" for path in lora_sections(document.reading)) if document.format in PYTHON else ()
    setting = written_in(document.reading, *flat, *calls, *(_NESTED if document.format in HUGGING_FACE else ()))
    if setting is None or not setting.known or (document.format == "axolotl" and not _reaches_peft(document)):
        return
    names = _names(setting, document.format in TRL_FORMATS and setting.name in flat)
    if names:
        yield _finding(document, setting, names)


def _reaches_peft(document: DocumentContext) -> bool:
    return document.setting("adapter") is not None and not is_on(written_in(document.reading, "lora_target_linear"))


def _names(setting: Setting, unpacked: bool) -> tuple[str, ...]:
    """The plain names that will be taken for a pattern."""
    node, text = setting.value, setting.text
    if isinstance(node, Sequence):
        only = node.items[0] if len(node.items) == 1 and unpacked else None
        text = only.text if isinstance(only, Scalar) else ""
    if not _NAMES.fullmatch(text.strip()) or text.strip() in _WORDS:
        return ()
    return tuple(name.strip() for name in re.split("[,|]", text) if name.strip())


def _finding(document: DocumentContext, setting: Setting, names: tuple[str, ...]) -> Finding:
    listed, text = ", ".join(names), setting.text or f"[{names[0]}]"
    how = "is unpacked by TRL to a text, and " if isinstance(setting.value, Sequence) else ""
    sure = (setting.name == "lora_target_modules" or document.format in PYTHON) and not how
    cure = f'write a list, [{listed}], or the pattern ".*({"|".join(names)})"'
    if how:
        cure = f'write the pattern ".*{names[0]}", or name a second module'
    return document.finding(
        setting,
        f"'{text}' {how}is a pattern for whole module paths to PEFT and matches none: the run stops once the model is loaded",
        help=cure,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        severity=Severity.ERROR if sure else Severity.WARNING,
    )


RULE = Rule(
    code="BL407",
    name="target-modules-comma-string",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(*HUGGING_FACE, *PYTHON, "axolotl"),
    flags=True,
    supersedes=("lora-target-mismatch",),
    words=("lora_target_modules", "target_modules"),
    harm=7.0,
)
