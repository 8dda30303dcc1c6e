"""accelerate's FP8 backend is MS-AMP, which is on its way out.

## What it costs

A warning today ("MS-AMP is deprecated and will be removed in a future version of Accelerate"), a stop after a later update. With FSDP
the run stops already: "`accelerate` + `MS-AMP` + `FSDP` is not supported at this time".

## Failing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
mixed_precision: fp8
num_processes: 8
fp8_config:
  backend: MSAMP
  opt_level: O2
```

## Passing

```yaml accelerate.yaml
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
mixed_precision: fp8
num_processes: 8
fp8_config:
  backend: TE
```

## Sources

- accelerate 1.15.0 `accelerator.py` `_prepare_msamp` (the warning), `__init__` (FSDP).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Severity, written_in

from ._fsdp import is_launched


def check(document: DocumentContext) -> Iterator[Finding]:
    backend, precision = written_in(document.reading, "fp8_config.backend", "fp8_backend"), written_in(document.reading, "mixed_precision")
    if backend is None or precision is None or str(backend.value).upper() != "MSAMP" or str(precision.value).lower() != "fp8":
        return
    stops = is_launched(document.reading)
    cost = "accelerate stops: it does not support MS-AMP with FSDP" if stops else "accelerate will remove MS-AMP, which it calls deprecated"
    yield document.finding(
        backend,
        f"{backend.name.rpartition('.')[2]} {backend.text}: {cost}",
        help="backend: TE (TransformerEngine) or AO (torchao)",
        because=[precision],
        severity=Severity.ERROR if stops else None,
    )


RULE = Rule(
    "BL224",
    "fp8-msamp-deprecated",
    Severity.INFO,
    Confidence.HIGH,
    "document",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("accelerate",),
    flags=True,
    harm=-0.5,
)
