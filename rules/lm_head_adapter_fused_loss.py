"""LoRA on `lm_head` in a TRL trainer that computes the loss from the head's own weight.

The chunked and fused losses multiply the hidden states by `lm_head.weight` directly, past the adapter.

## What it costs

The run stops when the trainer is made, for the adapter would never train.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: data
use_peft: true
lora_target_modules: [q_proj, v_proj, lm_head]
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

```budget
device 1x a100-80gb
stack trl@1.16
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: data
use_peft: true
lora_target_modules: [q_proj, v_proj, lm_head]
loss_type: nll
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

```budget
device 1x a100-80gb
stack trl@1.14
```

## Sources

- TRL 1.15.0 and 1.16.0 `trainer/{sft,dpo,kto,grpo}_trainer.py`: "Applying a PEFT adapter to `lm_head` is not supported".
- TRL 1.7.0, 1.10.0 and 1.14.2 `trainer/sft_trainer.py`: refused for `chunked_nll`, the default from 1.7.0 without Liger; 1.4.0 to 1.6.0
  where it is written. `trainer/dpo_trainer.py` of 1.10.0 and 1.14.2: refused with Liger.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Severity, is_on, stated, written_by

_ALWAYS = ("sft", "dpo", "kto", "grpo")


def check(run: RunContext) -> Iterator[Finding]:
    targets = run.setting("lora_targets")
    if targets is None or not stated(targets) or run.value("adapter") != "lora":
        return
    if written_by(run, "max_seq_length") is not None and run.at_least("trl", "0.20.0") is None:
        return  # a name that TRL 0.20 took away: the file was written for an older one
    head = next((name for name in map(str, targets.value) if name.rpartition(".")[2] == "lm_head"), "")
    refused = _refused(run) if head else False
    if refused is False:
        return
    yield run.finding(
        targets,
        f"LoRA on {head}: {_reason(refused)}",
        help=f"leave {head} out of the targets, or train it in full (modules_to_save)",
        numbers={"targets": len(targets.value)},
        severity=Severity.ERROR if refused else Severity.INFO,
        confidence=Confidence.HIGH if refused else Confidence.MEDIUM,
    )


def _reason(refused: bool | None) -> str:
    if refused:
        return "TRL's loss reads its weight directly and stops when the trainer is made"
    return "the loss of TRL 1.15 and newer reads its weight directly and stops when the trainer is made"


def _refused(run: RunContext) -> bool | None:
    """None where the version of TRL is not known and decides."""
    task, newest = run.value("task", "sft"), run.at_least("trl", "1.15.0")
    if newest is not False:
        return newest if task in _ALWAYS else False
    liger, loss = is_on(written_by(run, "use_liger_kernel")), written_by(run, "loss_type")
    if task == "dpo":
        return liger and bool(run.at_least("trl", "1.10.0"))
    if task != "sft" or liger:
        return False
    chunked = loss is not None and loss.value == "chunked_nll"
    return bool(run.at_least("trl", "1.4.0")) if chunked else loss is None and bool(run.at_least("trl", "1.7.0"))


RULE = Rule(
    code="BL423",
    name="lm-head-adapter-fused-loss",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRL_ARGUMENTS,
    applies="trl >= 1.4.0",
    words=("lora_targets",),
    harm=5.0,
)
