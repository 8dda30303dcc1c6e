"""An option of one FSDP version stands in a run of the other.

FSDP2 knows no sharding strategy: `reshard_after_forward` is true (full) or false (gradients and optimizer only), and hybrid sharding
is a device mesh. The Trainer of transformers 5.10.0 and newer takes FSDP2 unless told otherwise; accelerate's own default is FSDP1.

## What it costs

The run stops at start where the value cannot be read ("only available with FSDP1", "invalid truth value", "FSDP2 does not support
LOCAL_STATE_DICT"). A strategy in accelerate's file is ignored instead: `HYBRID_SHARD` shards over all nodes, `SHARD_GRAD_OP` gathers
every layer twice.

## Failing

```yaml fsdp.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 16
fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_state_dict_type: LOCAL_STATE_DICT
```

## Passing

```yaml fsdp.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 16
fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_reshard_after_forward: true
  fsdp_state_dict_type: SHARDED_STATE_DICT
```

## Sources

- accelerate 1.15.0 `utils/dataclasses.py` FullyShardedDataParallelPlugin (FSDP_SHARDING_STRATEGY is read for version 1 only), 1.6.0
  is the first with version 2; `utils/launch.py` `prepare_multi_gpu_env`.
- transformers 5.24.0, 5.10.0 and 5.0.0 `training_args.py` `_process_fsdp_args`, `_apply_legacy_fsdp_to_config`; 5.9.0 takes version 1
  unless told otherwise; 4.57.6 reads no `version`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.fsdp_words import STRATEGIES as SHARDINGS
from budgetlint.rule import (
    TRAINING_ARGUMENTS,
    Confidence,
    DocumentContext,
    Finding,
    Mapping,
    Rule,
    Safety,
    Setting,
    Severity,
    is_on,
    written_in,
)

from ._flags import may_be_elsewhere
from ._fsdp import SECOND_BY_DEFAULT, STRATEGIES, is_launched, is_second, option, option_words, version

BOOLEANS = frozenset(("true", "false", "yes", "no", "y", "n", "t", "f", "on", "off", "1", "0"))
INSTEAD = {
    "grad-op": "fsdp_reshard_after_forward: false",
    "no-shard": "distributed_type: MULTI_GPU",
    "hybrid": "parallelism_config_dp_replicate_size and parallelism_config_dp_shard_size in parallelism_config",
    "hybrid-grad-op": "parallelism_config_dp_replicate_size, and fsdp_reshard_after_forward: false",
}
FIRST_ONLY = frozenset(("hybrid_shard", "hybrid_shard_zero2", "no_shard"))


def check(document: DocumentContext) -> Iterator[Finding]:
    yield from _launcher(document) if document.format == "accelerate" else _trainer(document)


def _launcher(document: DocumentContext) -> Iterator[Finding]:
    told = version(document.reading)
    if told is None or not is_second(told) or not is_launched(document.reading):
        return
    yield from _local_state(document, told)
    yield from _reshard(document, told)
    strategy, reshard = written_in(document.reading, *STRATEGIES), option(document.reading, "reshard_after_forward")
    kind = SHARDINGS.get(str(strategy.value).lower(), "full") if strategy else "full"
    if strategy is not None and kind != "full" and not (kind == "grad-op" and reshard is not None):
        yield document.finding(
            strategy,
            f"{strategy.text} is a strategy of FSDP1: FSDP2 ignores it and shards everything over all processes",
            help=INSTEAD[kind],
            because=[told],
            severity=Severity.WARNING,
        )
    prefetch = option(document.reading, "forward_prefetch")
    if prefetch is not None and is_on(prefetch):
        message = "forward_prefetch is an option of FSDP1: FSDP2 ignores it"
        yield document.finding(prefetch, message, help="delete it", because=[told], severity=Severity.INFO)


def _trainer(document: DocumentContext) -> Iterator[Finding]:
    told, options = version(document.reading), written_in(document.reading, "fsdp")
    words, newer = option_words(options), document.at_least("transformers", SECOND_BY_DEFAULT)
    if options is None or not words or (told is not None and not told.known) or (told is None and _is_elsewhere(document)):
        return
    if told is not None and not is_second(told):
        yield from _boolean_under_the_first(document, told)
        return
    first = next((word for word in words if word in FIRST_ONLY), None)
    if first is not None and newer is not False:
        yield _strategy(document, options, first, told, sure=newer is True)
    if told is not None and document.at_least("transformers", "5.0") is not False:
        yield from _reshard(document, told)
    if newer:
        yield from _local_state(document, told)


def _is_elsewhere(document: DocumentContext) -> bool:
    """The options are a file of their own, or may stand in one."""
    options = written_in(document.reading, "fsdp_config")
    return may_be_elsewhere(document) or (options is not None and not isinstance(options.value, Mapping))


def _strategy(document: DocumentContext, options: Setting, word: str, told: Setting | None, sure: bool) -> Finding:
    since = "" if sure else f" since transformers {SECOND_BY_DEFAULT}"
    return document.finding(
        options,
        f"'{word}' needs FSDP1, and {'version 2 is asked for' if told else 'FSDP2 is the default'}{since}: the Trainer stops at start",
        help="fsdp_config: {version: 1}, or full_shard",
        because=[told] if told else (),
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


def _local_state(document: DocumentContext, told: Setting | None) -> Iterator[Finding]:
    kind = option(document.reading, "state_dict_type")
    if kind is not None and str(kind.value).upper() in ("LOCAL_STATE_DICT", "2"):
        yield document.finding(
            kind,
            f"FSDP2 has no {kind.text}: accelerate stops at start",
            help="SHARDED_STATE_DICT",
            because=[told] if told else (),
            fixes=document.set(kind, "SHARDED_STATE_DICT", safety=Safety.UNSAFE),
        )


def _reshard(document: DocumentContext, told: Setting) -> Iterator[Finding]:
    reshard = option(document.reading, "reshard_after_forward")
    if reshard is not None and reshard.known and str(reshard.value).lower() not in BOOLEANS:
        value = SHARDINGS.get(str(reshard.value).lower(), "full") in ("full", "hybrid")
        yield document.finding(
            reshard,
            f"reshard_after_forward {reshard.text} is a strategy of FSDP1, and FSDP2 takes true or false: the run stops at start",
            help="true" if value else "false",
            because=[told],
            fixes=document.set(reshard, value, safety=Safety.UNSAFE),
        )


def _boolean_under_the_first(document: DocumentContext, told: Setting) -> Iterator[Finding]:
    reshard = option(document.reading, "reshard_after_forward")
    known = reshard is not None and isinstance(reshard.value, bool)
    if reshard is not None and known and document.at_least("transformers", "5.0") is not False:
        yield document.finding(
            reshard,
            f"FSDP1 takes a strategy's name as reshard_after_forward, not {reshard.text}: the run stops at start",
            help="full_shard" if reshard.value else "shard_grad_op",
            because=[told],
            fixes=document.set(reshard, "full_shard" if reshard.value else "shard_grad_op", safety=Safety.UNSAFE),
        )


RULE = Rule(
    "BL516",
    "fsdp1-options-under-fsdp2",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("accelerate", *TRAINING_ARGUMENTS),
    applies="accelerate >= 1.6; trainer files: transformers >= 5.0 with a version, >= 5.10.0 without",
    flags=True,
    words=("fsdp", "fsdp_version", "version"),
    harm=8.5,
)
