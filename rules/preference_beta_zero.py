"""A preference loss whose `beta` is zero.

The loss is a function of `beta` times the difference of two log-ratios. At zero it is the same number for every answer, log 2, and its
gradient is zero.

## What it costs

The whole run: nothing is learnt, and the loss stands at 0.6931 from the first step to the last. With `loss_type: ipo` it divides by zero.

## Failing

```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/ultrafeedback_binarized
per_device_train_batch_size: 2
precompute_ref_log_probs: true
learning_rate: 0.000001
num_train_epochs: 1
beta: 0.0
```

## Passing

```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/ultrafeedback_binarized
per_device_train_batch_size: 2
precompute_ref_log_probs: true
learning_rate: 0.000001
num_train_epochs: 1
beta: 0.1
```

## When it is meant

Never for DPO and KTO alone; a term of supervised training beside it (`rpo_alpha`, `sft` in `loss_type`) still learns, and is not told. GRPO
takes 0 for no KL term.

## Sources

- TRL 0.9.6, 0.24.0 and 1.16.0 `trainer/dpo_trainer.py` dpo_loss, `trainer/kto_trainer.py` kto_loss; LLaMA-Factory 0.9.5
  `train/dpo/trainer.py` (`pref_beta`); ms-swift 4.6.0 `arguments/rlhf_args.py` (`beta`).
- huggingface/trl#1627.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRL_ARGUMENTS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    number_of,
    trainer_of,
    written_by,
)

FORMATS = (*TRL_ARGUMENTS, *PYTHON, "llamafactory", "ms_swift")
TASKS = ("dpo", "kto")
_BESIDE = ("rpo_alpha", "pref_ftx", "simpo_gamma", "loss_weights")
"""A term of supervised training, or a loss of another kind."""


def check(run: RunContext) -> Iterator[Finding]:
    task = str(run.value("task"))
    if task not in TASKS or trainer_of(run, FORMATS) is None:
        return
    beta = _beta(run)
    if beta is None or number_of(beta) != 0 or _learns_otherwise(run):
        return
    yield run.finding(
        beta,
        f"beta {beta.text}: the {task.upper()} loss is the same for every answer, and its gradient zero: nothing is learnt",
        help="beta: 0.1",
        numbers={"beta": 0.0},
    )


def _beta(run: RunContext) -> Setting | None:
    """TRL before 0.13 took it beside the arguments as well."""
    trainer = run.run.trainer
    if trainer is not None and trainer.format == "llamafactory":
        return written_by(run, "pref_beta")
    return written_by(run, "beta", "DPOTrainer.beta", "KTOTrainer.beta")


def _learns_otherwise(run: RunContext) -> bool:
    loss = written_by(run, "loss_type", "pref_loss")
    beside = any((one := written_by(run, name)) is not None and number_of(one) != 0 for name in _BESIDE)
    return beside or (loss is not None and (not loss.known or not isinstance(loss.value, str) or "sft" in loss.value))


RULE = Rule(
    code="BL637",
    name="preference-beta-zero",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=tuple(dict.fromkeys(FORMATS)),
    harm=8.0,
)
