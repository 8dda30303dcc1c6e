"""A JSON file with something that JSON does not have: a comment, a trailing comma, text without quotes.

DeepSpeed reads its file with hjson, which takes all of it. The Trainer and accelerate read the same file with `json.load`
first: told of a DeepSpeed file where an `"auto"` says that they read it. Everything else that reads JSON here does so, too.

## What it costs

The run stops at start with a JSONDecodeError.

## Failing

```json ds.json
{
  // stage 2 for the small card
  "zero_optimization": {"stage": 2},
  "train_micro_batch_size_per_gpu": "auto"
}
```

## Passing

```json ds.json
{
  "zero_optimization": {"stage": 2},
  "train_micro_batch_size_per_gpu": "auto"
}
```

## Sources

- DeepSpeed 0.14.0, 0.17.4, 0.19.8 `runtime/config.py` `hjson.load`; accelerate 1.15.0 `utils/deepspeed.py` HfDeepSpeedConfig `json.load`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Scalar, Severity, walk


def check(document: DocumentContext) -> Iterator[Finding]:
    file = document.reading.document
    if file.format != "json" or not file.leniencies or (document.format == "deepspeed" and not _filled_in(document)):
        return
    first, count = file.leniencies[0], len(file.leniencies)
    more = f" and {count - 1} more like it" if count > 1 else ""
    who = "the Trainer and accelerate stop" if document.format == "deepspeed" else "json.load stops"
    yield document.finding(
        first.location,
        f"{first.message}{more} is no JSON: {who} at start",
        help=first.cure.partition(" where")[0],
        value=first.kind,
    )


def _filled_in(document: DocumentContext) -> bool:
    """``"auto"`` says that the Trainer or accelerate reads the file."""
    return any(isinstance(entry.value, Scalar) and entry.value.text == "auto" for _, entry in walk(document.reading.document.root))


RULE = Rule(
    code="BL923",
    name="json-comment-or-comma",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    words=("json",),
    harm=6.5,
)
