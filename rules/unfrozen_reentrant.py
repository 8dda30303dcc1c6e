"""axolotl with `unfrozen_parameters` and reentrant activation checkpointing.

Reentrant checkpointing needs an input that requires a gradient; in a partly frozen model most blocks have none.

## What it costs

axolotl stops when it reads the file: "`use_reentrant` must be false when used with partially frozen model".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
unfrozen_parameters: [lm_head.*]
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: true
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
unfrozen_parameters: [lm_head.*]
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: false
```

## Sources

- axolotl 0.18.0 `utils/schemas/validation.py` `check_use_reentrant_mismatch`; huggingface/transformers#21381.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Sequence, Severity, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    parts = written_in(document.reading, "unfrozen_parameters")
    reentrant = written_in(document.reading, "gradient_checkpointing_kwargs.use_reentrant")
    if parts is None or reentrant is None or reentrant.value is not True:
        return
    if not isinstance(parts.value, Sequence) or not parts.value.items:
        return
    yield document.finding(
        reentrant,
        "use_reentrant true with unfrozen_parameters: axolotl stops when it reads the file, for the frozen blocks would get no gradient",
        help="use_reentrant: false",
        related=[(parts.value, "what trains")],
        fixes=document.set(reentrant, False, safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL432",
    name="unfrozen-reentrant",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("axolotl",),
    aliases=("frozen-embeddings-reentrant",),
    words=("unfrozen_parameters",),
    harm=5.5,
    stops=True,
)
