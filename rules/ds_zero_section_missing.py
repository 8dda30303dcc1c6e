"""A DeepSpeed file for the Trainer or accelerate has no `zero_optimization` section.

DeepSpeed itself takes such a file as stage 0. `"auto"` says that the Trainer or accelerate will fill it in, and they insist
on the section. The autotuner writes it itself.

## What it costs

The run stops at start: "Please specify the ZeRO optimization config in the DeepSpeed config."

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "bf16": {"enabled": "auto"}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "bf16": {"enabled": "auto"},
 "zero_optimization": {"stage": 0}}
```

## Sources

- accelerate 1.15.0 `utils/dataclasses.py` DeepSpeedPlugin.__post_init__ (the Trainer goes through it since transformers 4.31).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Mapping, Rule, Scalar, Severity, walk


def check(document: DocumentContext) -> Iterator[Finding]:
    root = document.reading.document.root
    if not isinstance(root, Mapping) or "zero_optimization" in root or "autotuning" in root:
        return
    automatic = next((entry for _, entry in walk(root) if isinstance(entry.value, Scalar) and entry.value.text == "auto"), None)
    if automatic is not None:
        yield document.finding(
            automatic,
            f'no zero_optimization in a file with "auto" ({automatic.key.text}), which accelerate fills in: it stops at start',
            help='add "zero_optimization": {"stage": 0}, or the stage you mean',
        )


RULE = Rule(
    code="BL509",
    name="ds-zero-section-missing",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("deepspeed",),
    harm=4.5,
)
