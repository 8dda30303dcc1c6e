"""The rollout engine takes a share of the device that training lacks.

vLLM or SGLang on the training devices takes its share of the whole device when it starts. Unless it sleeps while the policy trains,
the training peak must fit into the rest.

## What it costs

30 % of an 80 GB card are 23.8 GiB that the backward pass cannot have: the engine starts, and the first training step runs out of
memory.

## Failing

```budget
device a100-80gb
config grpo.yaml
stack trl@1.16 transformers@5.24 torch@2.13
```

```yaml grpo.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/tldr
dtype: bfloat16
num_generations: 8
per_device_train_batch_size: 4
gradient_accumulation_steps: 2
max_prompt_length: 1024
max_completion_length: 1024
learning_rate: 0.000001
num_train_epochs: 1
attn_implementation: flash_attention_2
use_vllm: true
vllm_mode: colocate
vllm_gpu_memory_utilization: 0.85
```

## Passing

```budget
device a100-80gb
config grpo.yaml
stack trl@1.16 transformers@5.24 torch@2.13
```

```yaml grpo.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/tldr
dtype: bfloat16
num_generations: 8
per_device_train_batch_size: 4
gradient_accumulation_steps: 2
max_prompt_length: 1024
max_completion_length: 1024
learning_rate: 0.000001
num_train_epochs: 1
attn_implementation: flash_attention_2
use_vllm: true
vllm_mode: colocate
vllm_gpu_memory_utilization: 0.3
```

## Sources

- vLLM `v1/worker/gpu_worker.py` `determine_available_memory`: weights, activations and KV cache take `gpu_memory_utilization` of the
  device's total.
- TRL 1.16.0 `trainer/grpo_config.py`: `vllm_gpu_memory_utilization` 0.3, `vllm_enable_sleep_mode` false.
- huggingface/trl#2688, #2927, huggingface/open-r1#475: out of memory with both on one card.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRL_ARGUMENTS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Severity,
    decides,
    device_words,
    figures,
    first_located,
    gib,
)

from ._fit import moment
from ._whatif import if_only

NAMES = ("rollout_memory", "rollout_engine", "rollout_sleeps")


def check(run: RunContext) -> Iterator[Finding]:
    estimate, plan = run.estimate, run.plan
    if estimate is None or plan is None or estimate.limit is None or plan.rollout is None or not plan.rollout.share_ppm:
        return
    where = run.setting("rollout_on")
    if where is not None and not where.known:
        return  # TRL before 1.0 had it on another device unless told otherwise
    without = if_only(run, rollout=None)
    taken = estimate.need.bytes - without.need.bytes if without is not None else 0
    if without is None or not decides(estimate, taken):
        return
    rollout, reasons = plan.rollout, [setting for name in NAMES if (setting := run.setting(name))]
    when = "while it generates" if rollout.sleeps else "all the time"
    yield run.finding(
        first_located(reasons),
        f"{rollout.engine} takes {rollout.share_ppm / 10_000:g} % of {device_words(run)} {when}; {run.label} itself needs "
        f"{gib(without.need.bytes)} of {gib(estimate.limit)}, together {gib(estimate.need.bytes)} (peak in {moment(estimate)})",
        help=_help(run, sleeps=rollout.sleeps),
        because=reasons,
        numbers={**figures(estimate), "engine_bytes": taken, "own_need_bytes": without.need.bytes, "share_ppm": rollout.share_ppm},
    )


def _help(run: RunContext, *, sleeps: bool) -> str:
    trainer = run.run.trainer
    trl = trainer is not None and trainer.format in TRL_ARGUMENTS
    share = "a smaller vllm_gpu_memory_utilization" if trl else "a smaller share for the engine"
    awake = "" if sleeps else ", vllm_enable_sleep_mode: true" if trl else ", an engine that sleeps while the policy trains"
    return f"{share}{awake}, or the engine on other devices"


RULE = Rule(
    code="BL126",
    name="grpo-vllm-colocate-budget",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate", "rollout_engine"),
    harm=9.5,
)
