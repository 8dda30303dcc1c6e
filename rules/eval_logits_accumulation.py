"""`compute_metrics` without `preprocess_logits_for_metrics` or `eval_accumulation_steps` keeps every logit of the evaluation on the GPU.

The Trainer joins the predictions of all evaluation batches on the device and moves them at the end. For a language model that is a
vector of vocabulary size for every token.

## What it costs

Tokens x vocabulary x 4 bytes: 1.2 GiB for each sequence of 2,048 tokens and a vocabulary of 151,936. Training runs well until the
first evaluation dies.

## Failing

```python train.py
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, eval_strategy="epoch", learning_rate=1e-5, bf16=True)
trainer = Trainer(model=model, args=args, train_dataset=train, eval_dataset=test, compute_metrics=accuracy)
```

## Passing

```python train.py
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, eval_strategy="epoch", learning_rate=1e-5, bf16=True)
trainer = Trainer(
    model=model, args=args, train_dataset=train, eval_dataset=test, compute_metrics=accuracy, preprocess_logits_for_metrics=best_token
)
```

## When it is meant

Classifiers, whose logits are a few numbers; they are left alone.

## Sources

- huggingface/transformers#7232: 469,530 samples of 9,997 scores, 17.5 GiB.
- transformers 5.24.0 and 4.57.6 `trainer.py` `evaluation_loop`: `all_preds.add(logits)`, to the host only every
  `eval_accumulation_steps`; `evaluate`: only the loss is kept where there is no `compute_metrics`.
- transformers 5.24.0 and 4.57.6 `trainer_seq2seq.py` `prediction_step`: with `predict_with_generate` the predictions are the generated
  token ids; the logits of a batch go into its loss and are freed.
- huggingface/transformers#7232, #8476, #25313: out of memory at evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.documents.python_marks import KEEPS_OUTPUTS
from budgetlint.memory.plan import Plan
from budgetlint.readers.python_script import classes
from budgetlint.rule import (
    PYTHON,
    Confidence,
    Finding,
    Reading,
    Rule,
    RunContext,
    Setting,
    Severity,
    device_words,
    figures,
    gib,
    is_off,
    written_by,
    written_in,
)

TRAINERS = ("transformers.Trainer", "transformers.Seq2SeqTrainer")
KEEPS_LESS = ("prediction_loss_only", "batch_eval_metrics", "predict_with_generate")
"""Switches with which the predictions are no logits, or are not kept. ``predict_with_generate`` is asked by Seq2SeqTrainer and by the
classes that programs make of it: token ids are kept."""

TOKENS = 1000
"""What the cost is told for where no length is known."""

FEW = 1000
"""An evaluation of so many sequences is usual."""

LABELS = 1000
"""Fewer scores than this are small beside any evaluation set."""

SCORE, MANY = 4, 100_000
"""Bytes of a score; the samples that the cost is told for."""


def check(run: RunContext) -> Iterator[Finding]:
    trainer, plan, estimate = run.run.trainer, run.plan, run.estimate
    if trainer is None or plan is None or estimate is None or trainer.format not in PYTHON or run.value("eval_on") is not True:
        return
    metrics = _keeps(trainer)
    if any(name in (trainer.document.mapping or ()) for name in KEEPS_OUTPUTS):
        return
    if metrics is None or written_by(run, "eval_accumulation_steps") is not None or any(_may_be(run, name) for name in KEEPS_LESS):
        return
    if not plan.makes_logits:
        yield from _scores(run, trainer, metrics)
        return
    tokens = plan.seq or TOKENS
    size, room = tokens * plan.arch.vocab * _bytes(plan), _room(run)
    fit = room // size if room is not None else None
    if fit is not None and fit > FEW:
        return
    what = f"sequence of {tokens:,} tokens" if plan.seq else f"{tokens:,} tokens"
    held = f", and beside the run {device_words(run)} has room for {max(fit, 0)}" if fit is not None and plan.seq else ""
    yield run.finding(
        metrics,
        f"compute_metrics makes the Trainer keep the logits of the whole evaluation on the GPU: {gib(size)} for each {what}{held}",
        help="preprocess_logits_for_metrics (an argmax), or eval_accumulation_steps: 1 (then the host holds them), or batch_eval_metrics",
        because=[setting for name in ("eval_on", "model") if (setting := run.setting(name))],
        numbers={**figures(estimate), "logits_bytes": size, "tokens": tokens, "vocabulary": plan.arch.vocab},
        severity=None if plan.seq and fit is not None else Severity.INFO,
    )


def _may_be(run: RunContext, name: str) -> bool:
    """Is a switch on, or may it be?"""
    switch = written_by(run, name)
    return switch is not None and not is_off(switch)


def _scores(run: RunContext, trainer: Reading, metrics: Setting) -> Iterator[Finding]:
    """A head of very many labels: how many samples there are stands in the data."""
    labels = written_in(trainer, f"{classes.trainer_of(trainer.document)}.model.num_labels")
    if labels is None or not isinstance(labels.value, int) or labels.value < LABELS:
        return
    size, room = labels.value * SCORE, _room(run)
    held = f"; beside the run {device_words(run)} has room for {max(room // size, 0):,}" if room is not None else ""
    yield run.finding(
        metrics,
        f"compute_metrics makes the Trainer keep {labels.value:,} scores of every sample of the evaluation on the GPU: "
        f"{gib(size * MANY)} for {MANY:,} samples{held}",
        help="preprocess_logits_for_metrics (an argmax or the best few), or eval_accumulation_steps: 1, or batch_eval_metrics",
        because=[labels],
        numbers={"scores_bytes": size, "labels": labels.value, "samples_that_fit": max(room // size, 0) if room is not None else None},
        severity=Severity.INFO,
    )


def _keeps(reading: Reading) -> Setting | None:
    """The ``compute_metrics`` of the script's one plain Trainer, where nothing makes its predictions smaller."""
    name = classes.trainer_of(reading.document)
    block = classes.block(reading.document, name)
    if block is None or classes.is_partial(block) or classes.class_of(block) not in TRAINERS:
        return None
    if classes.is_given(block.get("preprocess_logits_for_metrics")):
        return None
    metrics = written_in(reading, f"{name}.compute_metrics")
    return metrics if metrics is not None and " if " not in metrics.text else None


def _bytes(plan: Plan) -> int:
    """accelerate gives fp32 outputs where it autocasts (`convert_outputs_to_fp32`)."""
    return 4 if plan.precision.autocast else plan.precision.compute


def _room(run: RunContext) -> int | None:
    estimate = run.estimate
    phase = estimate.phase("eval") if estimate is not None else None
    if estimate is None or estimate.limit is None:
        return None
    return estimate.limit - (phase.bytes if phase is not None else estimate.static_bytes)


RULE = Rule(
    code="BL117",
    name="eval-logits-accumulation",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("estimate",),
    formats=PYTHON,
    harm=10.5,
)
