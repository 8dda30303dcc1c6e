"""A word that the program knows by another name only.

The program compares the value with words of its own, or looks it up in a table with a default, and none of them is this one; one of them
is another name of the same (`bf16` and `bfloat16`), or the same in other letters. The program asks for the word nowhere.

## What it costs

What was asked for is not done, and nothing says so: the precision is another, a branch is not taken.

## Failing

```sh run.sh
python train.py run.yaml
```

```yaml run.yaml
precision: bfloat16
```

```py train.py
import sys

import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

config = yaml.safe_load(open(sys.argv[1]))
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=2, bf16=config["precision"] == "bf16")
Trainer(model=model, args=arguments).train()
```

## Passing

```sh run.sh
python train.py run.yaml
```

```yaml run.yaml
precision: bf16
```

```py train.py
import sys

import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

config = yaml.safe_load(open(sys.argv[1]))
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=2, bf16=config["precision"] == "bf16")
Trainer(model=model, args=arguments).train()
```

## Sources

- The program itself: what it compares the value with.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

MOST = 6


def check(run: RunContext) -> Iterator[Finding]:
    for one in run.program.strange_words if run.program is not None else ():
        words = ", ".join(one.words[:MOST]) + (", …" if len(one.words) > MOST else "")
        yield run.finding(
            one.location,
            f"{one.key} {one.text!r} is none of the words that the program asks for ({words}): it counts as none of them",
            help=f"did you mean '{one.meant}'?",
            related=[(one.asked_at, "asked here")],
            key=one.key,
        )


RULE = Rule(
    code="BL671",
    name="word-by-another-name",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=7.0,
)
