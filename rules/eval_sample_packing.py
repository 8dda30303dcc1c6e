"""axolotl's evaluation tables together with packed evaluation samples.

With `sample_packing`, evaluation is packed too unless `eval_sample_packing: false` says otherwise.

## What it costs

The run stops when the config is read: "eval_table_size and eval_sample_packing are not supported together with sample_packing".

## Failing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
val_set_size: 0.05
sequence_len: 4096
micro_batch_size: 2
learning_rate: 0.00002
flash_attention: true
sample_packing: true
eval_table_size: 5
```

## Passing

```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-1.5B
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
val_set_size: 0.05
sequence_len: 4096
micro_batch_size: 2
learning_rate: 0.00002
flash_attention: true
sample_packing: true
eval_sample_packing: false
eval_table_size: 5
```

## Sources

- axolotl 0.8.0, 0.12.2, 0.18.0 and 0.19.0 `utils/schemas/` `check_eval_packing`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Fix, Rule, Safety, Setting, Severity, is_off, is_on, number_of, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    packing, evaluation = written_in(document.reading, "sample_packing"), written_in(document.reading, "eval_sample_packing")
    table = written_in(document.reading, "eval_table_size")
    if packing is None or table is None or not is_on(packing) or not number_of(table) or is_off(evaluation):
        return
    if evaluation is not None and not evaluation.known:
        return
    yield document.finding(
        table,
        f"eval_table_size {table.text} with packed evaluation: axolotl stops when it reads the file",
        help="eval_sample_packing: false",
        because=[packing, *([evaluation] if evaluation else [])],
        fixes=_cure(document, packing, evaluation),
    )


def _cure(document: DocumentContext, packing: Setting, evaluation: Setting | None) -> tuple[Fix, ...]:
    if evaluation is not None:
        return document.set(evaluation, False, safety=Safety.UNSAFE)
    return document.insert_after(packing, "eval_sample_packing", False, safety=Safety.UNSAFE)


RULE = Rule(
    "BL713",
    "eval-sample-packing",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("axolotl",),
    words=("eval_table_size",),
    harm=6.5,
)
