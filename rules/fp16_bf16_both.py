"""Both `fp16` and `bf16` are switched on.

Only one can compute. `auto` and `auto` in a DeepSpeed file is no mistake: the trainer fills in both.

## What it costs

transformers and DeepSpeed stop when they read the file, after the job has waited for its GPUs. axolotl goes on and ignores
`fp16`.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 4
gradient_accumulation_steps: 8
num_train_epochs: 1
fp16: true
bf16: true
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 4
gradient_accumulation_steps: 8
num_train_epochs: 1
fp16: false
bf16: true
```

## Sources

- transformers 5.24.0 `training_args.py` `_validate_args`: "At most one of fp16 and bf16 can be True, but not both".
- DeepSpeed 0.19.8 `runtime/config.py` `_initialize_params`: asserts the same.
- axolotl 0.19.0 `core/builders/base.py`: `fp16 = cfg.fp16 and not cfg.bf16`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, DocumentContext, Finding, Rule, Safety, Setting, Severity, is_on, written_in

_TRAINER = (("fp16", ("bf16",)), ("fp16_full_eval", ("bf16_full_eval",)))
_PAIRS = {
    **dict.fromkeys(TRAINING_ARGUMENTS, _TRAINER),
    "axolotl": (("fp16", ("bf16", "bfloat16")),),
    "deepspeed": (("fp16.enabled", ("bf16.enabled", "bfloat16.enabled")),),
}
"""By format: the key of fp16, and the keys of bf16."""

_STOPS = {"deepspeed": "DeepSpeed stops when it reads this file", "axolotl": "axolotl trains in bf16 and ignores fp16 without a word"}


def check(document: DocumentContext) -> Iterator[Finding]:
    for half, others in _PAIRS[document.format]:
        first, second = written_in(document.reading, half), written_in(document.reading, *others)
        if first is not None and second is not None and is_on(first) and is_on(second):
            yield _finding(document, first, second)


def _finding(document: DocumentContext, first: Setting, second: Setting) -> Finding:
    cost = _STOPS.get(document.format, "transformers stops before the first step")
    return document.finding(
        first,
        f"{first.name} and {second.name} are both on: {cost}",
        help=f"keep {second.name} on an Ampere or newer GPU (A100, RTX 30 and later), {first.name} on an older one",
        because=[second],
        fixes=document.set(first, False, f"keep {second.name}", safety=Safety.UNSAFE),
        severity=Severity.WARNING if document.format == "axolotl" else Severity.ERROR,
    )


RULE = Rule(
    code="BL205",
    name="fp16-bf16-both",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=tuple(_PAIRS),
    flags=True,
    words=("fp16", "fp16_full_eval"),
    harm=6.6,
    stops=True,
)
