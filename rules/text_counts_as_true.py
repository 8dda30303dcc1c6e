"""A text that says no, and counts as true where the program asks.

To Python every text is true that is not empty: `type=bool` of `argparse` makes `--lora False` true, and `if config["lora"]:` is taken
where a file has `"False"`. Told of `false` in any case, of `no` and `off` too where they are made a bool, where the program was followed to
the question, and no Python of the project has the word as a text of its own, which it would compare with.

## What it costs

What was meant to be off is on, and nothing says so.

## Failing

```sh run.sh
python train.py --checkpointing False
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--checkpointing", type=bool, default=True)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=2, gradient_checkpointing=args.checkpointing)
Trainer(model=model, args=arguments).train()
```

## Passing

```sh run.sh
python train.py --no-checkpointing
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--checkpointing", action=argparse.BooleanOptionalAction, default=True)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=2, gradient_checkpointing=args.checkpointing)
Trainer(model=model, args=arguments).train()
```

## Sources

- CPython 3.13 library reference, `argparse`, "type": "The bool() function is not recommended as a type converter"; "Truth Value Testing".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity


def check(run: RunContext) -> Iterator[Finding]:
    program = run.program
    for one in program.true_texts if program is not None else ():
        yield run.finding(
            one.location,
            f"{one.key} {one.text!r} is a text, which counts as true at {one.asked_at.file}:{one.asked_at.line}",
            help="write it without quotes, or give the program a switch"
            if not one.key.startswith("-")
            else "leave it out, or make it a switch",
            related=[(one.asked_at, "asked here")],
            key=one.key,
        )


RULE = Rule(
    code="BL647",
    name="text-counts-as-true",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=8.0,
)
