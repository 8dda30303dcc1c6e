"""`optim_args` that the Trainer cannot split, reads as the opposite, or never reads.

The text is split at every comma and each piece at its `=`, so a tuple breaks. `stable_adamw` takes `bool("False")`, which is true. The
AdamW of torch, bitsandbytes and XLA, Lion and Adafactor never look at it: their settings have arguments of their own. That holds for
Adafactor's `relative_step` and `scale_parameter` too, which the Trainer always sets to false.

## What it costs

A piece without `=` stops the run when the optimizer is built. The rest trains with other values than the file says. No message.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: ademamix
optim_args: "betas=(0.9, 0.999, 0.9999), alpha=5"
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
optim: ademamix
optim_args: "beta3=0.9999, alpha=5"
```

## Sources

- transformers 5.24.0 `trainer_optimizer.py` `_parse_optim_args`, `_get_stable_adamw`, `_get_adafactor`, `_get_adamw_torch`,
  `_get_bitsandbytes_optimizer`; 4.57.6 `trainer.py` `get_optimizer_cls_and_kwargs`: the same.
- transformers 5.24.0 `optimization.py` `Adafactor`: "Cannot combine manual `lr` and `relative_step=True` options".
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Safety, Setting, Severity, names, stated, trainer_of, written_by

DEAF = names(
    """adamw_torch adamw_torch_fused adamw_torch_xla adamw_torch_npu_fused adamw_apex_fused adafactor adamw_bnb_8bit adamw_8bit
    paged_adamw_32bit paged_adamw_8bit lion_32bit lion_8bit paged_lion_32bit paged_lion_8bit lomo adalomo"""
)
"""Names of the Trainer whose handler reads no ``optim_args``."""
SWITCHES = {"stable_adamw": ("kahan_sum", "decouple_lr")}
"""Converted by ``bool(text)``."""


def check(run: RunContext) -> Iterator[Finding]:
    arguments, setting = written_by(run, "optim_args"), run.setting("optimizer")
    if trainer_of(run) is None or arguments is None or not arguments.known or not isinstance(arguments.value, str) or not arguments.value:
        return
    pieces = arguments.value.replace(" ", "").split(",")
    broken = [piece for piece in pieces if piece.count("=") != 1]
    name = setting.text if setting is not None and stated(setting) else ""
    if broken:
        yield run.finding(
            arguments,
            f"optim_args has the piece '{broken[0]}' between its commas, which is no key=value: the run stops when the optimizer is built",
            help="one number or word for each key; betas have arguments of their own (adam_beta1, adam_beta2)",
            because=[setting] if setting is not None and name else (),
            severity=Severity.ERROR,
        )
    elif setting is not None and name:
        yield from _misheard(run, arguments, setting, dict(piece.split("=") for piece in pieces))


def _misheard(run: RunContext, arguments: Setting, setting: Setting, told: dict[str, str]) -> Iterator[Finding]:
    false = [key for key in SWITCHES.get(setting.text, ()) if told.get(key, "").lower() in ("false", "0", "no")]
    if setting.text in DEAF:
        yield run.finding(
            arguments,
            f"optim_args '{arguments.text}' has no effect: {setting.text} never reads it",
            help="use the arguments of their own (weight_decay, adam_beta1, adam_beta2, adam_epsilon), or remove it",
            because=[setting],
            fixes=run.delete(arguments, safety=Safety.UNSAFE),
        )
    elif false:
        yield run.finding(
            arguments,
            f"optim_args turns {false[0]} on: the text '{told[false[0]]}' is true to Python's bool()",
            help=f"write {false[0]}= with nothing behind it: only the empty text is false",
            because=[setting],
        )


RULE = Rule(
    code="BL317",
    name="optim-args-not-parsed",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    aliases=("adafactor-lr-relative-step",),
    words=("optim_args",),
    harm=7.0,
)
