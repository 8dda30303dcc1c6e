"""The run gets no verdict on its device: something that decides is not stated, not here, or not modelled.

It is told what: a setting that is missing, a file that is not in the repository, a version on which the answer depends, an optimizer or
engine that no formula here knows, a budget with a statement that was not understood, or a model of which only the name suggests what it is.

## What it costs

Nothing by itself. A gate that is to refuse what could not be judged raises the level: `deny no-verdict` in a budget, or
`levels = {no-verdict = "error"}` in `[tool.budgetlint]`. `--require-verdict` asks the same of every run, and of those without a device.

## Failing

```budget
device 24GiB; model qwen2.5-1.5b; lora r=8; seq 512
```

## Passing

```budget
device 24GiB; model qwen2.5-1.5b; lora r=8; batch 1; seq 512
```

## Sources

- `docs/formats.md`: the reasons, and the readings of what is open.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, Verdict, device_words

from ._open import cure, depends, no_model, place


def check(run: RunContext) -> Iterator[Finding]:
    estimate = run.answer
    if estimate is None or estimate.verdict is not Verdict.UNKNOWN or estimate.leaning is Verdict.DOES_NOT_FIT:
        return
    model = no_model(estimate)
    said = f"{run.label} gets no verdict on {device_words(run)}: {depends(estimate)}"
    yield run.finding(
        place(estimate),
        said if model is None else f"no verdict on {device_words(run)}: {model} is not modelled",  # the same of all such runs: told once
        help=cure(estimate),
    )


RULE = Rule(
    code="BL135",
    name="no-verdict",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("device", "estimate"),
)
