"""A flag that is the beginning of several options of transformers' arguments.

argparse takes the beginning of a name for the name, as long as no other begins so. A release that adds a second one makes an error of a
command that has always worked: `--lr_scheduler` was `--lr_scheduler_type`, until `--lr_scheduler_kwargs` came.

## What it costs

The run stops when it reads its arguments: "ambiguous option: --lr_scheduler could match --lr_scheduler_type, --lr_scheduler_kwargs".

## Failing

```sh run.sh
python train.py --output_dir out --lr_scheduler cosine
```

```py train.py
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=args).train()
```

## Passing

```sh run.sh
python train.py --output_dir out --lr_scheduler_type cosine
```

```py train.py
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=args).train()
```

## Sources

- CPython 3.13 `argparse.py` `_parse_optional`: "ambiguous option: %(option)s could match %(matches)s".
- `budgetlint/contracts/signatures`: the fields of transformers' `TrainingArguments` in each release from 4.40 to 5.24.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._program import slips


def check(run: RunContext) -> Iterator[Finding]:
    from budgetlint.contracts.signature import find  # most runs have no such flag

    for _, one in slips(run, "begun"):
        signature = find(one.owner)
        if signature is None:
            continue
        stack = run.run.stack
        taken = [name for name in one.names if signature.takes(name, stack)]
        older = stack.at_least(signature.package, signature.releases[0]) is False
        if older:  # what it has is not known: those that the first release that was read has
            taken = [name for name in one.names if signature.history(name)[0] == signature.releases[0]]
        if len(taken) < 2:
            continue
        since = f" with {signature.package} {signature.releases[0]} and newer, and maybe with this one" if older else ""
        yield run.finding(
            one.location,
            f"{one.key} could be {' or '.join(f'--{name}' for name in sorted(taken))}{since}: the run stops when it reads its arguments",
            help=f"write --{_meant(taken)}",
            key=one.key,
            severity=Severity.WARNING if older else None,
        )


def _meant(taken: list[str]) -> str:
    """``lr_scheduler_type`` rather than ``lr_scheduler_kwargs``, which holds what the other needs beside."""
    return min(taken, key=lambda name: (name.endswith("_kwargs"), len(name)))


RULE = Rule(
    code="BL661",
    name="flag-ambiguous",
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
