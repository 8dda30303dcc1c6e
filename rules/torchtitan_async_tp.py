"""torchtitan is to overlap tensor parallelism with compute, without compiling the model.

## What it costs

The run stops at start: "Async TP requires 'model' in --compile.components and --compile.enable".

## Failing

```toml job.toml
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 2
seq_len = 8192
[parallelism]
tensor_parallel_degree = 2
enable_async_tensor_parallel = true
[compile]
enable = false
```

## Passing

```toml job.toml
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 2
seq_len = 8192
[parallelism]
tensor_parallel_degree = 2
enable_async_tensor_parallel = true
[compile]
enable = true
```

## Sources

- torchtitan 0.2.2 `distributed/tensor_parallel.py` `maybe_enable_async_tp`, `models/qwen3/infra/parallelize.py`: asked only where the
  degree is more than 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Setting, Severity, is_on, written_in

KEYS = ("parallelism.enable_async_tensor_parallel", "experimental.enable_async_tensor_parallel")


def check(run: RunContext) -> Iterator[Finding]:
    overlap, degree, compiled = _asked(run), run.setting("tensor_parallel"), run.setting("compile")
    if overlap is None or not is_on(overlap) or degree is None or not degree.known or degree.value < 2:
        return
    if compiled is None or not compiled.known or compiled.value:
        return
    yield run.finding(
        overlap,
        f"async tensor parallelism over {degree.value} GPUs without compiling the model: torchtitan stops at start",
        help="[compile] enable = true, with 'model' among the components",
        because=[degree, compiled],
        numbers={"tensor_parallel": degree.value},
    )


def _asked(run: RunContext) -> Setting | None:
    """A flag beats the file."""
    readings = sorted(run.documents("torchtitan"), key=lambda reading: not reading.document.is_command)
    found = (written_in(reading, *KEYS) for reading in readings)
    return next((one for one in found if one is not None), None)


RULE = Rule(
    "BL530",
    "torchtitan-async-tp",
    Severity.ERROR,
    Confidence.HIGH,
    "run",
    check,
    __doc__ or "",
    "0.1.0",
    formats=("torchtitan",),
    harm=2.5,
)
