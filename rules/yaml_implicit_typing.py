"""A number that YAML reads otherwise than it looks: `010` is 8, `12:30` is 750.

YAML 1.1 takes a leading zero for octal and digits joined by colons for base 60.

## What it costs

A seed, a time limit or the name of a run is another one than the file says, without a word.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
run_name: 010
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 1
save_strategy: epoch
run_name: "010"
```

## Sources

- PyYAML 6.0 `resolver.py` and `constructor.py` `construct_yaml_int` (run: 010 is 8, 12:30 is 750); OmegaConf uses the same rules for
  whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base import numerals
from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Scalar, Severity, Style, loads_with, walk

_BEGINS = frozenset("+-0123456789")
"""How a number begins; most texts are told by that."""


def check(document: DocumentContext) -> Iterator[Finding]:
    if document.reading.document.format != "yaml":
        return
    for _, entry in walk(document.reading.document.root):
        node = entry.value
        if not isinstance(node, Scalar) or node.text[:1] not in _BEGINS or node.style is not Style.PLAIN or node.tag or not _odd(node.text):
            continue
        value = node.value(loads_with(document.reading))
        if isinstance(value, (int, float)) and numerals.finite(value) is not None and str(value) != _decimal(node.text):
            yield document.finding(
                entry,
                f"{entry.key.text} {node.text} is read as {value:g}: {_why(node.text)}",
                help=f'"{node.text}" in quotes where a text is meant, else {value:g}',
                fixes=document.set(entry, node.text, f'write "{node.text}" in quotes', safety=Safety.UNSAFE),
                numbers={"read_as": value},
            )


def _odd(text: str) -> bool:
    digits = text.lstrip("+-")
    if ":" in digits:
        return digits[:1] in set("0123456789")
    return digits[:1] == "0" and numerals.is_digits(digits[1:].replace("_", ""))


def _decimal(text: str) -> str:
    """``007`` is 7 in both readings."""
    return str(int(text.replace("_", ""))) if ":" not in text else ""


def _why(text: str) -> str:
    return "digits joined by colons are base 60 to YAML" if ":" in text else "a leading zero is octal to YAML"


RULE = Rule(
    code="BL617",
    name="yaml-implicit-typing",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    words=("yaml",),
    harm=5.0,
)
