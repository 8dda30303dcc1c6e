"""A number with an exponent that the file's loader reads as text.

PyYAML takes `2e-5`, `1e5` and even `1.0e5` for text: it wants a point and a signed exponent (`2.0e-5`). Who converts the text
later decides whether that matters. HfArgumentParser does not. TRL's parser (argparse) does for its own fields, not inside
`lr_scheduler_kwargs`. axolotl (pydantic) does. OmegaConf (LLaMA-Factory from 0.9.4, torchtune) reads a number at once.

## What it costs

The run stops: `warmup_ratio` when the arguments are made, `learning_rate` and `weight_decay` when the optimizer compares them
("'<=' not supported between instances of 'float' and 'str'"), after the model has been loaded.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
num_train_epochs: 1
save_strategy: epoch
learning_rate: 2e-5
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
num_train_epochs: 1
save_strategy: epoch
learning_rate: 2.0e-5
```

## Sources

- PyYAML 6.0 `resolver.py` (run); transformers 5.24.0 `hf_argparser.py` `parse_yaml_file`, `parse_dict`: no conversion.
- TRL 1.16.0 `scripts/utils.py` `set_defaults_with_config`: texts become argparse defaults, which are converted; blocks are not.
- LLaMA-Factory 0.9.3 and 0.9.4 `hparams/parser.py`; accelerate 1.15.0 `utils/dataclasses.py` `int(os.environ[...])`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base import numerals
from budgetlint.base.source import SpanIn
from budgetlint.rule import (
    PYTHON,
    Confidence,
    DocumentContext,
    Entry,
    Finding,
    Loader,
    Mapping,
    Rule,
    Safety,
    Scalar,
    Severity,
    Span,
    Style,
    argument_entries,
    arguments_home,
)

FLOATS = frozenset({
    "learning_rate", "weight_decay", "adam_beta1", "adam_beta2", "adam_epsilon", "max_grad_norm", "num_train_epochs",
    "warmup_ratio", "warmup_steps", "eval_steps", "save_steps", "logging_steps", "label_smoothing_factor", "neftune_noise_alpha",
    "eval_delay",
})  # fmt: skip
"""Fields that TrainingArguments computes with as they come."""

COUNTS = frozenset({
    "max_steps", "per_device_train_batch_size", "per_device_eval_batch_size", "gradient_accumulation_steps",
    "eval_accumulation_steps", "seed", "save_total_limit", "max_length", "max_prompt_length", "max_completion_length",
    "num_generations",
})  # fmt: skip
"""Fields of type int: argparse refuses the text."""

BLOCKS = ("lr_scheduler_kwargs",)
CONVERTED = frozenset(("num_cycles",))
"""Numbers of ``lr_scheduler_kwargs`` that the schedules take through ``float()`` (transformers 4.46.0 and 5.2.0 ``optimization.py``; but
``cosine_warmup_with_min_lr``, which is rare)."""
ACCELERATE = ("fsdp_min_num_params", "min_num_params")


def check(document: DocumentContext) -> Iterator[Finding]:
    if document.reading.document.format not in ("yaml", "python"):
        return
    yield from _CHECKS[document.format](document)


def _plain(document: DocumentContext) -> Iterator[Finding]:
    """A nested section is read by a script of its own, which may convert."""
    sure = not arguments_home(document.reading)
    for entry in _texts(document, argument_entries(document.reading)):
        if entry.key.text in FLOATS | COUNTS:
            yield _finding(document, entry, "the run stops when it is first compared with a number", sure)
    yield from _blocks(document, sure)


def _trl(document: DocumentContext) -> Iterator[Finding]:
    for entry in _texts(document, argument_entries(document.reading)):
        if entry.key.text in COUNTS:
            yield _finding(document, entry, "the argument parser stops, for a whole number is no float text", True)
    yield from _blocks(document, True)


def _llamafactory(document: DocumentContext) -> Iterator[Finding]:
    if document.at_least("llamafactory", "0.9.4") is False:
        yield from _plain(document)


def _accelerate(document: DocumentContext) -> Iterator[Finding]:
    section = document.node("fsdp_config")
    for entry in _texts(document, section.entries) if isinstance(section, Mapping) else ():
        if entry.key.text in ACCELERATE:
            yield _finding(document, entry, "accelerate stops at int() of it", True)


def _followed(document: DocumentContext) -> Iterator[Finding]:
    """Arguments of a program that reads a file: what arrives there as the text that PyYAML makes of the file's number."""
    for entry in argument_entries(document.reading):
        node = entry.value
        if entry.key.text not in FLOATS | COUNTS or not isinstance(node, Scalar) or not isinstance(node.span, SpanIn):
            continue
        written = node.span.source.text[node.span.start : node.span.end]
        if node.style is Style.QUOTED and written == node.text and "e" in written.lower() and _meant(written) is not None:
            yield _finding(document, entry, "the run stops when it is first compared with a number", True)


