"""`weight_decay` with an Adam that adds it to the gradient (L2), not with AdamW.

"Adam" is not one thing, so the class is resolved first:

- L2: `torch.optim.Adam` (by path, or as LitGPT, torchtitan and verl's FSDP name it), NeMo's `adam`, DeepSpeed's `Adam` with
  `adam_w_mode: false`.
- AdamW under another name, not told: DeepSpeed's `Adam` (`adam_w_mode` is true unless said otherwise), GPT-NeoX's (apex's or DeepSpeed's
  FusedAdam), Megatron's, verl's on Megatron and NeMo-RL's `adam` (`decoupled_weight_decay` is true), NeMo's `fused_adam`, and every Adam of
  bitsandbytes, whose two-state kernels decay the weight itself.
- torch's Adam with `decoupled_weight_decay: true` is AdamW too.

Write `AdamW` where that is what runs: the same numbers under torch's `Adam` are another algorithm.

## What it costs

The decay goes through Adam's moments and is divided by the size of the gradient: weights that are updated often hardly decay, others
too strongly. From w = 100 with no gradient, lr 0.1 and decay 0.1, one step gives 99.9, where AdamW gives 99.0. A decay tuned for
AdamW means nothing here; no message says so.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
weight_decay: 0.1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"},
 "optimizer": {"type": "Adam", "params": {"lr": "auto", "weight_decay": "auto", "adam_w_mode": false}}}
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
bf16: true
weight_decay: 0.1
deepspeed: ds.json
```

```json ds.json
{"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"},
 "optimizer": {"type": "Adam", "params": {"lr": "auto", "weight_decay": "auto"}}}
```

## Sources

- torch 2.13.0 `optim/adam.py`: decay is added to the gradient unless `decoupled_weight_decay=True` (default False); run: 99.9 and 99.0.
- DeepSpeed 0.19.8 `runtime/engine.py` `_configure_basic_optimizer`: `adam_w_mode` is true by default since 2021-03-10.
- bitsandbytes `csrc/kernels.cu`: Adam and AdamW both decouple; only one-state optimizers add the decay to the gradient.
- Megatron-core `optimizer/optimizer_config.py`: `decoupled_weight_decay = True`. GPT-NeoX `megatron/training.py` `get_optimizer`.
- NeMo `core/optim/optimizers.py`: `adam` is torch's, `fused_adam` apex's.
- Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization (arXiv 1711.05101).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.optimizer_table import OPTIMIZERS
from budgetlint.rule import (
    TRAINER_RUNS,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    as_written,
    optimizer_of,
    stated,
    written_in,
)

MEANT_AS_L2 = 1e-5
"""Recipes with so small a term mean L2 (Tacotron 2: 1e-6); decoupled decay is three orders larger."""


def check(run: RunContext) -> Iterator[Finding]:
    setting, decay = run.setting("optimizer"), _decay(run)
    optimizer = optimizer_of(setting)
    if setting is None or decay is None or optimizer is None or optimizer.decay != "l2" or not optimizer.adam_like:
        return
    if decay.value <= MEANT_AS_L2:
        return
    if not stated(setting) or _refused(run, setting):
        return
    yield run.finding(
        setting,
        f"'{as_written(setting)}' is {optimizer.name} with coupled L2 decay: '{as_written(decay)}' passes through the moments, so weights "
        "with large gradients hardly decay and others too much",
        help="use AdamW (drop adam_w_mode: false in a DeepSpeed file), or set weight_decay to 0",
        because=[decay, *_mode(run)],
        fixes=run.set(setting, "AdamW", "use AdamW", safety=Safety.UNSAFE) if _by_deepspeed(run, setting) else (),
        numbers={"weight_decay": float(decay.value)},
    )


def _decay(run: RunContext) -> Setting | None:
    """The weight decay that somebody wrote, above zero. DeepSpeed's optimizer sees the trainer's only through ``"auto"``."""
    decay, setting = run.setting("weight_decay"), run.setting("optimizer")
    if decay is None or setting is None or not stated(decay) or not decay.value or decay.value < 0:
        return None
    engine = run.reading("deepspeed")
    if engine is not None and _by_deepspeed(run, setting) and written_in(engine, "optimizer.params.weight_decay") is None:
        return None
    return decay


def _by_deepspeed(run: RunContext, setting: Setting) -> bool:
    engine = run.reading("deepspeed")
    return engine is not None and setting.origin.source is engine.document.source


def _mode(run: RunContext) -> tuple[Setting, ...]:
    """The flag that makes DeepSpeed's Adam L2."""
    engine = run.reading("deepspeed")
    mode = written_in(engine, "optimizer.params.adam_w_mode") if engine is not None else None
    return (mode,) if mode is not None else ()


def _refused(run: RunContext, setting: Setting) -> bool:
    trainer = run.run.trainer
    by_trainer = trainer is not None and setting.origin.source is trainer.document.source and trainer.format in TRAINER_RUNS
    return by_trainer and "." not in setting.text


RULE = Rule(
    code="BL301",
    name="adam-l2-weight-decay",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("optimizer", "weight_decay"),
    supersedes=("ds-adamw-mode-false",),
    words=tuple(f"optimizer={row.name}" for row in OPTIMIZERS if row.decay == "l2" and row.adam_like),
    harm=11.0,
)
