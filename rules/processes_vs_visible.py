"""More processes on a machine than `CUDA_VISIBLE_DEVICES` or the Slurm job shows them GPUs.

Each process takes the GPU of its own local rank, counted among those that the command shows: accelerate, and so transformers, starts again
from the first where there are no more. Slurm shows a job the GPUs that it asked for (`--gres`, `--gpus-per-node`) and no other; `srun`
starts a launcher once for each task.

## What it costs

Two ranks on one GPU: NCCL refuses it ("Duplicate GPU detected") and the run stops at its first communication; a program that takes its
local rank as it is stops at start ("invalid device ordinal").

## Failing

```sh run.sh
CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 4 run_clm.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --do_train \
  --per_device_train_batch_size 4 --learning_rate 1e-5 --num_train_epochs 1
```

## Passing

```sh run.sh
CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc_per_node 4 run_clm.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --do_train \
  --per_device_train_batch_size 4 --learning_rate 1e-5 --num_train_epochs 1
```

## Sources

- accelerate 1.15.0 `state.py` `PartialState.set_device`: the local rank modulo the number of devices;
  accelerate 1.15.0 `utils/launch.py` `prepare_multi_gpu_env`: `gpu_ids` other than all replaces the variable.
- NCCL `src/init.cc` `initTransportsRank`: ranks on one `busId` are `ncclInvalidUsage`.
- Slurm 24.11 `gres.conf(5)` and `sbatch(1)`: `CUDA_VISIBLE_DEVICES` is set to the GPUs of the job.
- torch 2.13.0 `distributed/run.py`: `nproc_per_node` processes, whatever the machine shows.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Reading, Rule, RunContext, Setting, Severity, written_in

from ._launch import asked_of_slurm, visible

ON_GPUS = ("MULTI_GPU", "FSDP", "DEEPSPEED")


def check(run: RunContext) -> Iterator[Finding]:
    by_variable = visible(run)
    asked = (by_variable, 1) if by_variable is not None else asked_of_slurm(run)
    found = ((reading, one) for reading in run.run.readings if (one := _started(reading)) is not None) if asked is not None else iter(())
    reading, started = next(found, (None, None))
    if asked is None or reading is None or started is None or _replaces(run):
        return
    nodes = run.setting("nodes")
    several = nodes is not None and (not nodes.known or nodes.value != 1)
    if several and (by_variable is not None or reading.format == "accelerate"):
        return  # accelerate counts the processes of all machines; a variable may be set by machine
    shown, tasks = asked
    count = started.value * tasks
    if count <= shown.value:
        return
    said = (
        f"CUDA_VISIBLE_DEVICES {shown.text} shows them {shown.value}" if by_variable is not None else f"the job asks for {shown.value} GPUs"
    )
    yield run.finding(
        started,
        f"{count} processes{f' on a machine ({tasks} of srun x {started.value})' if tasks > 1 else ''}, but {said}: "
        "two of them get one GPU, which NCCL refuses",
        help="--ntasks-per-node=1: torchrun starts the processes" if tasks > 1 else f"{started.origin.key}: {shown.value}, or more devices",
        because=[shown],
        numbers={"processes": count, "gpus": shown.value},
    )


def _started(reading: Reading) -> Setting | None:
    """How many processes torchrun or accelerate starts, as written."""
    if reading.format == "accelerate":
        kind = written_in(reading, "distributed_type")
        count = reading.settings.get("devices")
        if kind is not None and str(kind.value).upper() not in ON_GPUS:
            return None
    elif reading.document.program == "torchrun":
        count = reading.settings.get("devices_per_node")
    else:
        return None
    return count if count is not None and count.known and count.origin.location is not None else None


def _replaces(run: RunContext) -> bool:
    """accelerate's own list of GPUs takes the place of the variable."""
    lists = [one for reading in run.run.readings if (one := written_in(reading, "gpu_ids")) is not None]
    return any(str(one.value).lower() != "all" for one in lists)


RULE = Rule(
    code="BL533",
    name="processes-vs-visible",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    words=("CUDA_VISIBLE_DEVICES", "devices_per_node", "num_processes"),
    harm=7.0,
    stops=True,
)
