"""`auto_find_batch_size` lets the first out-of-memory error choose the batch of the run.

The Trainer starts again with a smaller micro batch and keeps `gradient_accumulation_steps` and the learning rate, so another global
batch trains than the one that is written. Evaluation batches are not made smaller.

## What it costs

Runs that cannot be compared: the same file trains with another global batch on another card, and with it takes another number of
steps.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 16
gradient_accumulation_steps: 4
auto_find_batch_size: true
learning_rate: 0.00002
num_train_epochs: 1
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 4
gradient_accumulation_steps: 16
learning_rate: 0.00002
num_train_epochs: 1
```

## When it is meant

Trying out what fits. Then write down what it found. Where the estimate says that the written batch does not fit, or only just, this
is a warning; else a remark.

## Sources

- transformers 5.24.0 and 4.57.6 `trainer.py` `train` (`find_executable_batch_size` around the training loop), `evaluate` ("only adjusts
  the training batch size"); accelerate 1.15.0 `utils/memory.py`: times 0.9 after each error.
- TRL 1.16.0 `trainer/grpo_config.py` refuses it.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    PYTHON,
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    device_words,
    is_on,
    is_over,
    stated,
    trainer_of,
    written_by,
)


def check(run: RunContext) -> Iterator[Finding]:
    search = written_by(run, "auto_find_batch_size")
    if search is None or not is_on(search) or trainer_of(run, (*TRAINERS_AND_AXOLOTL, *PYTHON)) is None or run.value("shard") == "zero3":
        return
    micro, accum = run.setting("micro_batch"), run.setting("grad_accum")
    over = run.estimate is not None and is_over(run.estimate)
    batch = micro.value if micro is not None and micro.known else None
    told = f"{batch} sequences" if batch else "the written micro batch"
    seen = f" ({told} may not fit {device_words(run)})" if over else ""
    kept = f"keeps {accum.value} accumulation steps" if accum is not None and stated(accum) else "keeps everything else"
    yield run.finding(
        search,
        f"auto_find_batch_size {search.text}: after an out-of-memory error{seen} the Trainer starts again with fewer sequences and {kept}, "
        "so the global batch is what the card decides",
        help="false, and a micro batch that fits with the accumulation that makes the global batch",
        because=[setting for setting in (micro, accum) if setting],
        numbers={"written_sequences": batch} if batch else {},
        severity=None if over else Severity.INFO,
    )


RULE = Rule(
    code="BL122",
    name="auto-find-batch-size-changes-recipe",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    words=("auto_find_batch_size",),
    harm=7.0,
)
