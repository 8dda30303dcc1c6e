"""`metric_for_best_model` names what the program's `compute_metrics` does not give.

Told of `Trainer` and `Seq2SeqTrainer` of transformers, where the function is the program's own and gives nothing but dicts whose keys stand
in its text, and where the trainer evaluates while it trains. `eval_` before a name is as good as none, and the names that the trainer adds
itself (`loss`, `runtime`, ...) are there. A name that ends with one of these may be that of one of several evaluation sets.

## What it costs

The run stops with a KeyError after its first evaluation: hours after it was started, where it evaluates once an epoch.

## Failing

```py train.py
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


def scores(prediction):
    return {"accuracy": (prediction.predictions.argmax(-1) == prediction.label_ids).mean()}


model = AutoModelForSequenceClassification.from_pretrained("FacebookAI/roberta-base")
arguments = TrainingArguments(
    output_dir="out", eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True, metric_for_best_model="f1"
)
Trainer(model=model, args=arguments, train_dataset=rows, eval_dataset=held, compute_metrics=scores).train()
```

## Passing

```py train.py
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


def scores(prediction):
    return {"accuracy": (prediction.predictions.argmax(-1) == prediction.label_ids).mean()}


model = AutoModelForSequenceClassification.from_pretrained("FacebookAI/roberta-base")
arguments = TrainingArguments(
    output_dir="out", eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True, metric_for_best_model="accuracy"
)
Trainer(model=model, args=arguments, train_dataset=rows, eval_dataset=held, compute_metrics=scores).train()
```

## Sources

- transformers 4.57.6 `trainer.py` `_determine_best_metric`: KeyError "which is not found in the evaluation metrics"; `_evaluate`.
- transformers 4.57.6 `trainer.py` `evaluation_loop`: `eval_` goes before each name of `compute_metrics`, and `eval_loss` beside them.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity


def check(run: RunContext) -> Iterator[Finding]:
    program = run.program
    for one in program.unmade_metrics if program is not None else ():
        yield run.finding(
            one.location,
            f"metric_for_best_model {one.name}: the program's compute_metrics gives {', '.join(one.made)} "
            f"({one.made_at.file}:{one.made_at.line}): the run stops after its first evaluation",
            help=f"did you mean '{one.near}'?" if one.near else "name one of these, or give it there",
            related=[(one.made_at, "the metrics")],
            key=one.name,
        )


RULE = Rule(
    code="BL646",
    name="metric-not-computed",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=9.0,
)
