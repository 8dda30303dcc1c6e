"""One python process sees several GPUs: the Trainer falls back to `nn.DataParallel`.

Without a launcher the Trainer wraps the model in DataParallel over every visible GPU, unless the script spreads the model itself
(`device_map`).

## What it costs

The batch is `per_device_train_batch_size` times the GPUs in one process; the model is copied to every GPU for each micro batch, and
GPU 0 also holds the optimizer and the gathered outputs, so it runs out of memory first. LLaMA-Factory stops at start; so do TRL's
trainers since 1.16.

## Failing

```sh run.sh
CUDA_VISIBLE_DEVICES=0,1,2,3 python run_clm.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --do_train --bf16 \
  --per_device_train_batch_size 4 --learning_rate 2e-5 --num_train_epochs 3 --save_strategy epoch
```

## Passing

```sh run.sh
CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc_per_node 4 run_clm.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --do_train \
  --bf16 --per_device_train_batch_size 4 --learning_rate 2e-5 --num_train_epochs 3 --save_strategy epoch
```

## When it is meant

A script that loads the model with `device_map="auto"` runs its layers on one GPU after the other.

## Sources

- transformers 5.24.0 and 4.57.6 `training_args.py` `_setup_devices` (`n_gpu`), `train_batch_size`; `trainer.py` `_wrap_model`
  (not for 8-bit and 4-bit models).
- LLaMA-Factory 0.9.5 `hparams/parser.py`: "Please launch distributed training with `llamafactory-cli` or `torchrun`".
- TRL 1.16.0 `trainer/sft_trainer.py`, `dpo_trainer.py`, `grpo_trainer.py`: "does not support `nn.DataParallel`"; 0.24.0 does not stop.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINERS, Confidence, Finding, Rule, RunContext, Severity, is_own_script

from ._launch import command_text, is_alone, visible

TRL_REFUSES = "1.16.0"


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    if trainer is None or trainer.format not in TRAINERS or is_own_script(trainer.settings) or not is_alone(run) or _spread(run):
        return
    seen = visible(run)
    spec = run.target.device if run.target else None
    count = seen.value if seen else spec.count if spec and not _one_visible(run) else None
    at = seen or spec
    if count is None or count < 2 or at is None:
        return
    stops = trainer.format == "llamafactory"
    refuses = run.at_least("trl", TRL_REFUSES) if trainer.format in ("trl", "alignment_handbook") else False
    cost = "LLaMA-Factory stops at start" if stops else "TRL stops at start" if refuses else "the Trainer takes nn.DataParallel"
    yield run.finding(
        at,
        f"one python process sees {count} GPUs: {cost}{'' if stops or refuses else ', with all optimizer state on GPU 0'}",
        help=f"torchrun --nproc_per_node {count}, or CUDA_VISIBLE_DEVICES=0",
        numbers={"visible_devices": count, "processes": 1},
        severity=Severity.ERROR if stops else None,
        confidence=Confidence.HIGH if stops else None,
    )


def _one_visible(run: RunContext) -> bool:
    """A command that hides all devices but some in a way that nobody here can count."""
    return "CUDA_VISIBLE_DEVICES" in command_text(run)


def _spread(run: RunContext) -> bool:
    """The script loads the model with a device map, as far as flags and files say; a quantised model is not replicated either."""
    quantised = run.value("quant", "none") != "none"
    return quantised or any(reading.document.source.mentions("device_map") for reading in run.run.readings)


RULE = Rule(
    "BL514",
    "dataparallel-fallback",
    Severity.WARNING,
    Confidence.MEDIUM,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    words=TRAINERS,
    harm=11.0,
)
