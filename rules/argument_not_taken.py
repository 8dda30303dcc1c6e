"""An argument that a class of the framework does not take, in the release that runs.

The constructors of training arguments, TRL's configs, trainers and PEFT's adapter configs change with every release: names go, or move
from the trainer to its config. Told of calls that a followed program surely makes, with arguments that it surely gives: not behind a
condition or in a `try`, not in a class of its own, not where Unsloth has put its own class in the place. Where the release is not known,
what the newest does not take any more is a remark, where the project does not contradict itself about the release, and what is pinned
lets it be installed.

## What it costs

The run stops at the call with a TypeError: after the model has been loaded, often after the data have been prepared.

## Failing

```py train.py
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

args = SFTConfig(output_dir="out", max_length=1024)
trainer = SFTTrainer("Qwen/Qwen2.5-1.5B", args=args, train_dataset=load_dataset("trl-lib/Capybara")["train"], packing=True)
trainer.train()
```

```text requirements.txt
trl==1.16.0
transformers==5.24.0
```

## Passing

```py train.py
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

args = SFTConfig(output_dir="out", max_length=1024, packing=True)
trainer = SFTTrainer("Qwen/Qwen2.5-1.5B", args=args, train_dataset=load_dataset("trl-lib/Capybara")["train"])
trainer.train()
```

```text requirements.txt
trl==1.16.0
transformers==5.24.0
```

## Sources

- `budgetlint/contracts/signatures`: read from the wheels of transformers 4.40 to 5.24, TRL 0.9 to 1.16 and PEFT 0.9 to 0.21, by release.
- `Requires-Dist: transformers` in the METADATA of TRL 0.9.6 to 1.16.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.base.suggest import near_names
from budgetlint.rule import PYTHON, Confidence, Finding, Location, Rule, RunContext, Severity

if TYPE_CHECKING:
    from budgetlint.contracts.signature import Signature
    from budgetlint.settings.run import Stack

_SHOWN = {"trl": "TRL", "peft": "PEFT"}
_TOLD_BETTER = {"evaluation_strategy": "", "max_seq_length": "SFTConfig"}
"""Names that a rule of their own tells, with the new name; of one class, or of all."""
_TRL_WANTS = (
    ("0.27.0", "4.56.2"), ("0.23.0", "4.56.1"), ("0.21.0", "4.55.0"), ("0.20.0", "4.53.2"), ("0.19.0", "4.51.0"), ("0.18.0", "4.50.0"),
    ("0.12.0", "4.46.0"), ("0.11.0", "4.40.0"),
)  # fmt: skip
"""The transformers that TRL asks for from each of its releases on."""


def check(run: RunContext) -> Iterator[Finding]:
    program = run.program
    if program is None or not program.calls:
        return
    from budgetlint.contracts.signature import find  # most runs have no script

    patched = _may_be_patched(run)
    for call in program.calls:
        signature = find(call.called)
        if signature is None or (patched and signature.package == "trl"):
            continue
        for name, place in call.names:
            yield from _argument(run, signature, name, place)


def _argument(run: RunContext, signature: Signature, name: str, place: Location) -> Iterator[Finding]:
    stack = run.run.stack
    taken = signature.takes(name, stack)
    first, gone = signature.history(name)
    owner = signature.owner(name)
    if taken or (taken is None and (name in signature.newest or not gone or owner in stack.releases)):
        return
    if _TOLD_BETTER.get(name) in ("", signature.name) or (taken is None and (stack.is_doubted(owner) or not _fits(stack, owner, gone))):
        return
    package = _SHOWN.get(owner, owner)
    if taken is None:
        when = f"with {package} {gone} and newer"
    elif not first:
        when = f"with any release of {package} that was read"
    else:
        when = f"from {package} {gone} on" if gone and stack.at_least(owner, gone) else f"before {package} {first}"
    yield run.finding(
        place,
        f"{signature.name} takes no {name} {when}: the run stops at this call with a TypeError",
        help=_help(run, signature, name, owner, gone),
        key=f"{signature.name}.{name}",
        severity=None if taken is False else Severity.INFO,
        confidence=None if taken is False else Confidence.LOW,
    )


def _fits(stack: Stack, owner: str, release: str) -> bool:
    """May this release be installed beside the transformers that is pinned?"""
    from budgetlint.settings.run import version_of

    at = version_of(release)
    wanted = next((least for since, least in _TRL_WANTS if at is not None and (first := version_of(since)) is not None and at >= first), "")
    return owner != "trl" or not wanted or stack.at_least("transformers", wanted) is not False


def _help(run: RunContext, signature: Signature, name: str, owner: str, gone: str) -> str:
    from budgetlint.contracts.signature import find

    config = find(f"{signature.package}.{_config_of(signature.name)}") if signature.name.endswith("Trainer") else None
    if config is not None and config.takes(name, run.run.stack):
        return f"give it to {config.name}, which is handed on as args="
    if name == "tokenizer" and "processing_class" in signature.newest:
        first, _ = signature.history("processing_class")
        known = run.run.stack.at_least(signature.package, first)
        return "rename it to processing_class" + ("" if known else f", which it takes since {_SHOWN.get(owner, owner)} {first}")
    if gone:
        return f"remove it, or install '{owner}<{gone}'"
    near = near_names(name, signature.newest, alike=0.75)
    return f"did you mean '{near[0]}'?" if near else "remove it"


def _config_of(trainer: str) -> str:
    ending = "TrainingArguments" if trainer in ("Trainer", "Seq2SeqTrainer") else "Config"
    return trainer.removesuffix("Trainer") + ending


def _may_be_patched(run: RunContext) -> bool:
    """Unsloth puts classes that take more in TRL's place (2024.8 to 2026.10 ``models/rl.py``)."""
    trainer = run.run.trainer
    return trainer is not None and "unsloth" in trainer.document.source.text.lower()


RULE = Rule(
    code="BL635",
    name="argument-not-taken",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=PYTHON,
    status="preview",
    harm=9.0,
    general=True,
    stops=True,
)
