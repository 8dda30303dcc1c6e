"""A key of a config that the default of a flag replaces.

A program that lets flags win over its config writes each flag that is not `None` over the key of the same name. A flag with another
default is never `None`, so its default wins although nobody gave the flag. Told where the program was followed, the flag is not given, and
nothing asked for the key before.

## What it costs

The run trains with the default, whatever the config says.

## Failing

```sh run.sh
python train.py --config run.yaml
```

```yaml run.yaml
batch_size: 2
epochs: 50
```

```py train.py
import argparse, yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()
config = yaml.safe_load(open(args.config))
if args.epochs is not None:
    config["epochs"] = args.epochs
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=config["batch_size"], num_train_epochs=config["epochs"])
Trainer(model=model, args=arguments).train()
```

## Passing

```sh run.sh
python train.py --config run.yaml
```

```yaml run.yaml
batch_size: 2
epochs: 50
```

```py train.py
import argparse, yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--epochs", type=int, default=None)
args = parser.parse_args()
config = yaml.safe_load(open(args.config))
if args.epochs is not None:
    config["epochs"] = args.epochs
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=config["batch_size"], num_train_epochs=config["epochs"])
Trainer(model=model, args=arguments).train()
```

## Sources

- The program itself: where the option is declared, and where its value is written over the key.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._program import slips


def check(run: RunContext) -> Iterator[Finding]:
    for _, one in slips(run, "replaced"):
        meant, counts = one.values
        over = f" at {one.where.file}:{one.where.line}" if one.where is not None else ""
        stands = f" ({one.stands.file}:{one.stands.line})" if one.stands is not None else ""
        yield run.finding(
            one.location,
            f"{one.key} {meant} has no effect: the default {counts} of its flag{stands} is written over it{over}",
            help="let the flag's default be None, or give the flag",
            related=[(one.stands, "the default")] if one.stands is not None else [],
            key=one.key,
        )


RULE = Rule(
    code="BL662",
    name="default-replaces-key",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=9.0,
)
