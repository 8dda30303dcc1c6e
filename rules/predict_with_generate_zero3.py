"""LLaMA-Factory's `predict_with_generate` under ZeRO-3.

Generating would gather every layer for each token, on all GPUs in step, so LLaMA-Factory refuses it.

## What it costs

The run stops at start: "`predict_with_generate` is incompatible with DeepSpeed ZeRO-3".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
eval_dataset: identity
template: qwen
output_dir: out
predict_with_generate: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
eval_dataset: identity
template: qwen
output_dir: out
predict_with_generate: true
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}
```

## Sources

- LLaMA-Factory 0.9.0, 0.9.3 and 0.9.5 `hparams/parser.py` `get_train_args`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Severity, is_on, stated, written_by

from ._llamafactory import takes_hparams


def check(run: RunContext) -> Iterator[Finding]:
    generates, shard = written_by(run, "predict_with_generate"), run.setting("shard")
    if takes_hparams(run) and generates is not None and is_on(generates) and shard is not None and stated(shard) and shard.value == "zero3":
        yield run.finding(
            generates,
            f"predict_with_generate: {generates.text} with ZeRO-3: LLaMA-Factory stops at start",
            help="predict in a run of its own without ZeRO-3, or evaluate the loss alone",
            because=[shard],
            fixes=run.delete(generates, safety=Safety.UNSAFE),
        )


RULE = Rule(
    code="BL624",
    name="predict-with-generate-zero3",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=("llamafactory",),
    words=("predict_with_generate",),
    harm=2.5,
    stops=True,
)
