"""A dataset `type` of axolotl that is one of its own with a letter or two wrong.

A type names a prompt strategy of axolotl, or a module of one's own; the latter is not told, only names that are a slip away from axolotl's.

## What it costs

axolotl stops after the model's config, the tokenizer and the data have been loaded: "unhandled prompt tokenization strategy".

## Failing

```sh run.sh
axolotl train config.yml
```

```yaml config.yml
base_model: meta-llama/Llama-3.1-8B
datasets:
  - path: tatsu-lab/alpaca
    type: alpacca
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
learning_rate: 0.0002
```

## Passing

```sh run.sh
axolotl train config.yml
```

```yaml config.yml
base_model: meta-llama/Llama-3.1-8B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 1
num_epochs: 1
learning_rate: 0.0002
```

## Sources

- axolotl 0.19.0 `utils/data/wrappers.py` `get_dataset_wrapper`, `handle_unknown_dataset_strategy`, DATASET_HANDLERS;
  `prompt_strategies/__init__.py` `load`; the modules of `prompt_strategies/`. `sharegpt` and its kin were types until 0.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.vocabulary import misspelt
from budgetlint.rule import Confidence, DocumentContext, Finding, Mapping, Rule, Scalar, Sequence, Severity, argument_entries

_WORDS = (
    "alpaca alpaca_chat alpaca_instruct alpaca_w_system chat_template completion context_qa creative_acr input_output llama2_chat metharme "
    "orcamini pretrain pygmalion stepwise_supervised user_defined bradley_terry explainchoice concisechoice summarizetldr jeopardy oasst "
    "gpteacher reflection sharegpt"
)
TYPES = frozenset(_WORDS.split())
"""First parts of the types."""


def check(document: DocumentContext) -> Iterator[Finding]:
    for entry in argument_entries(document.reading):
        if entry.key.text not in ("datasets", "test_datasets") or not isinstance(entry.value, Sequence):
            continue
        for item in entry.value.items:
            yield from _of_dataset(document, item)


def _of_dataset(document: DocumentContext, item: object) -> Iterator[Finding]:
    for one in item.entries if isinstance(item, Mapping) else ():
        if one.key.text != "type" or not isinstance(one.value, Scalar):
            continue
        first = one.value.text.partition(":")[0].partition(".")[0]
        meant = misspelt(first, TYPES) if first not in TYPES and first.replace("_", "").isalpha() else ""
        if meant:
            yield document.finding(
                one.value,
                f"type {one.value.text} is no prompt strategy of axolotl: it stops when the data are prepared",
                help=f"did you mean '{meant}{one.value.text[len(first) :]}'?",
                key="type",
            )


RULE = Rule(
    code="BL653",
    name="dataset-type-misspelt",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("axolotl",),
    words=("datasets",),
    harm=6.0,
)
