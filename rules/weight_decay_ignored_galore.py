"""Weight decay or betas beside GaLore, APOLLO or LOMO, which the Trainer never hands to them.

The handlers of these optimizers build their own parameter groups, in place of the Trainer's groups with and without decay, and pass
no Adam arguments (APOLLO gets betas and epsilon for its projected weights). LLaMA-Factory's own `use_galore` and `use_apollo` do pass
the decay and are not told.

## What it costs

Nothing decays, and the moments run with the library's own betas. No message.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: galore_adamw
optim_target_modules: [attn, mlp]
weight_decay: 0.1
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: galore_adamw
optim_target_modules: [attn, mlp]
```

## Sources

- transformers 5.24.0 `trainer_optimizer.py` `_setup_low_rank_optimizer`, `_get_galore_optimizer`, `_get_lomo_optimizer`; `trainer.py`
  `create_optimizer` (`optimizer_kwargs.pop("params")`, `pop("model")`). 4.41.0 and 4.57.6 `trainer.py`: the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import (
    TRAINERS_AND_AXOLOTL,
    Confidence,
    Finding,
    Rule,
    RunContext,
    Safety,
    Setting,
    Severity,
    as_written,
    last_key,
    number_text,
    optimizer_of,
    stated,
    trainer_of,
)

_ADAM = (("adam_beta1", 0.9), ("adam_beta2", 0.999))
_DECAY = (("weight_decay", 0.0),)
DROPPED: dict[str, tuple[tuple[str, float], ...]] = {
    "galore_adamw": (*_DECAY, *_ADAM),
    "galore_adamw_8bit": (*_DECAY, *_ADAM),
    "galore_adafactor": _DECAY,
    "apollo_adamw": _DECAY,
    "lomo": _DECAY,
    "adalomo": _DECAY,
}
"""Catalog name: settings that never reach the optimizer, and the library's own value."""


def check(run: RunContext) -> Iterator[Finding]:
    trainer, setting = trainer_of(run, TRAINERS_AND_AXOLOTL), run.setting("optimizer")
    optimizer = optimizer_of(setting)
    if trainer is None or setting is None or optimizer is None or not stated(setting) or last_key(setting) not in ("optim", "optimizer"):
        return
    for name, own in DROPPED.get(optimizer.name, ()):
        asked = run.setting(name)
        if asked is not None and stated(asked) and asked.value != own:
            yield _finding(run, asked, setting, own)


def _finding(run: RunContext, asked: Setting, setting: Setting, own: float) -> Finding:
    return run.finding(
        asked,
        f"'{as_written(asked)}' never reaches {setting.text}: its parameter groups are built without it, so it stays {number_text(own)}",
        help="remove it, or write an optimizer that takes it (adamw_torch, adamw_bnb_8bit)",
        because=[setting],
        fixes=run.delete(asked, safety=Safety.UNSAFE),
        numbers={asked.name: asked.value, f"{asked.name}_used": own},
    )


RULE = Rule(
    code="BL312",
    name="weight-decay-ignored-galore",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    needs=("optimizer",),
    words=tuple(f"optimizer={name}" for name in DROPPED),
    harm=9.0,
)
