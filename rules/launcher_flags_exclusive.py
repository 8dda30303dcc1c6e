"""`accelerate launch` is given two kinds of distribution, or several GPUs and one process.

## What it costs

The command stops at once: "You can only use one of `--cpu`, `--multi_gpu`, `--tpu`, `--use_deepspeed`, `--use_fsdp` at a time", "You need
to use at least 2 processes to use `--multi_gpu`".

## Failing

```sh run.sh
accelerate launch --multi_gpu --use_deepspeed --num_processes 4 train.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out \
  --do_train --per_device_train_batch_size 4 --learning_rate 2e-5 --num_train_epochs 3 --save_strategy epoch
```

## Passing

```sh run.sh
accelerate launch --use_deepspeed --num_processes 4 train.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out \
  --do_train --per_device_train_batch_size 4 --learning_rate 2e-5 --num_train_epochs 3 --save_strategy epoch
```

## Sources

- accelerate 1.15.0 `commands/launch.py` `_validate_launch_command`; the same in 0.30.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Entry, Finding, Reading, Rule, RunContext, Scalar, Severity

KINDS = ("cpu", "multi_gpu", "tpu", "use_deepspeed", "use_fsdp")


def check(run: RunContext) -> Iterator[Finding]:
    for reading in run.documents("accelerate"):
        if reading.document.is_command:
            yield from _flags(run, reading)


def _flags(run: RunContext, reading: Reading) -> Iterator[Finding]:
    kinds = [entry for name in KINDS if (entry := reading.document.entry(name)) is not None]
    named = sorted(kinds, key=lambda entry: entry.key.span.start)
    count, place = reading.document.get("num_processes"), reading.document.source.locate
    if len(named) > 1:
        yield run.finding(
            place(named[-1].key.span),
            f"{' and '.join(f'--{entry.key.text}' for entry in named)} exclude each other: accelerate launch stops",
            help=f"keep {_kept(named)}",
            related=[(place(entry.key.span), "and this") for entry in named[:-1]],
            key=named[-1].key.text,
            value="true",
        )
    elif named and named[0].key.text == "multi_gpu" and isinstance(count, Scalar) and count.text in ("0", "1"):
        yield run.finding(
            place(count.span),
            f"--multi_gpu with --num_processes {count.text}: accelerate launch stops",
            help="leave --multi_gpu out, or start a process for each GPU",
            related=[(place(named[0].key.span), "asked for here")],
            numbers={"processes": int(count.text)},
            key="num_processes",
            value=count.text,
        )


def _kept(named: list[Entry]) -> str:
    """DeepSpeed and FSDP start a process for each GPU by themselves."""
    engines = [f"--{entry.key.text}" for entry in named if entry.key.text.startswith("use_")]
    return engines[0] if len(engines) == 1 else "one of them"


RULE = Rule(
    "BL528",
    "launcher-flags-exclusive",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    words=("accelerate",),
    harm=2.5,
)