def _blocks(document: DocumentContext, sure: bool) -> Iterator[Finding]:
    for entry in argument_entries(document.reading):
        if entry.key.text in BLOCKS and isinstance(entry.value, Mapping):
            for inner in (one for one in _texts(document, entry.value.entries) if one.key.text not in CONVERTED):
                yield _finding(document, inner, f"inside {entry.key.text} nobody converts it, so the scheduler stops", sure)


def _texts(document: DocumentContext, candidates: tuple[Entry, ...]) -> Iterator[Entry]:
    """Plain scalars that mean a number and are text to PyYAML."""
    told = {one.origin.span for one in document.reading.misreads}
    for entry in candidates:
        node = entry.value
        if not isinstance(node, Scalar) or node.style is not Style.PLAIN or "e" not in node.text.lower() or node.tag:
            continue
        if isinstance(node.value(Loader.PYYAML), str) and (_meant(node.text) is not None or _is_untold(node, told)):
            yield entry


def _is_untold(node: Scalar, told: set[Span | None]) -> bool:
    """``1e400``, where the reader has not said yet that it is no finite number."""
    return node.span not in told and numerals.is_endless(node.text)


_meant = numerals.real


def _finding(document: DocumentContext, entry: Entry, cost: str, sure: bool) -> Finding:
    assert isinstance(entry.value, Scalar)
    text, number = entry.value.text, _meant(entry.value.text)
    whole = number is not None and number == int(number) and entry.key.text in (*COUNTS, *ACCELERATE)
    value = int(number) if whole and number is not None else number
    cure = document.set(entry, value, "write the number so that PyYAML reads it", safety=Safety.SAFE) if number is not None else ()
    return document.finding(
        entry,
        f"{entry.key.text} {text} is text to PyYAML, not a number: {cost}",
        help=_help(text, value, whole),
        fixes=cure,
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


def _help(text: str, value: float | None, whole: bool) -> str:
    if value is None:
        return "write a finite number"
    return str(value) if whole else f"write it with a point and a sign, as {_spelled(text)}"


def _spelled(text: str) -> str:
    """``2e-5`` as ``2.0e-5``, ``1e5`` as ``1.0e+5``."""
    mantissa, _, power = text.lower().partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{power if power[:1] in '+-' else '+' + power}"


_CHECKS = {
    "hf_training_arguments": _plain,
    "trl": _trl,
    "alignment_handbook": _trl,
    "llamafactory": _llamafactory,
    "accelerate": _accelerate,
    **dict.fromkeys(PYTHON, _followed),
}

RULE = Rule(
    code="BL921",
    name="yaml-float-as-string",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=tuple(_CHECKS),
    applies="LLaMA-Factory: < 0.9.4; others: all versions",
    aliases=("yaml-exp-float-string",),
    words=("yaml", "python"),
    harm=13.5,
    stops=True,
)
