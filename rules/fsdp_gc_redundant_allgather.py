"""`gradient_checkpointing` under FSDP gathers every layer once more than FSDP's own checkpointing.

The Trainer's switch checkpoints inside the FSDP unit, so that the repeated forward pass gathers the parameters again. The switch in
`fsdp_config` wraps outside.

## What it costs

One more all-gather for each layer and step, 2 bytes a parameter over the network. The memory is the same.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
output_dir: out
per_device_train_batch_size: 1
num_train_epochs: 1
learning_rate: 0.0001
fsdp: full_shard auto_wrap
gradient_checkpointing: true
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-7B
output_dir: out
per_device_train_batch_size: 1
num_train_epochs: 1
learning_rate: 0.0001
fsdp: full_shard auto_wrap
fsdp_config: {activation_checkpointing: true}
```

## Sources

- transformers 4.46.3 to 5.9.0 `training_args.py`: warns for full_shard and hybrid_shard; 5.10.2 for any FSDP;
  5.24.0 says so in the documentation of the argument.
- huggingface/transformers#30404.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, Finding, Rule, RunContext, Severity, gib, is_on, trainer_of, written_by

from ._fsdp import option_words

SHARDS = {"full_shard", "hybrid_shard"}
"""The others keep parameters gathered between forward and backward."""
THEIRS = ("fsdp_config.activation_checkpointing", "fsdp_config.fsdp_activation_checkpointing")


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, TRAINING_ARGUMENTS) is None:
        return
    own, fsdp = written_by(run, "gradient_checkpointing", "activation_checkpointing"), written_by(run, "fsdp")
    if own is None or not is_on(own) or fsdp is None or not SHARDS & set(option_words(fsdp)) or is_on(written_by(run, *THEIRS)):
        return
    gathered = 2 * run.estimate.params if run.estimate is not None and run.estimate.params else None
    yield run.finding(
        own,
        f"{own.name} {own.text} beside fsdp {fsdp.text}: the repeated forward pass gathers every layer once more"
        + (f", {gib(gathered)} in each micro batch" if gathered else ""),
        help="fsdp_config: {activation_checkpointing: true}, and this one false",
        because=[fsdp],
        numbers={"gathered_bytes": gathered} if gathered else {},
    )


RULE = Rule(
    code="BL808",
    name="fsdp-gc-redundant-allgather",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRAINING_ARGUMENTS,
    words=("fsdp",),
    harm=4.0,
)
