"""A key that the framework does not know: misspelt, or in the wrong place.

DeepSpeed's top level, axolotl and torchtune's recipes ignore what they do not know, so a slip means the default; PEFT ignores it
with a warning. DeepSpeed's sections, accelerate's top level, the Hugging Face argument parsers, LitGPT, torchtitan (from 0.2 on) and
ms-swift refuse it. Programs around the Trainer have arguments of their own, so there only a slip of one or two letters is told; of flags
only those of programs that are known (`trl`, `llamafactory-cli`, `swift`, the examples of transformers), whose parsers stop.

A key at the top of a DeepSpeed file that a program of the project asks for by name (`ds_config.get("precision")`) is that program's own.

For axolotl, LLaMA-Factory, LitGPT, torchtitan and ms-swift a key that an older release took is told too, with the release that
dropped it and its name of today, where the framework's version is known (`stack`, a requirements file).

## What it costs

Ignored: the run goes on with the default (one gradient accumulation step instead of 8). Refused: it stops at start.

## Failing

```json ds.json
{"zero_optimization": {"stage": 2}, "gradient_acumulation_steps": 8, "train_micro_batch_size_per_gpu": 1}
```

## Passing

```json ds.json
{"zero_optimization": {"stage": 2}, "gradient_accumulation_steps": 8, "train_micro_batch_size_per_gpu": 1}
```

## Sources

- The key tables of `budgetlint.catalog.vocabulary`, generated from transformers 4.36 to 5.24, TRL 0.11 to 1.16, accelerate 0.30 to
  1.15, LLaMA-Factory 0.9, axolotl 0.6 to 0.19, DeepSpeed 0.14 and 0.19, LitGPT 0.2 to 0.5, torchtitan 0.1 and 0.2, ms-swift 1.7 to 4.6,
  PEFT 0.1 to 0.21, torchtune 0.1 to 0.6.
- DeepSpeed 0.19.8 `runtime/config_utils.py`: sections are pydantic models with `extra="forbid"`, the top level is read key by key.
- axolotl 0.19.0 `utils/schemas/config.py`: unknown keys are dropped.
- LLaMA-Factory 0.9.4 `hparams/parser.py` `_parse_args` and TRL 1.16.0 `scripts/utils.py` `parse_args_and_config`: flags that nobody takes
  end the run. CPython 3.13 `argparse.py` `_get_option_tuples`: the beginning of a name stands for it.
- LitGPT 0.5.13 `__main__.py` (jsonargparse), torchtitan 0.2.2 `config/manager.py` ("Invalid field names"), ms-swift 4.6.0
  `pipelines/base.py` ("remaining_argv"), PEFT 0.21.2 `config.py` ("Unexpected keyword arguments"), torchtune 0.6.1 `recipes/*.py`
  (`cfg.get`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cache

from budgetlint.base.record import record
from budgetlint.catalog.vocabulary import gone, keys, misspelt
from budgetlint.rule import PYTHON, TRAINING_ARGUMENTS, Confidence, DocumentContext, Finding, Rule, Severity, argument_entries

SECTIONED = ("litgpt", "torchtitan", "ms_swift", "peft_adapter_config", "torchtune")
"""Formats of `_unknown_sections.VOCABULARIES`."""


def check(document: DocumentContext) -> Iterator[Finding]:
    yield from _CHECKS[document.format](document)


def _deepspeed(document: DocumentContext) -> Iterable[Finding]:
    from ._unknown_deepspeed import check_deepspeed  # here and below: a file has one format, and few keys are not known

    return check_deepspeed(document)


def _accelerate(document: DocumentContext) -> Iterable[Finding]:
    from ._unknown_accelerate import check_accelerate

    return check_accelerate(document)


def _sectioned(document: DocumentContext) -> Iterable[Finding]:
    from ._unknown_sections import check_sections

    return check_sections(document)


def _axolotl(document: DocumentContext) -> Iterator[Finding]:
    """Many unknown keys are those of older releases or of plugins: only slips are told."""
    yield from _slips(document, *_of_axolotl(), "axolotl ignores it")
    yield from _older(document, "axolotl", _gone_from_axolotl())


@cache
def _of_axolotl() -> tuple[frozenset[str], frozenset[str]]:
    taken = keys("axolotl", "top", "plugins")
    return taken, taken | keys("axolotl", "asked")


def _trainer(document: DocumentContext) -> Iterator[Finding]:
    own = document.format == "llamafactory"
    if own and document.entry("finetuning_type") is None and document.entry("stage") is None:
        return  # the second schema (llamafactory.v1) has names of its own
    wanted, known = _of_trainers(own)
    if document.reading.document.is_command:
        yield from _slips(document, wanted, _Abbreviated(known), "the argument parser stops")
        return
    cost = "the argument parser stops, or a script of your own leaves the default"
    yield from _slips(document, wanted, known, cost, Severity.WARNING, Confidence.MEDIUM)
    if own:
        yield from _older(document, "llamafactory", gone("llamafactory", "hparams"), keys("hf", "training_arguments"))


@cache
def _of_trainers(llamafactory: bool) -> tuple[frozenset[str], frozenset[str]]:
    """The keys that are meant, and those that somebody takes."""
    trainer, hparams = keys("hf", "training_arguments", "trl"), keys("llamafactory", "hparams")
    wanted = keys("hf", "training_arguments") | hparams if llamafactory else trainer
    return wanted, trainer | hparams | keys("hf", "trl_script")


@record
class _Abbreviated:
    """Flags: argparse takes the beginning of a name for the name."""

    known: frozenset[str]

    def __contains__(self, name: object) -> bool:
        return name in self.known or any(one.startswith(str(name)) for one in self.known)


@cache
def _gone_from_axolotl() -> Mapping[str, str]:
    """Fields that no schema has any more and no code asks for."""
    current = {name for group in ("asked", "plugins") for name in keys("axolotl", group) - gone("axolotl", group).keys()}
    return {name: release for name, release in gone("axolotl", "top").items() if name not in current}


def _older(document: DocumentContext, package: str, gone: Mapping[str, str], known: Container[str] = ()) -> Iterator[Finding]:
    """Keys of older releases, where a newer one runs."""
    found = argument_entries(document.reading)
    for entry in found:
        since = gone.get(entry.key.text)
        if since and entry.key.text not in known and document.at_least(package, since):
            from ._unknown_dropped import dropped_key

            yield dropped_key(document, entry, package, since, there={other.key.text for other in found})


def _slips(
    document: DocumentContext,
    wanted: frozenset[str],
    known: Container[str],
    cost: str,
    severity: Severity | None = None,
    confidence: Confidence | None = None,
) -> Iterator[Finding]:
    """Unknown keys near a wanted one that does not stand in the file itself."""
    there = {entry.key.text for entry in argument_entries(document.reading)}
    for entry in argument_entries(document.reading):
        meant = "" if entry.key.text in known else misspelt(entry.key.text, wanted)
        if meant and meant not in there:
            from ._unknown import misspelt_key

            yield misspelt_key(document, entry, meant, cost, severity, confidence)


_CHECKS: dict[str, Callable[[DocumentContext], Iterable[Finding]]] = {
    "deepspeed": _deepspeed,
    "accelerate": _accelerate,
    "axolotl": _axolotl,
    **dict.fromkeys(SECTIONED, _sectioned),
    **dict.fromkeys((name for name in TRAINING_ARGUMENTS if name not in ("open_instruct", *PYTHON)), _trainer),
}

RULE = Rule(
    code="BL920",
    name="unknown-key",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=tuple(_CHECKS),
    flags=True,
    aliases=("ds-typo-key", "axolotl-unknown-key", "torchtune-unknown-key"),
    harm=13.8,
)
