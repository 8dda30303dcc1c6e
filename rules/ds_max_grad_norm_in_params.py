"""`max_grad_norm` among the optimizer's parameters of a DeepSpeed file.

## What it costs

The engine stops at start: "'max_grad_norm' is not supported as an optimizer parameter". Clipping is `gradient_clipping`, at the top. A
program that hands over an optimizer of its own (Megatron-DeepSpeed) never builds this one; the file alone does not tell.

## Failing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2},
 "optimizer": {"type": "AdamW", "params": {"lr": 0.0001, "max_grad_norm": 1.0}}}
```

## Passing

```json ds.json
{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}, "gradient_clipping": 1.0,
 "optimizer": {"type": "AdamW", "params": {"lr": 0.0001}}}
```

## Sources

- DeepSpeed 0.18.6 and 0.19.3 `runtime/engine.py` `_configure_basic_optimizer`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, number_of, written_in


def check(document: DocumentContext) -> Iterator[Finding]:
    norm, clipping = written_in(document.reading, "optimizer.params.max_grad_norm"), written_in(document.reading, "gradient_clipping")
    if norm is None:
        return
    same = number_of(norm) is not None and number_of(norm) == number_of(clipping)
    yield document.finding(
        norm,
        f"max_grad_norm {norm.text} among the optimizer's parameters: DeepSpeed stops when it builds the optimizer "
        "(unless the program brings its own)",
        help="delete it: gradient_clipping says the same" if same else f'delete it and write "gradient_clipping": {norm.text} at the top',
        because=[clipping] if clipping else (),
        fixes=document.delete(norm, safety=Safety.SAFE if same else Safety.UNSAFE) if clipping else (),
    )


RULE = Rule(
    code="BL325",
    name="ds-max-grad-norm-in-params",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="safe",
    formats=("deepspeed",),
    harm=4.6,
)
