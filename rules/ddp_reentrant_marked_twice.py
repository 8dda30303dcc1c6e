"""LoRA on several GPUs (DDP) with reentrant activation checkpointing and a search for unused parameters.

DDP looks for unused parameters in the graph of the forward pass, where reentrant checkpointing hides the adapters. It counts them as
done, and then again when the backward pass reaches them. The Trainer turns the search on for PEFT models unless
`ddp_find_unused_parameters` says no.

## What it costs

The first backward pass stops: "Expected to mark a variable ready only once".

## Failing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
output_dir: out
lora_r: 16
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
gradient_checkpointing: true
gradient_checkpointing_kwargs: {use_reentrant: true}
```

```sh run.sh
torchrun --nproc_per_node=4 run_clm.py train.yaml
```

## Passing

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
output_dir: out
lora_r: 16
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
gradient_checkpointing: true
gradient_checkpointing_kwargs: {use_reentrant: true}
ddp_find_unused_parameters: false
```

```sh run.sh
torchrun --nproc_per_node=4 run_clm.py train.yaml
```

## Sources

- transformers 4.57.6 `trainer.py` `_wrap_model` and 5.24.0 `_build_accelerator_args`: the search is off for a checkpointed
  PreTrainedModel, on for a PeftModel; `use_reentrant` is true by default before 5.0.0.
- Run on two CPU processes with a small Llama, PEFT 0.21.2, transformers 4.57.6 and 5.24.0: it stops so; with either cure it trains.
- huggingface/peft#313, huggingface/trl#921, #4782, huggingface/accelerate#3536.
- LLaMA-Factory 0.9.5 `hparams/parser.py` turns the search off for LoRA; axolotl 0.18.0 unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRL_FORMATS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Setting,
    Severity,
    is_off,
    stated,
    unsharded,
    written_by,
)

_PLAIN = "hf_training_arguments"


def check(run: RunContext) -> Iterator[Finding]:
    devices, reentrant, depth = run.setting("devices"), run.setting("recompute_reentrant"), run.setting("recompute")
    if devices is None or not devices.known or devices.value < 2 or reentrant is None or reentrant.value is not True:
        return
    if depth is None or depth.value != "full" or run.value("adapter") != "lora" or not unsharded(run) or _is_settled(run):
        return
    yield _finding(run, devices, reentrant, depth)


def _is_settled(run: RunContext) -> bool:
    """The search is off, or somebody else decides."""
    search, static = written_by(run, "ddp_find_unused_parameters"), written_by(run, "ddp_static_graph")
    return (search is not None and (is_off(search) or not search.known)) or static is not None


def _by_own_script(run: RunContext) -> bool:
    """A script behind a plain file may wrap the model in its own way."""
    return run.run.trainer is not None and run.run.trainer.format == _PLAIN


def _finding(run: RunContext, devices: Setting, reentrant: Setting, depth: Setting) -> Finding:
    kind = "reentrant checkpointing" if stated(reentrant) else "checkpointing, reentrant by default,"
    sure = stated(depth) and not _by_own_script(run)
    return run.finding(
        reentrant if stated(reentrant) else depth,
        f"LoRA in {devices.value} DDP processes with {kind} and the search for unused parameters: the first backward pass "
        "stops with 'Expected to mark a variable ready only once'",
        help="gradient_checkpointing_kwargs: {use_reentrant: false}, or ddp_find_unused_parameters: false",
        because=[devices, reentrant],
        numbers={"processes": devices.value},
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL421",
    name="ddp-reentrant-marked-twice",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=(_PLAIN, *TRL_FORMATS, *PYTHON),
    aliases=("dpo-ddp-lora-gc",),
    harm=9.5,
)
