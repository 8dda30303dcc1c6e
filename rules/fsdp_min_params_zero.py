"""SIZE_BASED_WRAP with a threshold of zero wraps nothing.

accelerate drops the policy when `fsdp_min_num_params` is 0, without a word. A file without the key gets the launcher's 1e8.

## What it costs

The whole model is one FSDP unit: every GPU gathers all parameters at once (15 GB for a 7.6B model in bf16).

## Failing

```yaml fsdp.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 8
fsdp_config:
  fsdp_auto_wrap_policy: SIZE_BASED_WRAP
  fsdp_min_num_params: 0
```

## Passing

```yaml fsdp.yaml
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
num_processes: 8
fsdp_config:
  fsdp_auto_wrap_policy: SIZE_BASED_WRAP
  fsdp_min_num_params: 100000000
```

## Sources

- accelerate 1.15.0 `utils/dataclasses.py` `set_auto_wrap_policy`: "If zero, we silently ignore it"; `commands/launch.py`
  `--fsdp_min_num_params`: default 1e8 where the file has no such key (the same in 0.30.0).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, number_of, written_in

THRESHOLD = 100_000_000


def check(document: DocumentContext) -> Iterator[Finding]:
    kind = written_in(document.reading, "distributed_type")
    policy = written_in(document.reading, "fsdp_config.fsdp_auto_wrap_policy", "fsdp_config.auto_wrap_policy")
    if kind is None or policy is None or str(kind.value).upper() != "FSDP" or str(policy.value).upper() != "SIZE_BASED_WRAP":
        return
    least = written_in(document.reading, "fsdp_config.fsdp_min_num_params", "fsdp_config.min_num_params")
    if least is not None and number_of(least) == 0:
        yield document.finding(
            least,
            f"{policy.text} with {least.name.rpartition('.')[2]} {least.text} wraps nothing: "
            "the whole model is one FSDP unit, so every GPU gathers all parameters at once",
            help=f"{THRESHOLD}, or TRANSFORMER_BASED_WRAP",
            because=[policy],
            fixes=document.set(least, THRESHOLD, safety=Safety.UNSAFE),
        )


RULE = Rule(
    "BL508",
    "fsdp-min-params-zero",
    Severity.ERROR,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    fix="unsafe",
    formats=("accelerate",),
    flags=True,
    harm=9.0,
)
