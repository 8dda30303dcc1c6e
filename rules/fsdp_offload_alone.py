"""`fsdp` names an offload without a strategy, or two strategies.

## What it costs

transformers before 5.10.0 stops when the arguments are read: "`--fsdp offload` can't work on its own", "`--fsdp full_shard` is not
compatible with `--fsdp shard_grad_op`". Newer ones shard fully, and take the first of two strategies.

## Failing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
save_strategy: epoch
learning_rate: 0.00002
fsdp: offload
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
num_train_epochs: 1
save_strategy: epoch
learning_rate: 0.00002
fsdp: full_shard offload auto_wrap
```

## Sources

- transformers 5.9.0, 5.0.0 and 4.57.6 `training_args.py` `_process_fsdp_args`; 5.10.0 `_apply_legacy_fsdp_to_config`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, DocumentContext, Finding, Rule, Safety, Severity, written_in

from ._fsdp import SECOND_BY_DEFAULT, option_words


def check(document: DocumentContext) -> Iterator[Finding]:
    options, newer = written_in(document.reading, "fsdp"), document.at_least("transformers", SECOND_BY_DEFAULT)
    words = option_words(options)
    alone, both = words == ("offload",), {"full_shard", "shard_grad_op"} <= set(words)
    if options is None or newer or not (alone or both):
        return
    what = "offload without a sharding strategy" if alone else "two sharding strategies, full_shard and shard_grad_op"
    where = "the Trainer stops" if newer is False else f"transformers before {SECOND_BY_DEFAULT} stops"
    yield document.finding(
        options,
        f"fsdp names {what}: {where} when the arguments are read",
        help="full_shard offload auto_wrap" if alone else "keep one",
        fixes=document.set(options, "full_shard offload auto_wrap", safety=Safety.UNSAFE) if alone and options.text else (),
        severity=None if newer is False else Severity.WARNING,
        confidence=None if newer is False else Confidence.MEDIUM,
    )


RULE = Rule(
    "BL527",
    "fsdp-offload-alone",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=TRAINING_ARGUMENTS,
    applies="transformers < 5.10.0",
    flags=True,
    words=("fsdp",),
    harm=2.5,
)
