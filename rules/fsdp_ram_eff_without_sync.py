"""FSDP loads the weights on rank 0 only, and does not send them to the others.

With `cpu_ram_efficient_loading` every other rank starts from empty weights; `sync_module_states` fills them in.

## What it costs

The run stops at start: "set `--fsdp_sync_module_states` to `True`". (Without that check all ranks but one would train random weights.)

## Failing

```yaml fsdp.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 8
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_cpu_ram_efficient_loading: true
  fsdp_sync_module_states: false
```

## Passing

```yaml fsdp.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 8
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_cpu_ram_efficient_loading: true
  fsdp_sync_module_states: true
```

## Sources

- accelerate 1.15.0, 1.0.0 and 0.30.0 `utils/launch.py`: the launcher refuses a false `fsdp_sync_module_states`, for both versions of
  FSDP; a quoted "false" passes it and is put right by the plugin.
- transformers 5.9.0, 5.0.0 and 4.57.6 `training_args.py` `_process_fsdp_args`; 5.10.0 and newer leave it to accelerate, which puts it
  right.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINING_ARGUMENTS, Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_off, is_on, written_in

from ._fsdp import SECOND_BY_DEFAULT, is_launched, option, option_words


def check(document: DocumentContext) -> Iterator[Finding]:
    lean, sync = option(document.reading, "cpu_ram_efficient_loading"), option(document.reading, "sync_module_states")
    if lean is None or sync is None or not is_on(lean) or not is_off(sync):
        return
    sure: bool | None = True
    if document.format == "accelerate":
        if not is_launched(document.reading) or sync.value is not False:
            return
    else:
        newer = document.at_least("transformers", SECOND_BY_DEFAULT)
        if newer or not option_words(written_in(document.reading, "fsdp")):
            return
        sure = newer is False
    yield document.finding(
        sync,
        f"sync_module_states {sync.text} with cpu_ram_efficient_loading {lean.text}: only rank 0 would have weights, "
        + ("so the run stops at start" if sure else f"and transformers before {SECOND_BY_DEFAULT} stops at start"),
        help="true",
        because=[lean],
        fixes=document.set(sync, True, safety=Safety.SAFE),
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    "BL523",
    "fsdp-ram-eff-without-sync",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="safe",
    formats=("accelerate", *TRAINING_ARGUMENTS),
    applies="trainer files: transformers < 5.10.0; accelerate files: all versions",
    flags=True,
    words=("cpu_ram_efficient_loading", "fsdp_cpu_ram_efficient_loading"),
    harm=4.5,
)
