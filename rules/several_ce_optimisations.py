"""Several optimised cross entropies in one axolotl file.

## What it costs

The run stops when the config is read: "Only one cross entropy optimization can be enabled at a time".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.00002
plugins:
  - axolotl.integrations.liger.LigerPlugin
  - axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin
liger_fused_linear_cross_entropy: true
cut_cross_entropy: true
```

```budget
stack axolotl@0.19
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 2
learning_rate: 0.00002
plugins:
  - axolotl.integrations.liger.LigerPlugin
liger_fused_linear_cross_entropy: true
```

```budget
stack axolotl@0.19
```

## Sources

- axolotl 0.15.0, 0.18.0 and 0.19.0 `utils/schemas/validation.py` `check_cross_entropy_conflicts`; 0.12.2 has no such check.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Severity, is_on, written_in

KEYS = ("cut_cross_entropy", "chunked_cross_entropy", "liger_cross_entropy", "liger_fused_linear_cross_entropy")
SINCE = "0.15.0"


def check(document: DocumentContext) -> Iterator[Finding]:
    found = [setting for setting in (written_in(document.reading, key) for key in KEYS) if setting is not None and is_on(setting)]
    newer = document.at_least("axolotl", SINCE)
    if len(found) < 2 or newer is False:
        return
    since = "" if newer else f" from {SINCE} on"
    yield document.finding(
        found[1],
        f"{' and '.join(one.name for one in found)} are all on: axolotl stops when it reads the file{since}",
        help="leave one of them on",
        because=found,
        numbers={"optimisations": len(found)},
        severity=None if newer else Severity.WARNING,
        confidence=None if newer else Confidence.MEDIUM,
    )


RULE = Rule(
    "BL720",
    "several-ce-optimisations",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("axolotl",),
    applies="axolotl >= 0.15",
    words=KEYS,
    harm=2.5,
)
