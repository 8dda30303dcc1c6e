"""`evaluation_strategy` is called `eval_strategy` now.

The new name came with transformers 4.41, the old one went with 4.51.

## What it costs

With transformers 4.51 or newer the run stops at start: "unexpected keyword argument 'evaluation_strategy'". While both names are
taken, the old one beats a flag of the new one, so the fix is unsafe there.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
evaluation_strategy: epoch
```

```text requirements.txt
transformers==4.57.6
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
eval_strategy: epoch
```

```text requirements.txt
transformers==4.57.6
```

## Sources

- transformers 4.41.2, 4.50.3 and 4.51.3 `training_args.py`: first with both names, last with the old one, first without.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINERS, Confidence, DocumentContext, Finding, Rule, Safety, Severity, written_in

from ._scripts import handed_on_at

OLD, NEW = "evaluation_strategy", "eval_strategy"


def check(document: DocumentContext) -> Iterator[Finding]:
    old = written_in(document.reading, OLD)
    known = document.at_least("transformers", "4.41.0")
    if old is None or known is False:
        return
    if document.stack_of(document.reading).is_doubted("transformers"):
        return
    gone = document.at_least("transformers", "4.51.0")
    cost = {
        True: "transformers 4.51 removed the name, so the run stops at start",
        False: "the name is deprecated and goes with transformers 4.51"
        if known
        else "transformers 4.41 and newer warn of the name, older ones know only this one",
        None: "transformers 4.51 and newer stop at start, 4.41 to 4.50 warn, older ones know only this name",
    }[gone]
    both_written = written_in(document.reading, NEW) is not None
    keyword = handed_on_at(document, old)
    yield document.finding(
        keyword or old,
        f"{OLD}{'' if keyword else f' {old.text}'}: {cost}",
        help=f"rename {'the argument' if keyword else 'it'} to {NEW}{'' if known else ', with transformers 4.41 or newer'}",
        fixes=() if both_written or keyword else document.rename(old, NEW, safety=Safety.SAFE if gone else Safety.UNSAFE),
        because=[old],
        key=OLD if keyword else None,
        severity=None if gone else Severity.INFO,
        confidence=None if gone is not None else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL601",
    name="evaluation-strategy-renamed",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=TRAINERS,
    flags=True,
    applies="transformers >= 4.51.0 (info from 4.41.0)",
    words=(OLD,),
    harm=12.5,
    stops=True,
)
