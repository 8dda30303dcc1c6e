"""A misspelt flag of a script whose parser stops at flags that it does not know.

`HfArgumentParser(...).parse_args_into_dataclasses()` raises where a flag is none of its fields, unless it is asked for the remaining
strings. Told for a script of the project that does this with `TrainingArguments`, of flags that are one or two letters off a training
argument and that the script itself never mentions.

## What it costs

The run stops at start: "Some specified arguments are not used by the HfArgumentParser".

## Failing

```sh run.sh
python train.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --num_train_epochs 1 --gradient_acumulation_steps 8
```

```py train.py
from transformers import HfArgumentParser, TrainingArguments

(training_args,) = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()
```

## Passing

```sh run.sh
python train.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --num_train_epochs 1 --gradient_accumulation_steps 8
```

```py train.py
from transformers import HfArgumentParser, TrainingArguments

(training_args,) = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()
```

## Sources

- transformers 4.57.6 and 5.24.0 `hf_argparser.py` `parse_args_into_dataclasses`: ValueError for what remains.
- CPython 3.13 `argparse.py` `_get_option_tuples`: the beginning of a name stands for it.
- The fields of `TrainingArguments` from 4.36 to 5.24: the key tables of `budgetlint.catalog.vocabulary`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from budgetlint.base.expression import expression
from budgetlint.catalog.vocabulary import keys, misspelt
from budgetlint.rule import HUGGING_FACE, Confidence, DocumentContext, Finding, Rule, Severity, SourceFile, argument_entries

from ._unknown import misspelt_key

_PARSES = expression(r"\.parse_args_into_dataclasses\(\s*\)")
_LENIENT = ("return_remaining_strings", "parse_known_args", "allow_extra_keys")


def check(document: DocumentContext) -> Iterator[Finding]:
    known = keys("hf", "training_arguments")
    slips = [(entry, meant) for entry in argument_entries(document.reading) if (meant := _meant(entry.key.text, known))]
    program = document.program if slips else None
    if program is None or not _is_strict(program):
        return
    there = {entry.key.text for entry in argument_entries(document.reading)}
    for entry, meant in slips:
        if meant not in there and entry.key.text not in program.text:
            yield misspelt_key(document, entry, meant, f"{program.path.rpartition('/')[2]} stops when it reads its arguments")


@lru_cache(maxsize=4096)
def _meant(name: str, known: frozenset[str]) -> str:
    return "" if name in known or any(one.startswith(name) for one in known) else misspelt(name, known)


def _is_strict(program: SourceFile) -> bool:
    """Training arguments, parsed by the one call that stops, and by no other."""
    text = program.text
    parsed = "HfArgumentParser(" in text and "TrainingArguments" in text and _PARSES.search(text) is not None
    return parsed and not any(word in text for word in _LENIENT)


RULE = Rule(
    code="BL925",
    name="unknown-flag",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=HUGGING_FACE,
    flags=True,
    harm=8.0,
)
