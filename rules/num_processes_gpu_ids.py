"""The accelerate file starts another number of processes than it names GPUs.

`gpu_ids` becomes `CUDA_VISIBLE_DEVICES`; each process takes the GPU of its own rank.

## What it costs

More processes than GPUs: the run stops, "invalid device ordinal". Fewer: the GPUs left over are idle. One GPU under MULTI_GPU:
accelerate stops at start.

## Failing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
gpu_ids: 0,1
num_machines: 1
num_processes: 8
```

## Passing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
gpu_ids: 0,1
num_machines: 1
num_processes: 2
```

## Sources

- accelerate 1.15.0 `utils/launch.py` `prepare_multi_gpu_env`, `commands/launch.py` `_validate_launch_command`: "Less than two GPU ids
  were configured"; `state.py` `PartialState.set_device`: the local rank's device.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base import numerals
from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Setting, Severity, number_of, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    kind, ids = written_in(document.reading, "distributed_type"), written_in(document.reading, "gpu_ids")
    processes, machines = written_in(document.reading, "num_processes"), number_of(written_in(document.reading, "num_machines"))
    gpus, count = _gpus(ids), number_of(processes)
    if kind is None or str(kind.value).upper() not in ("MULTI_GPU", "FSDP", "DEEPSPEED") or ids is None or not gpus:
        return
    flags = (
        document.reading.document.is_command
    )  # accelerate compares the ids of a file only (`commands/launch.py` `_validate_launch_command`)
    multi, single = str(kind.value).upper() == "MULTI_GPU" and not flags, machines in (None, 1)
    if not single or processes is None or count is None or count < 1:
        return
    if multi and gpus == 1:
        yield document.finding(ids, "MULTI_GPU with one GPU id: accelerate stops at start", help="distributed_type: NO", because=[kind])
    elif count != gpus:
        more = count > gpus
        cost = "the run stops, 'invalid device ordinal'" if more else f"{gpus - int(count)} GPUs stay idle"
        yield document.finding(
            processes,
            f"{int(count)} processes for the {gpus} GPUs of gpu_ids {ids.text}: {cost}",
            help=f"num_processes: {gpus}",
            because=[ids],
            numbers={"processes": int(count), "gpus": gpus},
            severity=None if more else Severity.INFO,
        )


def _gpus(ids: Setting | None) -> int:
    """How many ids; 0 for ``all`` and what is no list. YAML reads ``0,1`` as a number."""
    text = (ids.text or str(ids.value)).replace(" ", "") if ids is not None and ids.known else ""
    names = text.split(",")
    return len(names) if all(map(numerals.is_digits, names)) else 0


RULE = Rule(
    "BL518",
    "num-processes-gpu-ids",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("accelerate",),
    flags=True,
    harm=7.0,
)
