"""The verdict depends on what nobody states, and however it is read the run seems too large for the device.

A version or a setting is open. In one reading the run does not fit, in the others its need is too close to the limit and the best figure
lies over it: no reading leaves it room. So it is no error, and the gate is told. Where the length is only a limit (`does-not-fit`) and
short rows fit in every reading, it is information.

## What it costs

The job waits for its GPU and dies of an out-of-memory error in its first steps, with the one version or in the worst batches of the other.

## Failing

Before torch 2.8 the optimizer's step takes 15 GiB more; from there on the need is too close.

```budget
device 60GiB
config train.yaml
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: trl-lib/Capybara
dtype: bfloat16
bf16: true
max_length: 1024
packing: true
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
loss_type: chunked_nll
```

## Passing

It fits whichever version runs.

```budget
device 90GiB
config train.yaml
```

```yaml train.yaml
model_name_or_path: meta-llama/Llama-3.1-8B
dataset_name: trl-lib/Capybara
dtype: bfloat16
bf16: true
max_length: 1024
packing: true
per_device_train_batch_size: 1
learning_rate: 0.00001
num_train_epochs: 1
loss_type: chunked_nll
```

## Sources

- `docs/formats.md`: what a verdict may depend on, and how the readings are told.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, Verdict, device_words, figures

from ._fit import bill_words, dearest
from ._length import depends_on_rows
from ._open import cure, depends, place


def check(run: RunContext) -> Iterator[Finding]:
    estimate = run.estimate
    if estimate is None or estimate.leaning is not Verdict.DOES_NOT_FIT:
        return
    short = depends_on_rows(run)
    short = short if short is not None and short.verdict is Verdict.FITS else None
    yield run.finding(
        place(estimate) or dearest(estimate),
        f"{run.label} probably does not fit {device_words(run)}{f' {short.words}' if short else ''}: {depends(estimate)}; "
        f"{bill_words(estimate)}",
        help=f"{cure(estimate)}; or free some memory",
        numbers=figures(estimate),
        severity=Severity.INFO if short else None,
    )


RULE = Rule(
    code="BL134",
    name="probably-does-not-fit",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("device", "estimate"),
    harm=10.0,
)
