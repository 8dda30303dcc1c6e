"""A learning-rate schedule that steps at each small batch, while the loop counts whole steps.

Inside `accelerator.accumulate` an optimizer and a scheduler that `accelerator.prepare` made skip the batches that only add to the
gradients. A scheduler that was not prepared steps at each of them, and is through after a fraction of the run. Told where the loop counts
its steps under `accelerator.sync_gradients` and ends at the number that the schedule was made for.

## What it costs

With four small batches a step the rate falls four times as fast: the last three quarters of the run train at its end.

## Failing

```py train.py
from accelerate import Accelerator
from transformers import AutoModelForCausalLM, get_scheduler
import torch

total = 1000
accelerator = Accelerator(gradient_accumulation_steps=4)


def main(loader):
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    schedule = get_scheduler("cosine", optimizer=optimizer, num_warmup_steps=10, num_training_steps=total)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    done = 0
    while done < total:
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(**batch).loss)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                done += 1


main(torch.utils.data.DataLoader(open("rows.txt").readlines()))
```

## Passing

```py train.py
from accelerate import Accelerator
from transformers import AutoModelForCausalLM, get_scheduler
import torch

total = 1000
accelerator = Accelerator(gradient_accumulation_steps=4)


def main(loader):
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    schedule = get_scheduler("cosine", optimizer=optimizer, num_warmup_steps=10, num_training_steps=total)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    done = 0
    while done < total:
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(**batch).loss)
                optimizer.step()
                if accelerator.sync_gradients:
                    schedule.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                done += 1


main(torch.utils.data.DataLoader(open("rows.txt").readlines()))
```

## Sources

- accelerate 1.15.0 `scheduler.py` `AcceleratedScheduler.step`, `optimizer.py` `AcceleratedOptimizer.step`: both ask
  `gradient_state.sync_gradients`; `accelerator.py` `accumulate`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._program import slips


def check(run: RunContext) -> Iterator[Finding]:
    accumulated = run.value("grad_accum")
    if accumulated == 1:
        return
    for _, one in slips(run, "stepped"):
        often = f"{accumulated} times as fast as it is asked to" if accumulated else "as many times as fast as small batches make a step"
        yield run.finding(
            one.location,
            f"{one.key} was not prepared by accelerate and steps at each small batch: the learning rate changes {often}",
            help="step it only where accelerator.sync_gradients is true",
            related=[(one.where, "the optimizer steps once for several of these")] if one.where is not None else [],
            key=one.key,
        )


RULE = Rule(
    code="BL663",
    name="schedule-steps-each-batch",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=8.0,
)
