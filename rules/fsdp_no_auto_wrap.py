"""FSDP without a wrapping policy: the whole model is one unit.

FSDP gathers one unit at a time. Without a policy (accelerate's default is NO_WRAP; transformers before 5.10.0 wraps only
when the option string says `auto_wrap`) the only unit is the model, so every GPU holds all parameters at once.

## What it costs

A full copy of the parameters on every GPU while a step runs: 15 GB for a 7.6B model in bf16, whatever the number of GPUs.
Only optimizer state and resting weights stay sharded.

## Failing

```yaml fsdp.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 8
fsdp_config:
  fsdp_sharding_strategy: FULL_SHARD
```

## Passing

```yaml fsdp.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 8
fsdp_config:
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
```

## When it is meant

A training script that wraps its own modules.

## Sources

- accelerate 1.15.0 `utils/dataclasses.py` FullyShardedDataParallelPlugin: FSDP_AUTO_WRAP_POLICY, `NO_WRAP`.
- transformers 4.57.6 `training_args.py` `_process_fsdp_args`; 5.10.0 is the first that wraps by default (5.9.0 does not).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, DocumentContext, Finding, Rule, Safety, Setting, Severity, written_in

from ._flags import may_be_elsewhere
from ._fsdp import POLICIES, STRATEGIES, option_words

COST = "the whole model is one FSDP unit, so every GPU gathers all parameters at once"
WRAPS_BY_DEFAULT = "5.10.0"


def check(document: DocumentContext) -> Iterator[Finding]:
    yield from _launcher(document) if document.format == "accelerate" else _trainer(document)


def _launcher(document: DocumentContext) -> Iterator[Finding]:
    kind, policy = written_in(document.reading, "distributed_type"), written_in(document.reading, *POLICIES)
    strategy = written_in(document.reading, *STRATEGIES)
    if kind is None or str(kind.value).upper() != "FSDP" or (strategy and str(strategy.value).upper() in ("NO_SHARD", "3")):
        return
    if policy is None and may_be_elsewhere(document):
        return
    if policy is None:
        flags = document.reading.document.is_command  # of whose machine a default file may say the rest
        told = not flags and written_in(document.reading, "fsdp_config") is not None
        name = "fsdp_auto_wrap_policy"
        yield document.finding(
            strategy or kind,
            f"no {name}: {COST}" + ("" if told else ", unless the program makes its own FSDP plugin"),
            help=f"{name}: TRANSFORMER_BASED_WRAP",
            fixes=document.insert_after(strategy, name, "TRANSFORMER_BASED_WRAP", safety=Safety.UNSAFE) if strategy else (),
            severity=None if told else Severity.INFO,
            confidence=None if told else Confidence.MEDIUM,
        )
    elif str(policy.value).upper() == "NO_WRAP":
        yield document.finding(
            policy,
            f"{policy.name.rpartition('.')[2]} {policy.text}: {COST}",
            help="TRANSFORMER_BASED_WRAP",
            fixes=document.set(policy, "TRANSFORMER_BASED_WRAP", safety=Safety.UNSAFE),
        )


def _trainer(document: DocumentContext) -> Iterator[Finding]:
    options = written_in(document.reading, "fsdp")
    newer = document.at_least("transformers", WRAPS_BY_DEFAULT)
    words = option_words(options)
    if options is None or newer or not words or "auto_wrap" in words or "no_shard" in words:
        return
    if newer is False:
        message = f"fsdp {_shown(options)} without auto_wrap: {COST}"
    else:
        message = (
            f"fsdp {_shown(options)} without auto_wrap: with transformers before {WRAPS_BY_DEFAULT} {COST}; newer ones wrap every layer"
        )
    yield document.finding(
        options,
        message,
        help='write "full_shard auto_wrap"',
        fixes=document.set(options, f"{options.text} auto_wrap", safety=Safety.UNSAFE) if options.text else (),
        severity=None if newer is False else Severity.WARNING,
        confidence=None if newer is False else Confidence.MEDIUM,
    )


def _shown(options: Setting) -> str:
    return f"'{options.text}'" if options.text else " ".join(option_words(options))


RULE = Rule(
    "BL505",
    "fsdp-no-auto-wrap",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("accelerate", *TRAINING_ARGUMENTS),
    applies="trainer files: transformers < 5.10.0; accelerate files: all versions",
    flags=True,
    words=("distributed_type", "fsdp"),
    harm=11.5,
)
