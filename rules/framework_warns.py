"""Values that are written together, and that the framework's own argument class takes with a warning.

Read from the code of the class by release, as what it refuses is (`framework-refuses`), and tried on the real class: it warned of a config
that the condition picks. Told where two or more that are written do not go together: one of them has no effect, or not the one that is
meant. A single name that will go, or a choice that the framework warns of, it prints itself, with the new name; that is not told.

## What it costs

A line in the log of a job that nobody reads, and a setting that does not do what it says.

## Failing

```yaml train.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: data
    type: alpaca
sequence_len: 1024
micro_batch_size: 1
eval_batch_size: 4
gradient_accumulation_steps: 1
learning_rate: 0.0002
```

```text requirements.txt
axolotl==0.21.0
```

## Passing

```yaml train.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: data
    type: alpaca
sequence_len: 1024
micro_batch_size: 1
eval_batch_size: 1
gradient_accumulation_steps: 1
learning_rate: 0.0002
```

```text requirements.txt
axolotl==0.21.0
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
