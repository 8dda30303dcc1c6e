"""A DeepSpeed file that `accelerate launch` is given as its own config.

`--config_file` names accelerate's YAML or JSON. A DeepSpeed file goes to `--deepspeed_config_file`, or stands in accelerate's file under
`deepspeed_config`.

## What it costs

accelerate stops when it reads the file: it asks for `distributed_type`, and refuses keys that are none of its own.

## Failing

```sh run.sh
accelerate launch --config_file zero2.json train.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --num_train_epochs 1
```

```json zero2.json
{
  "zero_optimization": {"stage": 2},
  "bf16": {"enabled": true},
  "gradient_accumulation_steps": "auto",
  "train_micro_batch_size_per_gpu": "auto"
}
```

## Passing

```sh run.sh
accelerate launch --use_deepspeed --deepspeed_config_file zero2.json train.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out
```

```json zero2.json
{
  "zero_optimization": {"stage": 2},
  "bf16": {"enabled": true},
  "gradient_accumulation_steps": "auto",
  "train_micro_batch_size_per_gpu": "auto"
}
```

## Sources

- accelerate 0.28.0 and 1.15.0 `commands/config/config_args.py` `load_config_from_file`, `BaseConfig.process_config` and `from_json_file`:
  ValueError for a file without `distributed_type`, and for keys that are no field of the class.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Location, Rule, Severity

STARTER = "accelerate launch"


def check(document: DocumentContext) -> Iterator[Finding]:
    consumer = document.reading.consumer
    if consumer is None or consumer.program != STARTER or not consumer.file:
        return
    yield document.finding(
        Location(consumer.file, consumer.line),
        f"accelerate launch is given {document.anchor.file} as its own config, and it is a DeepSpeed file: it stops when it reads it",
        help="--use_deepspeed --deepspeed_config_file, or name it in accelerate's file under deepspeed_config",
        related=[(document.anchor, "the DeepSpeed file")],
        key="config_file",
    )


RULE = Rule(
    code="BL535",
    name="engine-file-as-launcher-config",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=("deepspeed",),
    harm=8.0,
)
