"""Every process of a machine loads the whole model into host memory, and the host cannot hold them all.

Without `cpu_ram_efficient_loading` each FSDP rank runs `from_pretrained` for itself; the shards are made afterwards.

## What it costs

Parameters x bytes x processes: 40 billion in fp32 on 8 GPUs are 1,280 GB. The host's out-of-memory killer ends the job while it loads,
without a message.

## Failing

```budget
device 8x a100-80gb; host 256GiB
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-32B
dataset_name: trl-lib/Capybara
dtype: bfloat16
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
fsdp: full_shard auto_wrap
fsdp_config: {transformer_layer_cls_to_wrap: [Qwen2DecoderLayer], cpu_ram_efficient_loading: false}
```

## Passing

```budget
device 8x a100-80gb; host 256GiB
config train.yaml
```

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-32B
dataset_name: trl-lib/Capybara
dtype: bfloat16
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
fsdp: full_shard auto_wrap
fsdp_config: {transformer_layer_cls_to_wrap: [Qwen2DecoderLayer], cpu_ram_efficient_loading: true}
```

## Sources

- huggingface/transformers#25107 (the example of 40 billion); transformers 5.24.0 `modeling_utils.py`: other ranks than the first load
  nothing under `FSDP_CPU_RAM_EFFICIENT_LOADING`; `training_args.py`: false unless `fsdp_config` says so.
- accelerate 1.15.0 `commands/launch.py`: true unless its file says otherwise.
- lm-sys/FastChat#114: host memory used up while several ranks load.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.memory.plan import DTYPE_BYTES, Plan
from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, Finding, Rule, RunContext, Setting, Severity, gib, is_on, trainer_of, written_by

from ._fsdp import is_launched, option

KEYS = ("fsdp_config.cpu_ram_efficient_loading", "fsdp_config.fsdp_cpu_ram_efficient_loading")


def check(run: RunContext) -> Iterator[Finding]:
    target, plan = run.target, run.plan
    if target is None or target.host_bytes is None or plan is None or not plan.sharding.is_fsdp or plan.quant is not None:
        return
    ranks, switch = run.value("devices_per_node") or 1, _each_loads(run)
    if trainer_of(run, TRAINING_ARGUMENTS) is None or switch is None or ranks < 2:
        return
    one = plan.shape.total * _loaded_bytes(run, plan)
    if one * ranks <= target.host_bytes:
        return
    yield run.finding(
        switch,
        f"each of {ranks} processes loads the whole model into host memory: {ranks} x {gib(one)} = {gib(one * ranks)}, the machine has "
        f"{gib(target.host_bytes)}",
        help="cpu_ram_efficient_loading: true in fsdp_config (FSDP 1 also needs sync_module_states: true)",
        because=[setting for name in ("model", "weights_dtype") if (setting := run.setting(name))],
        related=[(target.host_origin, "host memory of the machine")] if target.host_origin else [],
        numbers={"load_bytes": one * ranks, "model_bytes": one, "processes": ranks, "host_bytes": target.host_bytes},
    )


def _loaded_bytes(run: RunContext, plan: Plan) -> int:
    """Bytes of a weight as it is loaded; FSDP casts later. At least 2 where nobody says."""
    dtype = run.value("weights_dtype")
    return DTYPE_BYTES.get(str(plan.arch.checkpoint_dtype if dtype == "auto" else dtype), 2)


def _each_loads(run: RunContext) -> Setting | None:
    """What makes every rank load: the switch that is off, or FSDP in the trainer's own arguments with the switch left out."""
    for reading in run.run.readings:
        if reading.format == "accelerate" and is_launched(reading):
            lean = option(reading, "cpu_ram_efficient_loading")
            return lean if lean is not None and lean.known and not is_on(lean) else None
    lean, asked = written_by(run, *KEYS), written_by(run, "fsdp")
    if lean is not None:
        return lean if lean.known and not is_on(lean) else None
    return asked


RULE = Rule(
    code="BL119",
    name="host-ram-per-rank-load",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("target", "plan"),
    words=("shard=fsdp", "shard=fsdp2"),
    harm=9.0,
)
