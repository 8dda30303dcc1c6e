"""A flag that the program's parser does not take.

Told of a program of the project that was followed to a parser of which every option is known, and that stops at others: not
`parse_known_args`, not `return_remaining_strings=True`, not a parser that other code adds options to. Where the parser also fills a class
of a package, whose fields change with its releases, only a flag that is one or two letters off is told.

## What it costs

The run stops at start: "unrecognized arguments".

## Failing

```sh run.sh
python train.py --bacth_size 4
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=8)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=args.batch_size)).train()
```

## Passing

```sh run.sh
python train.py --batch_size 4
```

```py train.py
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=8)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=args.batch_size)).train()
```

## Sources

- CPython 3.13 `argparse.py` `parse_args`: "unrecognized arguments"; `_get_option_tuples`: the beginning of a name stands for it.
- transformers 4.57.6 and 5.2.0 `hf_argparser.py` `parse_args_into_dataclasses`: ValueError for what remains.
- click 8.1 `parser.py` `_match_long_opt`: NoSuchOption; tyro 0.9 `_arguments.py`, `_argparse.py`: unrecognized options.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._program import refusals


def check(run: RunContext) -> Iterator[Finding]:
    for program, one in refusals(run, "unrecognized"):
        at = one.because[0].location if one.because else program.launch
        yield run.finding(
            at,
            f"{program.path} has no option {one.says}: it stops when it reads its arguments",
            help=f"did you mean '{one.near}'?" if one.near else "remove it, or add the option to the program",
            related=[(one.location, "parsed here")],
            key=one.says,
        )


RULE = Rule(
    code="BL631",
    name="unrecognized-argument",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    supersedes=("unknown-flag",),
    status="preview",
    harm=8.0,
    stops=True,
)
