"""A key of a config that the one program which opens it never reads.

The program was followed to its end, and all that it asks of the config is known: a mapping that it goes over, hands to other code, spreads
with `**` or gives to a parser counts as read, key by key. A loop that takes only what something else names
(`if hasattr(config, key): setattr(config, key, value)`) reads what it takes. No Python of the project names the key, but for comments,
docstrings and messages, and no reader and no other program reads the file. Another spelling of the key that the program asks for in vain,
and a loop that drops the key from a mapping which nobody else has, are told whoever has the name.

## What it costs

The value does nothing: what was meant to be set keeps its default.

## Failing

```sh run.sh
python train.py config.yaml
```

```yaml config.yaml
model: Qwen/Qwen2.5-1.5B
batch: 4
gradient_chekpointing: true
```

```py train.py
import sys

import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

config = yaml.safe_load(open(sys.argv[1]))
model = AutoModelForCausalLM.from_pretrained(config["model"])
checkpointing = config.get("gradient_checkpointing", False)
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=config["batch"], gradient_checkpointing=checkpointing)
Trainer(model=model, args=arguments).train()
```

## Passing

```sh run.sh
python train.py config.yaml
```

```yaml config.yaml
model: Qwen/Qwen2.5-1.5B
batch: 4
gradient_checkpointing: true
```

```py train.py
import sys

import yaml
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

config = yaml.safe_load(open(sys.argv[1]))
model = AutoModelForCausalLM.from_pretrained(config["model"])
checkpointing = config.get("gradient_checkpointing", False)
arguments = TrainingArguments(output_dir="out", per_device_train_batch_size=config["batch"], gradient_checkpointing=checkpointing)
Trainer(model=model, args=arguments).train()
```

## Sources

- The program itself: what it asks of the mapping that it loaded.
- OmegaConf 2.3 `dictconfig.py` `__getattr__`, `base.py` `_resolve_node_interpolation`: an attribute and a `${key}` are reads too.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity


def check(run: RunContext) -> Iterator[Finding]:
    program = run.program
    if program is None:
        return
    for one in program.unused:
        instead = f"which asks for '{one.near}', and there is none" if one.is_missing else "the one program here that opens this file"
        yield run.finding(
            one.location,
            f"{one.key} is never read by {program.path}, {instead}: it has no effect",
            help=f"did you mean '{one.near}', which it asks for?" if one.near else "remove it, or read it",
            key=one.key,
        )


RULE = Rule(
    code="BL632",
    name="key-never-read",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=6.0,
)
