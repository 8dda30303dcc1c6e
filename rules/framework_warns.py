"""A value, or several together, that the framework's own argument class takes with a warning.

Read from the code of the class by release, as what it refuses is (`framework-refuses`), and tried on the real class: it warned of a config
that the condition picks. Most are names that will go, and options that do nothing beside another one.

## What it costs

Nothing now, as a rule: a line in the log of a job that nobody reads. What it warns of stops a later release, or has no effect.

## Failing

```py train.py
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
args = SFTConfig(output_dir="out", packing=True, packing_strategy="bfd-requeue", max_length=1024)
SFTTrainer(model=model, args=args, train_dataset=data).train()
```

```text requirements.txt
trl==1.16.0
transformers==5.24.0
```

## Passing

```py train.py
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
args = SFTConfig(output_dir="out", packing=True, packing_strategy="bfd", max_length=1024)
SFTTrainer(model=model, args=args, train_dataset=data).train()
```

```text requirements.txt
trl==1.16.0
transformers==5.24.0
```

## Sources

- `budgetlint/contracts/data`: each row names release, file and line; the message gives those of the newest.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._contract_names import HELD_TO_CONTRACTS
from ._contracts import findings


def check(run: RunContext) -> Iterator[Finding]:
    yield from findings(run, warns=True)


RULE = Rule(
    code="BL638",
    name="framework-warns",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=HELD_TO_CONTRACTS,
    status="preview",
    harm=3.0,
    general=True,
)
