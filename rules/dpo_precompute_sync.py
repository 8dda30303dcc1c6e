"""A reference model that follows the policy, and its log-probabilities computed once before training.

`precompute_ref_log_probs` takes the reference for fixed, `sync_ref_model` moves it while the run trains (TR-DPO).

## What it costs

The run stops when the trainer is built, after the models have been loaded.

## Failing

```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/ultrafeedback_binarized
per_device_train_batch_size: 2
learning_rate: 0.000001
num_train_epochs: 1
sync_ref_model: true
precompute_ref_log_probs: true
```

## Passing

```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/ultrafeedback_binarized
per_device_train_batch_size: 2
learning_rate: 0.000001
num_train_epochs: 1
sync_ref_model: true
precompute_ref_log_probs: false
```

## Sources

- TRL 0.12.0, 0.24.0, 1.10.0 and 1.16.0 `trainer/dpo_trainer.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Safety, Severity, is_on, trainer_of, written_by


def check(run: RunContext) -> Iterator[Finding]:
    before = written_by(run, "precompute_ref_log_probs")
    sync = written_by(run, "sync_ref_model") if is_on(before) else None
    if trainer_of(run, TRL_ARGUMENTS) is not None and before is not None and sync is not None and is_on(sync):
        yield run.finding(
            before,
            f"precompute_ref_log_probs {before.text} with sync_ref_model {sync.text}: what is computed before would be stale, so TRL stops",
            help="keep one of them",
            because=[sync],
            fixes=run.set(before, False, safety=Safety.UNSAFE),
        )


RULE = Rule(
    code="BL620",
    name="dpo-precompute-sync",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRL_ARGUMENTS,
    words=("precompute_ref_log_probs",),
    harm=3.0,
)
