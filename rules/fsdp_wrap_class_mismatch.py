"""The layer class that FSDP is told to wrap is another model's.

## What it costs

The run stops when the model is prepared: "Could not find the transformer layer class LlamaDecoderLayer in the model".

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
save_strategy: epoch
fsdp: full_shard auto_wrap
fsdp_config:
  transformer_layer_cls_to_wrap: LlamaDecoderLayer
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
save_strategy: epoch
fsdp: full_shard auto_wrap
fsdp_config:
  transformer_layer_cls_to_wrap: Qwen2DecoderLayer
```

## Sources

- accelerate 1.15.0 `utils/dataclasses.py` `set_auto_wrap_policy`; without a name it takes the model's `_no_split_modules`.
- transformers 5.24.0 `models/*/modeling_*.py`: the classes of `_no_split_modules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from budgetlint.catalog.families import all_families, family_of
from budgetlint.readers.base import to_words
from budgetlint.rule import (
    TRAINER_RUNS,
    Architecture,
    Confidence,
    Finding,
    Mapping,
    Reading,
    Rule,
    RunContext,
    Safety,
    Sequence,
    Setting,
    Severity,
    written_in,
)

from ._fsdp import POLICIES, is_launched, option, option_words


def check(run: RunContext) -> Iterator[Finding]:
    plan, model = run.plan, run.setting("model")
    arch: Architecture | None = plan.arch if plan is not None and plan.model_code == "transformers" else None
    own = family_of(arch.family).tools.wrap_class if arch is not None else ""
    if arch is None or not own or arch.parts or run.value("trust_remote_code", False):
        return
    for reading in run.run.readings:
        named = _named(reading)
        wrong = next((word for word in _classes(named) if word != own and word in _every_layer()), None)
        if named is not None and wrong is not None:
            yield run.finding(
                named,
                f"{wrong} is no layer of {arch.name}: accelerate stops when it wraps the model",
                help=f"{own}, or delete the line: the model names its own layer",
                because=[model] if model else (),
                fixes=run.set(named, own, safety=Safety.UNSAFE),
            )


@cache
def _every_layer() -> frozenset[str]:
    """The decoder layers of all families that were read."""
    return frozenset(one.tools.wrap_class for one in all_families() if one.said("tools") and one.tools.wrap_class)


def _named(reading: Reading) -> Setting | None:
    """The classes, where FSDP is on and wraps by layer."""
    policy = written_in(reading, *POLICIES)
    if policy is not None and str(policy.value).upper() != "TRANSFORMER_BASED_WRAP":
        return None
    if reading.format == "accelerate":
        on = is_launched(reading) and policy is not None
    else:
        on = reading.format in TRAINER_RUNS and (bool(option_words(written_in(reading, "fsdp"))) or reading.format == "axolotl")
    return option(reading, "transformer_layer_cls_to_wrap") if on else None


def _classes(named: Setting | None) -> tuple[str, ...]:
    if named is None or not named.known or isinstance(named.value, Mapping):
        return ()
    return tuple(to_words(named.value)) if isinstance(named.value, Sequence) else tuple(str(named.value).replace(" ", "").split(","))


RULE = Rule(
    "BL515",
    "fsdp-wrap-class-mismatch",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    needs=("plan",),
    words=("transformer_layer_cls_to_wrap", "fsdp_transformer_layer_cls_to_wrap"),
    harm=9.0,
)
