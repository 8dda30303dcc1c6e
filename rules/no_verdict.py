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

from budgetlint.base.plain_text import one_line
from budgetlint.rule import Confidence, Estimate, Finding, Rule, RunContext, Setting, Severity, Verdict, device_words
from budgetlint.settings.run import NO_VOCABULARY

from ._by_size import least_by_size
from ._open import OWN_VALUES, cure, depends, filled, no_model, place, said, unknown_model

VOCABULARY = "write the size of the tokenizer's vocabulary beside the others: --vocab-size N"


def check(run: RunContext) -> Iterator[Finding]:
    estimate = run.answer
    if estimate is None or estimate.verdict is not Verdict.UNKNOWN or estimate.leaning is Verdict.DOES_NOT_FIT:
        return
    rows = _rows(run, estimate)
    if rows is not None:
        yield run.finding(
            rows.origin.location,
            f"{run.label} gets no verdict on {device_words(run)}: incomplete: {' and '.join(('vocabulary', *_others(estimate)))}",
            help="; ".join(filter(None, (VOCABULARY, said(_others(estimate))))),
        )
        return
    yield run.finding(place(estimate), _words(run, estimate), help="; ".join((cure(estimate), *_lacks_as_well(run, estimate))))


def _lacks_as_well(run: RunContext, estimate: Estimate) -> Iterator[str]:
    """Of a run whose model is not known, what has no value that anybody could read: it lacks still, once the model is known."""
    if estimate.missing != ("model",) or estimate.supposes is not None:
        return
    settings = (run.setting(name) for name in ("micro_batch", "seq_len"))
    names = [one.name for one in settings if one is not None and one.state == "symbolic" and not one.readings]
    if names:
        yield f"beside the model, with the run's own values: {said(names).removeprefix(OWN_VALUES)}"


def _words(run: RunContext, estimate: Estimate) -> str:
    """Of a model that is not modelled or not known in the same words for all its runs: `once`."""
    model, unknown = no_model(estimate), unknown_model(estimate) if estimate.supposes is None else None
    if model is not None:
        return f"no verdict on {device_words(run)}: {model} is not modelled"
    if unknown is not None:
        return f"no verdict on {device_words(run)}: incomplete: model ({one_line(unknown)}){_by_name(run, estimate)}"
    return f"{run.label} gets no verdict on {device_words(run)}: {depends(estimate)}{filled(estimate)}{_by_name(run, estimate)}"


def _by_name(run: RunContext, estimate: Estimate) -> str:
    """What the size in the name of a model says that is not known."""
    name = next((one.text for one in estimate.opened if one.name == "model"), "")
    return least_by_size(run, name) if "model" in estimate.missing and not estimate.forks and estimate.supposes is None else ""


def _rows(run: RunContext, estimate: Estimate) -> Setting | None:
    """The sizes of a model of which only the rows of the vocabulary are not known."""
    sizes = run.setting("model_custom")
    lacks = "model" in estimate.missing and estimate.supposes is None and not estimate.forks
    return sizes if lacks and sizes is not None and sizes.text == NO_VOCABULARY and "model" not in run.run.settings else None


def _others(estimate: Estimate) -> tuple[str, ...]:
    return tuple(name for name in estimate.missing if name != "model")


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
    once=True,
)
