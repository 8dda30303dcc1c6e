"""A fraction as `warmup_steps`: a share of the run from transformers 5 on, an error or no warm-up before.

axolotl takes whole steps only, in every version. A program's `int(0.03)` is none.

## What it costs

transformers 4.44 to 4.57 stop when the arguments are read. Older ones count 0.1 steps: the rate is at its full height at once.
From 5.0 on it is a share: 0.1 of 1,000 steps are 100.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
warmup_steps: 0.1
```

```budget
stack transformers@4.57.6
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
warmup_steps: 0.1
```

```budget
stack transformers@5.24
```

## Sources

- transformers 4.41.0, 4.43.4, 4.44.0, 4.57.6, 5.0.0 and 5.24.0 `training_args.py`: `get_warmup_steps`; "warmup_steps must be of type int".
- axolotl 0.8.0 to 0.19.0 `utils/schemas/config.py`: `warmup_steps: int | None`; pydantic refuses a fractional part.
- hiyouga/LLaMA-Factory#3631.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    OriginKind,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    as_written,
    number_text,
    stated,
    trainer_of,
    written_by,
)

A_SHARE, WHOLE = "5.0.0", "4.44.0"
"""transformers that takes a share, and the first that insists on whole steps."""
_WHOLE = re.compile(r"""\bwarmup_steps["']?\s*[=:]\s*(?:int|round)\(\s*[\w.\[\]"']+\s*\)""")
"""``warmup_steps=int(args.warmup)``: of one value alone, no product."""
_NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")


def check(run: RunContext) -> Iterator[Finding]:
    warmup, trainer = run.setting("warmup_steps"), trainer_of(run, TRAINERS_AND_AXOLOTL)
    if trainer is None or warmup is None or not stated(warmup):
        return
    if trainer.format in PYTHON and warmup.value == 0 and _WHOLE.search(trainer.document.source.text):
        yield from _cut(run, warmup)
    if not 0 < warmup.value < 1:
        return
    if trainer.format == "axolotl":
        yield _finding(run, warmup, "axolotl takes whole steps only and stops when it reads the file", Severity.ERROR)
        return
    share = run.at_least("transformers", A_SHARE)
    if share is False:
        yield _finding(run, warmup, *_before(run, warmup))
    elif share is None:
        yield run.finding(
            warmup,
            f"'{as_written(warmup)}' is {number_text(warmup.value * 100)}% of the run with transformers 5 and newer; "
            "4.44 to 4.57 stop, and older ones do not warm up",
            help="say which transformers it is (stack transformers@…), or give whole steps, which all versions read alike",
            numbers={"warmup_fraction": warmup.value},
            severity=Severity.INFO,
            confidence=Confidence.MEDIUM,
        )


def _cut(run: RunContext, warmup: Setting) -> Iterator[Finding]:
    """``int(0.03)``: no steps, of what stands there as a fraction."""
    origin, ratio = warmup.origin, written_by(run, "warmup_ratio")
    text = origin.source.text[origin.span.start : origin.span.end] if origin.source is not None and origin.span is not None else ""
    numbers = _NUMBER.findall(text)
    if ratio is None and len(numbers) == 1 and 0 < float(numbers[0]) < 1:
        yield run.finding(
            warmup,
            f"the program makes a whole number of {numbers[0]}, which is 0 steps: the run starts at the full rate",
            help=f"warmup_ratio={numbers[0]}, or int({numbers[0]} * steps)",
            numbers={"warmup_fraction": float(numbers[0])},
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
        )


def _before(run: RunContext, warmup: Setting) -> tuple[str, Severity]:
    if warmup.origin.kind is OriginKind.FLAG or run.at_least("transformers", WHOLE):
        return "transformers before 5.0 takes whole steps only and stops when the arguments are read", Severity.ERROR
    return f"transformers before {WHOLE} counts it as steps, so the run starts at the full rate", Severity.WARNING


def _finding(run: RunContext, warmup: Setting, what: str, severity: Severity) -> Finding:
    free = run.setting("warmup_ratio") is None
    return run.finding(
        warmup,
        f"'{as_written(warmup)}' is a fraction: {what}",
        help=f"warmup_ratio: {warmup.text}" if free else "write whole steps",
        fixes=run.rename(warmup, "warmup_ratio", safety=Safety.UNSAFE) if free else (),
        numbers={"warmup_fraction": warmup.value},
        severity=severity,
    )


RULE = Rule(
    code="BL309",
    name="warmup-steps-fraction",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("warmup_steps",),
    applies="transformers < 5.0; axolotl: all versions",
    harm=11.2,
)
