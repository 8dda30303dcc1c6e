"""Sizes of a Megatron-LM run that its own program refuses.

The global batch is a multiple of the micro batch times the data-parallel ranks, the position table is as long as the sequence, and the rate
does not start below its floor.

## What it costs

`pretrain_gpt.py` stops with an assertion, on every rank, after the job has waited for its devices.

## Failing

```sh run.sh
torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 2 --num-layers 24 --hidden-size 2048 \
  --num-attention-heads 16 --seq-length 4096 --max-position-embeddings 2048 --micro-batch-size 4 --global-batch-size 64 --lr 1e-4 \
  --min-lr 1e-5 --train-iters 1000 --bf16
```

## Passing

```sh run.sh
torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 2 --num-layers 24 --hidden-size 2048 \
  --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 4 --global-batch-size 64 --lr 1e-4 \
  --min-lr 1e-5 --train-iters 1000 --bf16
```

## Sources

- Megatron-LM, core 0.20.0, `megatron/training/arguments.py` `validate_args`: ``assert args.max_position_embeddings >= args.seq_length``,
  ``assert args.min_lr <= args.lr``; `megatron/core/num_microbatches_calculator.py` `ConstantNumMicroBatchesCalculator`: the global batch
  modulo micro batch times data-parallel size, unless `--decrease-batch-size-if-needed` is given. With `--rampup-batch-size` others count.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, number_of, number_text, stated, trainer_of, written_by

RAMPED = ("rampup_batch_size", "decrease_batch_size_if_needed", "step_batch_size_schedule")


def check(run: RunContext) -> Iterator[Finding]:
    if trainer_of(run, ("megatron",)) is None:
        return
    yield from _batch(run)
    for small, large in (("max_position_embeddings", "seq_length"), ("lr", "min_lr")):
        low, high = written_by(run, small), written_by(run, large)
        least, most = number_of(low), number_of(high)
        if low is not None and high is not None and least is not None and most is not None and least < most:
            yield run.finding(
                high,
                f"{large} {number_text(most)} is more than {small} {number_text(least)}: Megatron stops at start",
                help=f"{small} of at least {number_text(most)}",
                because=[low],
            )


def _batch(run: RunContext) -> Iterator[Finding]:
    whole, micro, devices = (run.setting(name) for name in ("global_batch", "micro_batch", "devices"))
    if whole is None or micro is None or devices is None or not stated(whole) or not stated(micro) or not devices.known:
        return
    if any(written_by(run, name) is not None for name in RAMPED):
        return
    split = 1
    for name in ("tensor_parallel", "pipeline_parallel", "context_parallel"):
        degree = run.setting(name)
        if degree is not None and not degree.known:
            return
        split *= degree.value if degree is not None else 1
    if devices.value % split or whole.value % (micro.value * devices.value // split) == 0:
        return
    ranks = devices.value // split
    yield run.finding(
        whole,
        f"global_batch_size {whole.value} is no multiple of micro_batch_size {micro.value} x {ranks} data-parallel "
        f"rank{'s' if ranks > 1 else ''}: Megatron stops at start",
        help=f"a multiple of {micro.value * ranks}",
        because=[micro],
        numbers={"global_batch": whole.value, "step": micro.value * ranks},
    )


RULE = Rule(
    code="BL652",
    name="megatron-arithmetic",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("megatron",),
    harm=7.0,
)
