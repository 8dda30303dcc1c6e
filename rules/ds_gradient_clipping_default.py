"""The trainer's `max_grad_norm` does nothing, because the DeepSpeed file has no `gradient_clipping`.

Under DeepSpeed the engine clips, with its own number. The Trainer fills in `"auto"`, but not a key that is missing: then DeepSpeed's
default holds, which is no clipping before 0.19.3 and a norm of 1.0 since.

## What it costs

A run with other clipping than its file says, or none at all: the same files train differently after an update of DeepSpeed. The
logged `grad_norm` looks the same either way.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
max_grad_norm: 0.3
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
max_grad_norm: 0.3
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto", "gradient_clipping": "auto"}
```

## Sources

- DeepSpeed `runtime/constants.py` `GRADIENT_CLIPPING_DEFAULT`: 0 in 0.14.4 and 0.18.6, 1.0 in 0.19.3 and 0.19.8.
- transformers 4.41.0 and 5.24.0 `integrations/deepspeed.py` `fill_match`: replaces `"auto"`, passes over a missing key.
- accelerate 1.15.0 `accelerator.py` `clip_grad_norm_`: under DeepSpeed it only returns the norm; OpenAccess-AI-Collective/axolotl#1381.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Fix,
    Reading,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    number_of,
    number_text,
    trainer_of,
    written_by,
    written_in,
)

CLIPS_SINCE = "0.19.3"
NORM = 1.0
"""Both the Trainer's ``max_grad_norm`` and DeepSpeed's own, from 0.19.3 on."""


def check(run: RunContext) -> Iterator[Finding]:
    engine, trainer = run.reading("deepspeed"), trainer_of(run, TRAINERS_AND_AXOLOTL)
    if engine is None or trainer is None or engine.document.get("gradient_clipping") is not None or "max_grad_norm" in engine.settings:
        return  # a file that the trainer ships is not here: its settings are
    asked, newer = written_by(run, "max_grad_norm"), run.at_least("deepspeed", CLIPS_SINCE)
    wanted = NORM if asked is None else number_of(asked)
    place = asked or written_by(run, "deepspeed") or written_in(engine, "zero_optimization.stage")
    if wanted is None or place is None or wanted == {True: NORM, False: 0.0, None: -1.0}[newer]:
        return
    if asked is None and newer is not False:  # a default that nobody wrote: told where it surely does not hold
        return
    yield _finding(run, engine, place, asked, wanted)


def _finding(run: RunContext, engine: Reading, place: Setting, asked: Setting | None, wanted: float) -> Finding:
    newer = run.at_least("deepspeed", CLIPS_SINCE)
    own = {
        True: f"clips at its own {NORM}",
        False: "does not clip at all",
        None: f"does not clip at all before {CLIPS_SINCE} and clips at {NORM} since",
    }[newer]
    said_here = f"max_grad_norm {asked.text} has no effect" if asked else f"max_grad_norm, {number_text(wanted)} by default, has no effect"
    zero = written_in(engine, "zero_optimization")
    return run.finding(
        place,
        f"{said_here}: the DeepSpeed file has no gradient_clipping, so DeepSpeed {own}",
        help='gradient_clipping: "auto" in the DeepSpeed file takes the number from the trainer',
        because=[zero] if zero else (),
        fixes=_cure(run, zero),
        numbers={"max_grad_norm": wanted},
        severity=None if asked else Severity.INFO,
        confidence=Confidence.HIGH if newer is not None else None,
    )


def _cure(run: RunContext, zero: Setting | None) -> tuple[Fix, ...]:
    return run.insert_after(zero, "gradient_clipping", "auto", safety=Safety.UNSAFE) if zero else ()


RULE = Rule(
    "BL212",
    "ds-gradient-clipping-default",
    Severity.WARNING,
    Confidence.MEDIUM,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    words=("deepspeed",),
    harm=13.0,
)
