"""A number in quotes inside `lr_scheduler_kwargs` stays text.

In a YAML or JSON file the block is taken as it is. Given as one JSON text (a flag, a quoted value), whole numbers, plain decimals and
true or false are converted, but nothing with an exponent or a sign.

## What it costs

The scheduler computes with the text: the run stops when it is built, after the model has been loaded.

## Failing

```sh run.sh
python run_clm.py --model_name_or_path gpt2 --output_dir out --per_device_train_batch_size 8 \\
  --lr_scheduler_type cosine_with_min_lr --lr_scheduler_kwargs '{"min_lr": "1e-6"}'
```

## Passing

```sh run.sh
python run_clm.py --model_name_or_path gpt2 --output_dir out --per_device_train_batch_size 8 \\
  --lr_scheduler_type cosine_with_min_lr --lr_scheduler_kwargs '{"min_lr": 1e-6}'
```

## Sources

- transformers 4.41.0 to 5.24.0 `training_args.py` `_convert_str_dict`: `isdigit()`, with one point at most (run: "1e-6" stays text, "3"
  does not); a value that is no text is left alone. 4.46.0 and 5.2.0 `optimization.py`: `float(num_cycles)`, so this one may be text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from budgetlint.base import numerals
from budgetlint.rule import (
    TRAINERS,
    Confidence,
    DocumentContext,
    Finding,
    Mapping,
    Rule,
    Safety,
    Scalar,
    Setting,
    Severity,
    Style,
    written_in,
)

from .yaml_float_as_string import CONVERTED

KEY = "lr_scheduler_kwargs"


def check(document: DocumentContext) -> Iterator[Finding]:
    block = written_in(document.reading, KEY)
    if block is not None and isinstance(block.value, Mapping):
        yield from _in_block(document, block.value)
    elif block is not None and isinstance(block.value, str):
        yield from _in_text(document, block)


def _in_block(document: DocumentContext, block: Mapping) -> Iterator[Finding]:
    """The block of a flag was JSON text."""
    flag = document.reading.document.is_command
    for entry in block.entries:
        if not isinstance(entry.value, Scalar) or entry.value.style is Style.PLAIN or (flag and _converted(entry.value.text)):
            continue
        if _number(entry.value.text) is not None and entry.key.text not in CONVERTED:
            yield document.finding(
                entry,
                f"{entry.key.text} inside {KEY} is the text '{entry.value.text}', not a number: the scheduler stops when it is built",
                help="write the number without quotes, and with a point where it has an exponent (1.0e-6)",
                fixes=() if flag else document.set(entry, _number(entry.value.text), safety=Safety.SAFE),
            )


def _in_text(document: DocumentContext, setting: Setting) -> Iterator[Finding]:
    for name, value in _loaded(setting.value).items():
        if isinstance(value, str) and name not in CONVERTED and _number(value) is not None and not _converted(value):
            yield document.finding(
                setting,
                f'{KEY} holds "{name}": "{value}", which stays text: the scheduler stops when it is built',
                help=f'"{name}": {value}, without quotes',
            )


def _loaded(text: str) -> dict[str, object]:
    try:
        loaded = json.loads(text)
    except ValueError:
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _converted(text: str) -> bool:
    return numerals.is_digits(text.replace(".", "", 1))


def _number(text: str) -> int | float | None:
    return int(text) if numerals.is_digits(text) else numerals.real(text)


RULE = Rule(
    code="BL615",
    name="dict-arg-number-as-string",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=TRAINERS,
    flags=True,
    words=(KEY,),
    harm=5.5,
)
