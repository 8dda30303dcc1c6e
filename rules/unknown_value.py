"""A value that the framework does not know, in a key that has a fixed set of values.

`finetuning_type: lorra`, `distributed_type: FSPD`, `lr_scheduler_type: cosin`, `bf16: ture`. A value near a known one is an error;
one that is near none is a warning, because a release newer than those read may have it. Where plugins and programs add values
(`adapter` of axolotl, `attn_implementation`), only a value near a known one is told.

Where a program of the project makes the arguments, that is `TrainingArguments` or a class built on it, the value may stand in the program,
in a config that it reads or in a flag.

A value that came with a later release than the one in use is an error too, where the version is known (`stack`, a requirements
file).

## What it costs

The run stops: when the arguments are read, or after the queue, the download and the loading of the model.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
finetuning_type: lorra
dataset: identity
template: qwen
output_dir: out
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
finetuning_type: lora
dataset: identity
template: qwen
output_dir: out
```

## Sources

- The rows of `budgetlint.catalog.choice_rows`, each with the framework's file that holds the values: transformers 4.41.0 to 5.24.0
  `training_args.py`, `trainer_utils.py`; TRL 1.16.0 `trainer/model_config.py`; LLaMA-Factory 0.9.0 to 0.9.5 `hparams/`, `data/template.py`;
  axolotl 0.8.0 and 0.19.0 `utils/schemas/`; accelerate 1.15.0 `utils/dataclasses.py`; DeepSpeed 0.19.8 `runtime/zero/offload_config.py`;
  LitGPT 0.5.13; torchtitan 0.2.2 `config/job_config.py`; ms-swift 3.5.0 and 4.6.0 `arguments/`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.choice import Choice, ChoiceValue
from budgetlint.catalog.choice_rows import ARGUMENTS, CHOICES
from budgetlint.rule import (
    PYTHON,
    Confidence,
    DocumentContext,
    Finding,
    Mapping,
    Rule,
    Safety,
    Setting,
    Severity,
    arguments_home,
    written_in,
)

_MOST_SHOWN = 8


def check(document: DocumentContext) -> Iterator[Finding]:
    if document.format == "llamafactory":
        from budgetlint.readers.llamafactory.v1 import is_second  # one framework's

        if is_second(document.reading.document):
            return  # the schema of LLaMA-Factory 1 has values of its own
    home, file = arguments_home(document.reading), document.reading.document
    block = file.get(home) if home else file.root
    top = block.keys() if isinstance(block, Mapping) else ()
    for choice in CHOICES.get(document.format, ARGUMENTS):
        setting = written_in(document.reading, choice.path) if choice.first in top else None
        if setting is not None and setting.known and isinstance(setting.value, str) and _is_word(setting.value):
            value = choice.find(setting.value)
            yield from _unknown(document, choice, setting) if value is None else _of_other_release(document, choice, setting, value)


def _is_word(text: str) -> bool:
    """A name: no path of a hub kernel, no list, nothing that a template or a program fills in."""
    return bool(text) and text.replace("_", "").replace("-", "").replace(".", "").isalnum()


def _unknown(document: DocumentContext, choice: Choice, setting: Setting) -> Iterator[Finding]:
    meant = choice.meant(setting.value)
    misread = any(one.origin.span == setting.origin.span for one in document.reading.misreads)
    if not meant and (choice.is_open or misread):
        return
    if choice.grows_with and document.at_least(choice.package, choice.grows_with) is not False:
        yield from _perhaps_of_a_newer(document, choice, setting, meant)
        return
    yield document.finding(
        setting,
        f"{setting.origin.key.rpartition('.')[2]} {setting.text}: {choice.told or f'no value that {choice.package} knows'}, {choice.cost}",
        help=f"did you mean {_either(meant)}?" if meant else f"write {_either(tuple(choice.values))}",
        fixes=document.set(setting, meant[0], safety=Safety.UNSAFE) if len(meant) == 1 and document.format not in PYTHON else (),
        severity=None if meant else Severity.WARNING,
        confidence=None if meant else Confidence.MEDIUM,
    )


def _perhaps_of_a_newer(document: DocumentContext, choice: Choice, setting: Setting, meant: tuple[str, ...]) -> Iterator[Finding]:
    """What the releases that were read do not have, a newer one may: a remark."""
    yield document.finding(
        setting,
        f"{setting.origin.key.rpartition('.')[2]} {setting.text}: no release of {choice.package} before {choice.grows_with} has it: "
        f"{choice.cost}",
        help=f"did you mean {_either(meant)}?" if meant else f"write {_either(tuple(choice.values))}",
        severity=Severity.INFO,
        confidence=Confidence.LOW,
    )


def _of_other_release(document: DocumentContext, choice: Choice, setting: Setting, value: ChoiceValue) -> Iterator[Finding]:
    if value.since and document.at_least(choice.package, value.since) is False:
        yield document.finding(
            setting,
            f"{setting.origin.key.rpartition('.')[2]} {setting.text}: known from {choice.package} {value.since} on, {choice.cost}",
            help=f"install {choice.package} {value.since} or newer, or write another value",
            fixes=document.advice(f"install {choice.package} {value.since} or newer"),
        )
    elif value.until and document.at_least(choice.package, value.until):
        yield document.finding(
            setting,
            f"{setting.origin.key.rpartition('.')[2]} {setting.text}: {choice.package} {value.until} took it away, {choice.cost}",
            help=f"install {choice.package} before {value.until}, or write another value",
            fixes=document.advice(f"install {choice.package} before {value.until}"),
        )


def _either(names: tuple[str, ...]) -> str:
    shown = [f"'{name}'" for name in names[:_MOST_SHOWN]]
    if len(names) > _MOST_SHOWN:
        return f"{', '.join(shown)} or one of {len(names) - _MOST_SHOWN} more"
    return f"{', '.join(shown[:-1])} or {shown[-1]}" if len(shown) > 1 else shown[0]


RULE = Rule(
    code="BL924",
    name="unknown-value",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=(*CHOICES, *PYTHON),
    flags=True,
    supersedes=("misread-value",),
    applies="values by release: transformers >= 4.41.0, LLaMA-Factory >= 0.9.0",
    harm=8.5,
)
