"""TRL keeps the end of too long samples of a vision-language model.

The image tokens stand in the prompt, at the start: cutting there leaves pictures without their tokens.

## What it costs

The run stops at start: "truncation_mode='keep_end' is not supported for vision-language models".

## Failing

```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-VL-7B-Instruct
dataset_name: HuggingFaceH4/rlaif-v_formatted
per_device_train_batch_size: 2
learning_rate: 0.000005
num_train_epochs: 1
loss_type: sigmoid
beta: 0.1
max_length: 2048
truncation_mode: keep_end
```

```text requirements.txt
trl==1.16.0
```

## Passing

```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-VL-7B-Instruct
dataset_name: HuggingFaceH4/rlaif-v_formatted
per_device_train_batch_size: 2
learning_rate: 0.000005
num_train_epochs: 1
loss_type: sigmoid
beta: 0.1
max_length: null
truncation_mode: keep_end
```

```text requirements.txt
trl==1.16.0
```

## When it is meant

Text alone for such a model: then TRL 1.10 and newer accept it for SFT, all versions for DPO.

## Sources

- TRL 1.0.0 to 1.7.0 `trainer/sft_trainer.py` (every vision-language model), 1.10.0 and 1.16.0 (data with pictures), `dpo_trainer.py`
  from 1.0.0 on (data with pictures); 0.28.0 and 0.29.0 do not look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.rule import TRL_ARGUMENTS, Confidence, Finding, Rule, RunContext, Safety, Severity, trainer_of, written_by

SINCE = "1.0.0"
_PICTURES = re.compile(
    r"(?:^|[/_-])(?:[a-z0-9.]*vl[0-9.]*|vision|smolvlm2?|llava|idefics[0-9]?|paligemma2?|pixtral|molmo)(?:[-_./]|$)", re.IGNORECASE
)


def check(run: RunContext) -> Iterator[Finding]:
    mode, length, name = written_by(run, "truncation_mode"), run.setting("seq_len"), run.setting("model")
    if trainer_of(run, TRL_ARGUMENTS) is None or mode is None or mode.value != "keep_end" or name is None or not name.known:
        return
    if run.value("task") not in ("sft", "dpo") or run.at_least("trl", SINCE) is False or not _PICTURES.search(str(name.value)):
        return
    if length is None or not length.known:
        return
    since = "" if run.at_least("trl", SINCE) else f" {SINCE} and newer"
    yield run.finding(
        mode,
        f"truncation_mode {mode.text} cuts the pictures of {name.value} off: TRL{since} stops at start when the data has any",
        help="truncation_mode: keep_start (the default), or max_length: null",
        because=[name, length],
        fixes=run.set(mode, "keep_start", safety=Safety.UNSAFE),
    )


RULE = Rule(
    "BL717",
    "vlm-keep-end-truncation",
    Severity.WARNING,
    Confidence.MEDIUM,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    needs=("model",),
    applies="TRL >= 1.0",
    words=("truncation_mode",),
    harm=5.0,
)
