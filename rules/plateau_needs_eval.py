"""A schedule that follows the evaluation, in a run that does not evaluate.

`reduce_lr_on_plateau` and `greedy` look at the evaluation's metric. `do_eval: true` alone gives no moment to evaluate at.

## What it costs

The run stops when the arguments are read: "lr_scheduler_type reduce_lr_on_plateau requires an eval strategy".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
lr_scheduler_type: reduce_lr_on_plateau
eval_strategy: "no"
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
lr_scheduler_type: reduce_lr_on_plateau
eval_strategy: steps
```

## Sources

- transformers 4.41.0, 4.57.6, 5.0.0 and 5.24.0 `training_args.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, OriginKind, Rule, RunContext, Severity, as_written, stated, trainer_of, written_by

FOLLOWS = frozenset(("reduce_lr_on_plateau", "greedy"))
OFF = frozenset(("no", "false"))


def check(run: RunContext) -> Iterator[Finding]:
    schedule, strategy = run.setting("lr_scheduler"), written_by(run, "eval_strategy", "evaluation_strategy")
    if trainer_of(run) is None or schedule is None or not stated(schedule) or schedule.text not in FOLLOWS:
        return
    if strategy is not None and (not strategy.known or str(strategy.value).lower() not in OFF):
        return
    sure = strategy is not None or schedule.origin.kind is OriginKind.FILE
    yield run.finding(
        schedule,
        f"'{as_written(schedule)}' in a run without evaluation "
        f"({'eval_strategy ' + strategy.text if strategy else 'eval_strategy is not set'}): it stops when the arguments are read",
        help="eval_strategy: steps or epoch",
        because=[strategy] if strategy else (),
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL331",
    name="plateau-needs-eval",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("lr_scheduler",),
    words=tuple(f"lr_scheduler={name}" for name in sorted(FOLLOWS)),
    harm=2.5,
    stops=True,
)
