"""FSDP saves whole state dicts on rank 0, and the host has no room for one.

`FULL_STATE_DICT` gathers every shard into the host memory of rank 0: first the weights as they are stored, then the optimizer states
of all ranks.

## What it costs

8 bytes a parameter for Adam's fp32 states: 524 GiB for 70 billion. The host's out-of-memory killer ends the run at its first
checkpoint, hours in; slower hosts run into the NCCL timeout instead.

## Failing

```budget
device 8x h200; host 256GiB
config train.yaml
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-70B
output_dir: out
bf16: true
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
save_strategy: epoch
fsdp: full_shard auto_wrap
fsdp_config: {transformer_layer_cls_to_wrap: [LlamaDecoderLayer], state_dict_type: FULL_STATE_DICT}
```

## Passing

```budget
device 8x h200; host 256GiB
config train.yaml
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-70B
output_dir: out
bf16: true
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
save_strategy: epoch
fsdp: full_shard auto_wrap
fsdp_config: {transformer_layer_cls_to_wrap: [LlamaDecoderLayer], state_dict_type: SHARDED_STATE_DICT}
```

## When it is meant

`load_best_model_at_end` and `save_only_model` need whole state dicts. Small models: the rule compares with the host of the budget.

## Sources

- accelerate 1.15.0 `utils/fsdp_utils.py` `save_fsdp_model`, `save_fsdp_optimizer`: `offload_to_cpu` and `rank0_only`, weights and states
  one after the other.
- tatsu-lab/stanford_alpaca#65, lm-sys/FastChat#693: out of memory at the save; huggingface/accelerate#3232: a timeout.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory import static
from budgetlint.memory.plan import Plan
from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    gib,
    is_on,
    stated,
    trainer_of,
    written_by,
)


def check(run: RunContext) -> Iterator[Finding]:
    target, plan, kind = run.target, run.plan, run.setting("state_dict_type")
    if target is None or target.host_bytes is None or plan is None or not plan.sharding.is_fsdp or not plan.full:
        return
    if kind is None or not kind.known or not str(kind.value).upper().startswith("FULL") or run.value("save_strategy") == "no":
        return
    if trainer_of(run, TRAINERS_AND_AXOLOTL) is None or plan.sharding.world < 2:
        return
    weights, states = _gathered(plan, only_model=is_on(written_by(run, "save_only_model")))
    offloaded = run.estimate.host.low if run.estimate is not None else 0
    if max(weights, states) + offloaded <= target.host_bytes:
        return
    what = "weights" if weights >= states else f"{plan.optimizer.name} states of all ranks"
    beside = f" beside {gib(offloaded)} of offloaded state" if offloaded else ""
    yield run.finding(
        kind if stated(kind) else run.setting("shard"),
        f"{kind.value} gathers {gib(max(weights, states))} of {what} in the memory of one host{beside}; the machine has "
        f"{gib(target.host_bytes)}",
        help="SHARDED_STATE_DICT while training, and one whole file at the end (accelerate merge-weights)",
        because=[setting for name in ("shard", "model") if (setting := run.setting(name))],
        related=[(target.host_origin, "host memory of the machine")] if target.host_origin else [],
        numbers={"weight_bytes": weights, "state_bytes": states, "host_need_bytes": offloaded, "host_bytes": target.host_bytes},
    )


def _gathered(plan: Plan, *, only_model: bool) -> tuple[int, int]:
    """Whole weights as they are stored, and whole optimizer states; never in memory together."""
    train = static.trainable(plan)
    return plan.shape.total * plan.precision.weights, 0 if only_model else static.states_of(plan, train)


RULE = Rule(
    code="BL118",
    name="full-state-dict-save-spike",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("target", "estimate", "state_dict_type"),
    harm=11.8,
)
