"""The parallel degrees of the accelerate file do not multiply to its number of processes.

## What it costs

The run stops at start: "ParallelismConfig total_size (16) does not match num_processes (8)". Context and sequence parallelism
together, or tensor parallelism over plain replicas, stop as well.

## Failing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 8
fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
parallelism_config:
  parallelism_config_dp_shard_size: 4
  parallelism_config_tp_size: 4
```

## Passing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 16
fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
parallelism_config:
  parallelism_config_dp_shard_size: 4
  parallelism_config_tp_size: 4
```

## Sources

- accelerate 1.15.0 `parallelism_config.py` `__post_init__`, `_validate_accelerator` (sequence parallelism by DeepSpeed is not counted);
  the fields stand in the config file since 1.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Setting, Severity, number_of, written_in

PREFIX = "parallelism_config.parallelism_config_"
DEGREES = ("dp_replicate_size", "dp_shard_size", "tp_size", "cp_size", "sp_size")


def check(document: DocumentContext) -> Iterator[Finding]:
    kind = written_in(document.reading, "distributed_type")
    if document.reading.document.is_command and written_in(document.reading, "use_parallelism_config") is None:
        return  # the flag that makes them count
    found = {name: setting for name in DEGREES if (setting := written_in(document.reading, PREFIX + name)) is not None}
    sizes = {name: number_of(found.get(name)) if name in found else 1.0 for name in DEGREES}
    known = {name: int(size) for name, size in sizes.items() if size is not None}
    if kind is None or str(kind.value).upper() not in ("FSDP", "MULTI_GPU") or len(known) < len(DEGREES) or prod(known.values()) == 1:
        return
    contradiction = _contradiction(known)
    if contradiction:
        at, said, cure = contradiction
        yield document.finding(found[at], f"{said}: accelerate stops at start", help=cure, because=found.values(), numbers=known)
    elif known["sp_size"] == 1:
        yield from _product(document, found, known)


def _contradiction(sizes: Mapping[str, int]) -> tuple[str, str, str] | None:
    """The degree at fault, what is wrong and what to write."""
    if sizes["cp_size"] > 1 and sizes["sp_size"] > 1:
        said = f"context parallel {sizes['cp_size']} and sequence parallel {sizes['sp_size']} exclude each other"
        return "sp_size", said, "leave one of them at 1"
    split = next((name for name in ("tp_size", "cp_size") if sizes[name] > 1), None)
    if split and sizes["dp_replicate_size"] > 1 and sizes["dp_shard_size"] == 1:
        said = f"{split} {sizes[split]} over {sizes['dp_replicate_size']} replicas without dp_shard_size"
        return split, said, f"dp_shard_size: {sizes['dp_replicate_size']}, and dp_replicate_size: 1"
    return None


def _product(document: DocumentContext, found: Mapping[str, Setting], sizes: Mapping[str, int]) -> Iterator[Finding]:
    processes = written_in(document.reading, "num_processes")
    count, total = number_of(processes), prod(sizes.values())
    if processes is None or count is None or count < 1 or count == total:
        return
    terms = " x ".join(f"{name} {size}" for name, size in sizes.items() if size > 1)
    yield document.finding(
        processes,
        f"{terms} {'make' if ' x ' in terms else 'makes'} {total} processes, not {int(count)}: accelerate stops at start",
        help=f"num_processes: {total}, or degrees whose product is {int(count)}",
        because=found.values(),
        numbers={"processes": int(count), "product_processes": total},
    )


RULE = Rule(
    "BL519",
    "parallelism-size-mismatch",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("accelerate",),
    applies="accelerate >= 1.10",
    flags=True,
    harm=6.5,
)
