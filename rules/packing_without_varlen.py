"""Packed samples may attend to each other: the attention is not one that keeps them apart.

TRL packs samples behind each other into one sequence and tells them apart by their position ids. FlashAttention reads those.
Other kinds read them only with TRL 0.23 or newer and transformers 4.53 or newer, which then build a mask of length squared.

## What it costs

Silent contamination: a sample is trained with its neighbours as context. Where the mask is built, the fast attention kernels
cannot be used.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
packing: true
max_length: 4096
attn_implementation: sdpa
```

```text requirements.txt
trl==0.19.1
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
packing: true
max_length: 4096
attn_implementation: flash_attention_2
```

```text requirements.txt
trl==0.19.1
```

## When it is meant

`packing_strategy: wrapped`, and pretraining, where mixed samples are usual.

## Sources

- TRL 0.19.1, 0.22.2: the collator gives position ids only to flash attention; 0.23.1 always; 1.15.0 still warns, 1.16.0 does not.
- transformers 4.57.6 `masking_utils.py` `find_packed_sequence_indices` (the module is not in 4.52.4).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import PYTHON, TRL_ARGUMENTS, Confidence, Finding, Reading, Rule, RunContext, Setting, Severity, is_on, written_in

from ._unsloth import is_unsloth

MIXED = "samples attend to each other"
MASKED = "samples are kept apart by a mask of length squared, without FlashAttention"


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    packing = _packing(trainer) if trainer is not None and trainer.format in TRL_ARGUMENTS and not _is_otherwise(run, trainer) else None
    if packing is None or run.at_least("trl", "0.19.0") is False or run.value("task", "sft") != "sft":
        return
    attention = run.setting("attention")
    explicit = attention is not None and attention.known and not attention.is_default
    if (explicit and attention and attention.value not in ("sdpa", "eager")) or (not explicit and run.plan is None):
        return
    isolated = _isolated(run)
    kind = attention.text if explicit and attention else "no attn_implementation, which is sdpa"
    cost = {True: MASKED, False: MIXED, None: f"{MIXED} before TRL 0.23 or transformers 4.53; since then {MASKED}"}[isolated]
    yield run.finding(
        attention if explicit else packing,
        f"{packing.name} with {kind}: {cost}",
        help=_cure(run),
        because=[packing],
        severity=None if explicit and not isolated else Severity.INFO,
        confidence=Confidence.HIGH if explicit and isolated is not None else None if explicit else Confidence.LOW,
    )


def _is_otherwise(run: RunContext, trainer: Reading) -> bool:
    """The file gives the model its shape: pretraining, by a program of its own. A script that collates by itself, or under Unsloth."""
    if trainer.format in PYTHON and (trainer.document.get("SFTTrainer.data_collator") is not None or is_unsloth(run)):
        return True
    return written_in(trainer, "model_init_kwargs.hidden_size", "model_init_kwargs.vocab_size") is not None


def _cure(run: RunContext) -> str:
    """FlashAttention 2 needs an Ampere card."""
    spec = run.target.device if run.target else None
    capability = spec.device.compute_capability if spec and spec.device else None
    if capability is not None and capability < (8, 0):
        return "packing: false: this card has no variable-length attention kernel"
    return "attn_implementation: flash_attention_2"


def _packing(trainer: Reading) -> Setting | None:
    strategy = written_in(trainer, "packing_strategy")
    if strategy is not None and strategy.value == "wrapped":
        return None
    return next((found for found in (written_in(trainer, "packing"), written_in(trainer, "padding_free")) if is_on(found)), None)


def _isolated(run: RunContext) -> bool | None:
    answers = (run.at_least("trl", "0.23.0"), run.at_least("transformers", "4.53.0"))
    return False if False in answers else None if None in answers else True


RULE = Rule(
    code="BL703",
    name="packing-without-varlen",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRL_ARGUMENTS,
    applies="TRL >= 0.19.0",
    harm=13.2,
)
