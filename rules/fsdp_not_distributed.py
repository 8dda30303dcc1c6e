"""FSDP, or LLaMA-Factory's DeepSpeed, without a launcher.

A bare `python train.py` starts one process that belongs to no process group.

## What it costs

The run stops at start: "Using fsdp only works in distributed training", or LLaMA-Factory's "Please use `FORCE_TORCHRUN=1` to launch
DeepSpeed training".

## Failing

```sh run.sh
python run_clm.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --do_train --bf16 --per_device_train_batch_size 4 \
  --learning_rate 2e-5 --num_train_epochs 3 --save_strategy epoch --fsdp "full_shard auto_wrap"
```

## Passing

```sh run.sh
torchrun --nproc_per_node 4 run_clm.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --do_train --bf16 \
  --per_device_train_batch_size 4 --learning_rate 2e-5 --num_train_epochs 3 --save_strategy epoch --fsdp "full_shard auto_wrap"
```

## Sources

- transformers 5.24.0, 5.0.0, 4.57.6 and 4.41.0 `trainer.py` `Trainer.__init__`.
- LLaMA-Factory 0.9.5 `hparams/parser.py`, `launcher.py`: `llamafactory-cli train` starts torchrun where it sees more than one GPU, or
  with FORCE_TORCHRUN.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import HUGGING_FACE, Confidence, Finding, Rule, RunContext, Setting, Severity, is_own_script, written_in

from ._fsdp import option_words
from ._launch import command_text, is_alone, visible


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    if trainer is None or is_own_script(trainer.settings):
        return
    if trainer.format in HUGGING_FACE and is_alone(run):
        fsdp = _first(run, "fsdp")
        if fsdp is not None and option_words(fsdp) and not _on_xla(run):
            yield _finding(run, fsdp, "fsdp", "the Trainer stops at start", "torchrun --nproc_per_node N, or accelerate launch")
    elif trainer.format == "llamafactory" and _one_process(run):
        engine = _first(run, "deepspeed")
        if engine is not None and engine.known and engine.text:
            yield _finding(run, engine, "deepspeed", "LLaMA-Factory stops at start", "FORCE_TORCHRUN=1 llamafactory-cli train")


def _first(run: RunContext, name: str) -> Setting | None:
    found = (written_in(reading, name) for reading in run.run.readings)
    return next((one for one in found if one is not None), None)


def _finding(run: RunContext, at: Setting, key: str, cost: str, help: str) -> Finding:
    devices = run.setting("devices")
    return run.finding(
        at,
        f"{key} {at.text or 'true'} without a launcher: one process, and {cost}",
        help=help,
        because=[devices] if devices else (),
        numbers={"processes": 1},
    )


def _one_process(run: RunContext) -> bool:
    """``python src/train.py``, or the command line tool where exactly one GPU is visible."""
    text, seen = command_text(run), visible(run)
    if "FORCE_TORCHRUN" in text or _exported(run):
        return False
    return is_alone(run) or ("llamafactory-cli" in text and seen is not None and seen.value == 1)


def _exported(run: RunContext) -> bool:
    """The script around the command sets it."""
    return any(reading.document.source.mentions("FORCE_TORCHRUN") for reading in run.run.readings if reading.document.is_command)


def _on_xla(run: RunContext) -> bool:
    return any(written_in(reading, "fsdp_config.xla", "fsdp_config.fsdp_xla") is not None for reading in run.run.readings)


RULE = Rule(
    "BL521",
    "fsdp-not-distributed",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    words=("fsdp", "deepspeed"),
    harm=5.0,
)
