"""FSDP adds up the gradients of many ranks in bf16.

accelerate gives FSDP one dtype for both parameters and gradient reduction. torchtitan, by contrast, only reduces in fp32.

## What it costs

The reduction of N ranks rounds each partial sum to 8 bits; the error grows with N. An fp32 reduction doubles its traffic.

## Failing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
mixed_precision: bf16
num_machines: 8
num_processes: 64
fsdp_config:
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
```

```budget
config accelerate.yaml
model qwen2.5-7b
```

## Passing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
mixed_precision: bf16
num_machines: 1
num_processes: 8
fsdp_config:
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
```

```budget
config accelerate.yaml
model qwen2.5-7b
```

## Sources

- accelerate 0.30.0, 1.0.0 and 1.15.0 `utils/dataclasses.py` `FullyShardedDataParallelPlugin.set_mixed_precision`.
- torchtitan 0.2.2 `config/job_config.py` `mixed_precision_reduce`: float32 only.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Severity, as_written, stated, written_in

MANY = 32


def check(run: RunContext) -> Iterator[Finding]:
    dtype, ranks, shard = run.setting("autocast"), run.setting("devices"), run.setting("shard")
    if dtype is None or ranks is None or shard is None or dtype.value != "bf16" or not stated(dtype) or not ranks.known:
        return
    through = run.reading("accelerate") is not None or (run.run.trainer is not None and run.run.trainer.format in TRAINER_RUNS)
    if shard.value not in ("fsdp", "fsdp2") or ranks.value < MANY or not through or _chosen(run):
        return
    yield run.finding(
        dtype,
        f"'{as_written(dtype)}' makes FSDP add up the gradients of {ranks.value:,} ranks in bf16",
        help="a mixed_precision_policy with reduce_dtype torch.float32, set in the training program",
        because=[ranks, shard],
        numbers={"ranks": ranks.value},
    )


def _chosen(run: RunContext) -> bool:
    """A policy of its own, in a file or in the program."""
    keys = ("fsdp_config.fsdp_mixed_precision_policy", "fsdp_config.mixed_precision_policy", "fsdp_config.mixed_precision")
    return any(written_in(one, *keys) is not None or one.document.source.mentions("reduce_dtype") for one in run.run.readings)


RULE = Rule(
    "BL221",
    "fsdp-reduce-dtype-bf16",
    Severity.INFO,
    Confidence.MEDIUM,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    needs=("autocast", "devices", "shard"),
    harm=4.0,
)
