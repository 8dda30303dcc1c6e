"""torchtune steps each parameter in the backward pass, and is also asked to clip or to accumulate gradients.

With `optimizer_in_bwd` every gradient is used and freed at once: there is no whole norm to clip by, and nothing to add up.

## What it costs

The recipe stops at start: "Gradient clipping is not supported with optimizer in bwd".

## Failing

```yaml recipe.yaml
model:
  _component_: torchtune.models.qwen2_5.qwen2_5_1_5b_base
tokenizer:
  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer
  max_seq_len: 2048
optimizer:
  _component_: bitsandbytes.optim.PagedAdamW8bit
  lr: 0.00002
optimizer_in_bwd: true
gradient_accumulation_steps: 8
batch_size: 1
epochs: 1
```

## Passing

```yaml recipe.yaml
model:
  _component_: torchtune.models.qwen2_5.qwen2_5_1_5b_base
tokenizer:
  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer
  max_seq_len: 2048
optimizer:
  _component_: bitsandbytes.optim.PagedAdamW8bit
  lr: 0.00002
optimizer_in_bwd: true
gradient_accumulation_steps: 1
clip_grad_norm: null
batch_size: 1
epochs: 1
```

## Sources

- torchtune 0.6.1 `recipes/full_finetune_single_device.py`, `full_finetune_distributed.py`, `full_dpo_distributed.py`: both checks;
  `ppo_full_finetune_single_device.py`: accumulation. The LoRA recipes do not read the key.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Setting, Severity, as_written, full_tuning, stated, trainer_of


def check(run: RunContext) -> Iterator[Finding]:
    steps, clip, accum = run.setting("optimizer_in_backward"), run.setting("max_grad_norm"), run.setting("grad_accum")
    if trainer_of(run, ("torchtune",)) is None or steps is None or not stated(steps) or steps.value is not True or not full_tuning(run):
        return
    if clip is not None and stated(clip) and run.value("task") != "ppo":
        yield _finding(run, clip, steps, "gradients are gone before their norm is known", "clip_grad_norm: null")
    if accum is not None and stated(accum) and accum.value > 1:
        yield _finding(run, accum, steps, "gradients are gone before they could be added up", "gradient_accumulation_steps: 1")


def _finding(run: RunContext, at: Setting, steps: Setting, why: str, cure: str) -> Finding:
    return run.finding(
        at,
        f"'{as_written(at)}' with optimizer_in_bwd: the recipe stops at start, because {why}",
        help=f"{cure}, or optimizer_in_bwd: false",
        because=[steps],
        fixes=run.set(steps, False, safety=Safety.UNSAFE),
    )


RULE = Rule(
    code="BL322",
    name="optimizer-in-bwd-clip",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("optimizer_in_backward",),
    harm=6.5,
)
