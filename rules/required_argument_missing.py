"""A program requires an argument that the command does not give.

Told of a program of the project that was followed, with argparse, `HfArgumentParser`, TRL's parser, click, typer or tyro, and of a command
whose words are all known: where a script hands on `"$@"`, anything may be given.

## What it costs

The run stops at start, before it has read a config or loaded a model.

## Failing

```sh run.sh
python train.py --output_dir out
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--output_dir", default="out")
parser.add_argument("--data", required=True)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=TrainingArguments(output_dir=args.output_dir, per_device_train_batch_size=2)).train()
```

## Passing

```sh run.sh
python train.py --output_dir out --data corpus.jsonl
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--output_dir", default="out")
parser.add_argument("--data", required=True)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=TrainingArguments(output_dir=args.output_dir, per_device_train_batch_size=2)).train()
```

## Sources

- CPython 3.13 `argparse.py` `_parse_known_args`: "the following arguments are required".
- transformers 4.57.6 and 5.2.0 `hf_argparser.py` `_parse_dataclass_field`: a field without a default is required.
- click 8.1 `core.py` `Parameter.process_value`: MissingParameter; tyro 0.9 `_calling.py`: a field without a default is required.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._program import refusals


def check(run: RunContext) -> Iterator[Finding]:
    for program, one in refusals(run, "required"):
        yield run.finding(
            program.launch,
            f"{program.path} requires {one.says}, which this command does not give: it stops when it reads its arguments",
            help=f"add {one.says} and its value",
            related=[(one.location, "required here")],
            key=one.says,
        )


RULE = Rule(
    code="BL630",
    name="required-argument-missing",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=8.0,
    stops=True,
)
