"""A flag that the program's parser does not have, which `parse_known_args` leaves and the program throws away.

Told where the program was followed, one parser alone reads the words, nothing else asks for `sys.argv`, and what is left goes to a name
that nobody reads (`args, _ = parser.parse_known_args()`).

## What it costs

The run goes on as if the flag had not been given, and prints nothing of it.

## Failing

```sh run.sh
python train.py --batch_size 4 --gradient_checkpointing 1
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=8)
args, _ = parser.parse_known_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=args.batch_size)).train()
```

## Passing

```sh run.sh
python train.py --batch_size 4 --gradient_checkpointing 1
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=8)
parser.add_argument("--gradient_checkpointing", type=int, default=0)
args, _ = parser.parse_known_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
arguments = TrainingArguments(
    output_dir="out", per_device_train_batch_size=args.batch_size, gradient_checkpointing=bool(args.gradient_checkpointing)
)
Trainer(model=model, args=arguments).train()
```

## Sources

- CPython 3.13 `argparse.py` `parse_known_args`: gives the namespace and the words that no option takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._program import slips


def check(run: RunContext) -> Iterator[Finding]:
    for program, one in slips(run, "dropped"):
        parsed = f"{one.where.file}:{one.where.line}" if one.where is not None else program.path
        yield run.finding(
            one.location,
            f"{one.key} has no effect: {parsed} takes the options that it knows (parse_known_args), and drops this one",
            help="add the option to the program and hand it on, or remove the flag; parse_args would stop at it",
            related=[(one.where, "parsed here")] if one.where is not None else [],
            key=one.key,
        )


RULE = Rule(
    code="BL660",
    name="flag-dropped",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=8.0,
)
