"""The parallel degrees of the trainer's file do not fit the number of processes that start.

torchtitan wants the product to be that number (a shard degree of -1 takes what the others leave). axolotl gives what is left to
sharding or replicas, so its product must divide the number, and be equal to it where both of those are written.

## What it costs

The run stops at start: "Invalid parallel dims: dp_replicate(1) * dp_shard(4) * cp(1) * tp(4) * pp(1) != WORLD_SIZE(8)", "The configured
parallelisms are incompatible with the current world size".

## Failing

```toml job.toml
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 2
seq_len = 8192
[parallelism]
data_parallel_shard_degree = 4
tensor_parallel_degree = 4
[checkpoint]
enable = true
```

```sh run.sh
torchrun --nproc_per_node 8 -m torchtitan.train --job.config_file job.toml
```

## Passing

```toml job.toml
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 2
seq_len = 8192
[parallelism]
data_parallel_shard_degree = 4
tensor_parallel_degree = 4
[checkpoint]
enable = true
```

```sh run.sh
torchrun --nproc_per_node 8 --nnodes 2 -m torchtitan.train --job.config_file job.toml
```

## Sources

- torchtitan 0.2.2 `distributed/parallel_dims.py` `ParallelDims._validate`; `config/job_config.py` Parallelism: every degree is 1 but
  the shard degree, which is -1.
- axolotl 0.19.0 and 0.18.0 `utils/distributed.py` `_get_parallel_config_kwargs`; accelerate 1.15.0 `parallelism_config.py`
  `_validate_accelerator` compares the product with the processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from budgetlint.rule import Confidence, Finding, OriginKind, Rule, RunContext, Setting, Severity, number_of, written_in

_SHARD, _REPLICATE = "dp_shard", "dp_replicate"
KEYS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "torchtitan": {
        _REPLICATE: ("parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"),
        _SHARD: (
            "parallelism.data_parallel_shard_degree",
            "training.data_parallel_shard_degree",
            "training.data_parallel_degree",
        ),
        "cp": ("parallelism.context_parallel_degree", "experimental.context_parallel_degree"),
        "tp": ("parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"),
        "pp": ("parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree"),
    },
    "axolotl": {
        _REPLICATE: ("dp_replicate_size",),
        _SHARD: ("dp_shard_size",),
        "cp": ("context_parallel_size", "sequence_parallel_degree"),
        "tp": ("tensor_parallel_size",),
        "ep": ("expert_parallel_size",),
    },
}


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    keys = KEYS.get(trainer.format) if trainer else None
    world = _world(run) if keys else None
    if trainer is None or keys is None or world is None:
        return
    told = {name: one for name, paths in keys.items() if (one := _written(run, trainer.format, paths)) is not None}
    sizes = {name: size for name, one in told.items() if (size := number_of(one)) is not None}
    product = prod(int(size) for size in sizes.values() if size > 1)
    whole = sizes.get(_SHARD, -1) > 0 and (trainer.format == "torchtitan" or _REPLICATE in sizes)
    if len(sizes) < len(told) or product == 1 or (product == world if whole else world % product == 0):
        return
    verb = "is not" if whole else "does not divide"
    terms = " * ".join(f"{name} {size:g}" for name, size in sizes.items() if size > 1)
    at = told[max(sizes, key=lambda name: sizes[name])]
    processes = run.setting("devices_per_node") or run.setting("devices")
    yield run.finding(
        at,
        f"{terms} = {product} {verb} the {world} processes of this run: {trainer.format} stops at start",
        help=f"degrees whose product {'is' if whole else 'divides'} {world}",
        because=[one for one in (processes, *told.values()) if one is not None and one is not at],
        numbers={"processes": world, "product_processes": product},
    )


def _world(run: RunContext) -> int | None:
    """What the launcher starts; for axolotl, whose files name no number, the devices of the budget too."""
    per_node, nodes = run.setting("devices_per_node"), run.setting("nodes")
    if nodes is not None and not nodes.known:
        return None
    if per_node is not None and per_node.known and per_node.origin.kind is OriginKind.FLAG:
        return int(per_node.value) * int(nodes.value if nodes else 1)
    trainer = run.run.trainer
    devices = run.value("devices") if trainer is not None and trainer.format == "axolotl" else None
    return int(devices) if devices is not None else None


def _written(run: RunContext, format: str, paths: tuple[str, ...]) -> Setting | None:
    """A flag beats the file."""
    readings = sorted(run.documents(format), key=lambda reading: not reading.document.is_command)
    found = (written_in(reading, *paths) for reading in readings)
    return next((one for one in found if one is not None), None)


RULE = Rule(
    "BL532",
    "degrees-vs-processes",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    words=tuple(path.rpartition(".")[2] for names in KEYS.values() for paths in names.values() for path in paths),
    harm=7.0,
)
