"""A flag of a launch that its program does not ask for, or asks for only in a branch that this launch does not take.

The rank of an adapter beside `--lora False`, a warm-up that nothing reads. Told of options of the program's own, where every place that has
the option's name was followed and lies in a branch whose condition is known, and where nothing takes the options as a whole (`vars(args)`,
`asdict`, code of a package that is given them).

## What it costs

The value does nothing: what it was meant to set is off, or keeps its default.

## Failing

```sh run.sh
python train.py --lora_r 8
```

```py train.py
import argparse
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--lora", action="store_true")
parser.add_argument("--lora_r", type=int, default=16)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
if args.lora:
    model = get_peft_model(model, LoraConfig(r=args.lora_r))
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=2)).train()
```

## Passing

```sh run.sh
python train.py --lora --lora_r 8
```

```py train.py
import argparse
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--lora", action="store_true")
parser.add_argument("--lora_r", type=int, default=16)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
if args.lora:
    model = get_peft_model(model, LoraConfig(r=args.lora_r))
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=2)).train()
```

## Sources

- The program itself: where it has the option's name, and which of its branches it takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity


def check(run: RunContext) -> Iterator[Finding]:
    program = run.program
    for one in program.closed_flags if program is not None else ():
        where = one.closed_at
        closed = "never asks for it"
        if where is not None:
            closed = f"asks for it only where {one.because} ({where.file}:{where.line}), which is not so here"
        yield run.finding(
            one.location,
            f"{one.flag} has no effect: {program.path if program is not None else ''} {closed}",
            help="remove it, or switch on what it is for" if where is not None else "remove it, or read it",
            related=[(where, "the condition")] if where is not None else [],
            key=one.flag,
        )


RULE = Rule(
    code="BL648",
    name="flag-without-effect",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=6.0,
)
