"""TRL's `SFTConfig` has no `max_seq_length` any more: it is `max_length`.

The new name came with TRL 0.16.0, the old one went with 0.20.0.

## What it costs

The run stops at start with an unknown argument; or, where a script of your own takes the key, it has to hand it on under the
new name, else samples are cut at TRL's 1,024 tokens.

## Failing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
packing: true
max_seq_length: 4096
```

```text requirements.txt
trl==1.16.0
```

## Passing

```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
packing: true
max_length: 4096
```

```text requirements.txt
trl==1.16.0
```

## When it is meant

Unsloth's and other wrappers with an argument of that name.

## Sources

- TRL 0.15.2, 0.16.0, 0.19.1 and 0.20.0 `trainer/sft_config.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import SCRIPTS, TRL_ARGUMENTS, Confidence, DocumentContext, Finding, Rule, Safety, Severity, written_in

from ._scripts import handed_on_at

OLD, NEW = "max_seq_length", "max_length"


def check(document: DocumentContext) -> Iterator[Finding]:
    old = written_in(document.reading, OLD)
    gone, known = document.at_least("trl", "0.20.0"), document.at_least("trl", "0.16.0")
    if old is None or known is False or document.value("task", "sft") != "sft" or _may_be_patched(document):
        return
    if document.stack_of(document.reading).is_doubted("trl"):
        return
    cost = {
        True: f"TRL 0.20 removed the name: the run stops at start, or cuts samples at 1,024 tokens where a script takes {OLD} itself",
        False: "the name is deprecated and goes with TRL 0.20" if known else "TRL 0.16 and newer warn of the name, older ones take only it",
        None: f"TRL 0.20 and newer take only {NEW}, older than 0.16 only this name",
    }[gone]
    taken = written_in(document.reading, NEW) is not None
    keyword = handed_on_at(document, old)
    yield document.finding(
        keyword or old,
        f"{OLD}{'' if keyword else f' {old.text}'}: {cost}",
        help=f"rename {'the argument' if keyword else 'it'} to {NEW}{'' if known else ', with TRL 0.16 or newer'}",
        fixes=() if taken or keyword else document.rename(old, NEW, safety=Safety.UNSAFE),
        because=[old],
        key=OLD if keyword else None,
        severity=None if gone else Severity.INFO,
        confidence=None if gone is not None else Confidence.LOW,
    )


def _may_be_patched(document: DocumentContext) -> bool:
    """Unsloth puts a class that takes the old name in TRL's place (2024.8 to 2026.10 ``models/rl.py``)."""
    return document.format in SCRIPTS and "unsloth" in document.reading.document.source.text.lower()


RULE = Rule(
    code="BL607",
    name="trl-max-seq-length-renamed",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRL_ARGUMENTS,
    flags=True,
    applies="TRL >= 0.20.0 (info from 0.16.0)",
    words=(OLD,),
    harm=8.5,
)
