"""`gradient_checkpointing: false` does not switch checkpointing off in LLaMA-Factory.

LLaMA-Factory checkpoints unless `disable_gradient_checkpointing` is true, and does not ask the Trainer's own key.

## What it costs

About a third more compute than planned: every layer's forward pass runs twice.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: full
template: qwen
cutoff_len: 2048
per_device_train_batch_size: 1
gradient_checkpointing: false
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: full
template: qwen
cutoff_len: 2048
per_device_train_batch_size: 1
disable_gradient_checkpointing: true
```

## Sources

- LLaMA-Factory 0.9.5 `model/model_utils/checkpointing.py` `prepare_model_for_training`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Severity, is_off, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    flag = written_in(document.reading, "gradient_checkpointing")
    if flag is None or not is_off(flag) or written_in(document.reading, "disable_gradient_checkpointing") is not None:
        return
    if written_in(document.reading, "finetuning_type") is None:
        return
    yield document.finding(
        flag,
        f"gradient_checkpointing {flag.text} has no effect in LLaMA-Factory: checkpointing stays on",
        help="disable_gradient_checkpointing: true to switch it off, else delete the line",
    )


RULE = Rule(
    code="BL802",
    name="llamafactory-gc-flag-no-effect",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("llamafactory",),
    flags=True,
    harm=9.0,
)
