"""This run was seen to run out of memory on this card.

`measured oom` needs no figure. It keeps the verdict from *fits* on the card that it names. With the hash of the settings
(`config=sha256:…`) it is a fact about this very run and an error; without one it is a warning, as nobody can tell whether the settings
are still the same.

## What it costs

The job dies again.

## Failing

```budget
device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full
measured oom device="NVIDIA L4"
```

## Passing

```budget
device l4; model qwen2.5-1.5b; precision bf16-pure; lora r=16; optimizer adamw; batch 1; seq 1024; recompute full
measured oom device="Tesla T4"
```

## Sources

- `docs/measured.md` in the project: what a line without a figure says.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.measured.lines import Line, State
from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, Verdict

from ._measured import seen_on


def check(run: RunContext) -> Iterator[Finding]:
    for line in run.recorded:
        if line.holds and line.measured.outcome == "oom" and _here(run, line):
            phase = line.measured.facts.get("phase")
            yield run.finding(
                line.measured.origin,
                f"{run.label} was seen to run out of memory{seen_on(line)}{f', in {phase}' if phase else ''}{_against(run)}",
                help="free some memory (`budgetlint solve`); or delete the line if the card was shared with another process",
                severity=Severity.ERROR if line.state is State.FRESH else Severity.WARNING,
            )


def _here(run: RunContext, line: Line) -> bool:
    """A line that names no card is about the one that the run is judged on."""
    device = run.target.device.device if run.target and run.target.device else None
    return "device" not in line.measured.facts or (device is not None and line.device is not None and device.name == line.device.name)


def _against(run: RunContext) -> str:
    agrees = run.estimate is not None and run.estimate.verdict is Verdict.DOES_NOT_FIT
    return "" if agrees else ", which the estimate does not show: something was there that the settings do not say"


RULE = Rule(
    code="BL132",
    name="measured-oom",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("measurement",),
    harm=10.0,
)
