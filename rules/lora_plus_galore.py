"""LLaMA-Factory with LoRA and GaLore, APOLLO or BAdam at once.

GaLore, APOLLO and BAdam save optimizer memory in full training; LoRA leaves them nothing to do. LoRA is what LLaMA-Factory trains
when `finetuning_type` is not set.

## What it costs

The run stops when the arguments are read: "Cannot use LoRA with GaLore, APOLLO or BAdam together".

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
template: qwen
use_galore: true
per_device_train_batch_size: 1
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: full
template: qwen
use_galore: true
per_device_train_batch_size: 1
```

## Sources

- llamafactory 0.9.5 `hparams/finetuning_args.py` `FinetuningArguments.__post_init__`; `finetuning_type` defaults to lora.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, is_on, written_by

METHODS = {"use_galore": "GaLore", "use_apollo": "APOLLO", "use_badam": "BAdam"}


def check(run: RunContext) -> Iterator[Finding]:
    kind = written_by(run, "finetuning_type")
    if kind is not None and kind.value != "lora":
        return
    for key, name in METHODS.items():
        switch = written_by(run, key)
        if switch is not None and is_on(switch):
            with_lora = "finetuning_type: lora" if kind is not None else "LoRA, which finetuning_type is by default"
            yield run.finding(
                switch,
                f"'{key}: {switch.text}' with {with_lora}: LLaMA-Factory stops when it reads the arguments",
                help=f"write finetuning_type: full to train with {name}, or remove {key} to train LoRA",
                because=[kind] if kind is not None else (),
            )
            return


RULE = Rule(
    code="BL426",
    name="lora-plus-galore",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("llamafactory",),
    words=tuple(METHODS),
    harm=2.5,
    stops=True,
)
