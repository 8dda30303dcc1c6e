"""The best checkpoint is chosen in the wrong direction.

Without `greater_is_better`, the Trainer takes every metric for a score unless its name ends in `loss`. Perplexity, word error
rate, mean errors and their like are better when smaller.

## What it costs

`load_best_model_at_end` loads the worst checkpoint, and `save_total_limit` deletes the good ones.

## Failing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
eval_strategy: epoch
save_strategy: epoch
load_best_model_at_end: true
metric_for_best_model: perplexity
```

## Passing

```yaml train.yaml
per_device_train_batch_size: 4
learning_rate: 0.00002
num_train_epochs: 3
eval_strategy: epoch
save_strategy: epoch
load_best_model_at_end: true
metric_for_best_model: perplexity
greater_is_better: false
```

## Sources

- transformers 5.24.0 and 4.57.6 `training_args.py`: `greater_is_better = not metric_for_best_model.endswith("loss")`.
- huggingface/transformers#31142: a run of 7 hours kept its worst model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.rule import TRAINERS_AND_AXOLOTL, Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_off, is_on, written_in

from ._flags import may_be_elsewhere

SMALLER = re.compile(
    r"(?:^|[_/])(?:perplexity|ppl|wer|cer|ter|mer|wil|eer|mae|mse|rmse|mape|error|error_rate|err|fid|nll|bpb|bpc|[a-z_]*loss)$"
)
LARGER = re.compile(
    r"(?:^|[_/])(?:accuracy|acc|f1|bleu|sacrebleu|rouge[12l]|rougelsum|rouge-[12l]|precision|recall|auc|mcc|matthews_correlation)$"
)


def check(document: DocumentContext) -> Iterator[Finding]:
    metric, told = written_in(document.reading, "metric_for_best_model"), written_in(document.reading, "greater_is_better")
    if metric is None or not metric.known or not _chooses(document):
        return
    name = str(metric.value).lower()[-200:]  # their ends are compared
    smaller, larger = bool(SMALLER.search(name)) and "neg" not in name, bool(LARGER.search(name))
    if smaller and told is None and not name.endswith("loss") and not may_be_elsewhere(document):
        yield document.finding(
            metric,
            f"metric_for_best_model {metric.text} without greater_is_better counts as a score: "
            f"the checkpoint with the highest {metric.text} is kept",
            help="greater_is_better: false",
            fixes=() if _is_command(document) else document.insert_after(metric, "greater_is_better", False, safety=Safety.UNSAFE),
        )
    elif told is not None and ((smaller and is_on(told)) or (larger and is_off(told))):
        kept = "highest" if smaller else "lowest"
        yield document.finding(
            told,
            f"greater_is_better {told.text} for {metric.text}: the checkpoint with the {kept} {metric.text} is kept",
            help=f"greater_is_better: {'false' if smaller else 'true'}",
            because=[metric],
            fixes=() if _is_command(document) else document.set(told, not smaller, safety=Safety.UNSAFE),
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
        )


def _is_command(document: DocumentContext) -> bool:
    return document.reading.document.is_command


def _chooses(document: DocumentContext) -> bool:
    """What is best decides what is loaded, what is saved, or what is deleted."""
    saves, kept = written_in(document.reading, "save_strategy"), written_in(document.reading, "save_total_limit")
    limited = kept is not None and kept.known and kept.value is not None
    return is_on(written_in(document.reading, "load_best_model_at_end")) or limited or (saves is not None and saves.value == "best")


RULE = Rule(
    code="BL605",
    name="best-metric-direction",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=TRAINERS_AND_AXOLOTL,
    flags=True,
    words=("metric_for_best_model",),
    harm=13.0,
)
