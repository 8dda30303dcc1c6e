"""The schedule that a program makes is warming up until its end.

Told of a call of transformers' schedules that the followed program surely makes, where both the warm-up and the number of steps are known
numbers: of flags, of defaults of flags, of arithmetic on them.

## What it costs

The learning rate never reaches the value that is configured, and no decay follows.

## Failing

```sh run.sh
python train.py --samples 1000
```

```py train.py
import argparse, torch
from transformers import AutoModelForCausalLM, get_linear_schedule_with_warmup

parser = argparse.ArgumentParser()
parser.add_argument("--samples", type=int, default=100000)
parser.add_argument("--warmup", type=int, default=2000)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
schedule = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=args.warmup, num_training_steps=args.samples // 8)
for step in range(args.samples // 8):
    model(input_ids=torch.ones(8, 16), labels=torch.ones(8, 16)).loss.backward()
    optimizer.step()
    schedule.step()
```

## Passing

```sh run.sh
python train.py --samples 1000 --warmup 10
```

```py train.py
import argparse, torch
from transformers import AutoModelForCausalLM, get_linear_schedule_with_warmup

parser = argparse.ArgumentParser()
parser.add_argument("--samples", type=int, default=100000)
parser.add_argument("--warmup", type=int, default=2000)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
schedule = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=args.warmup, num_training_steps=args.samples // 8)
for step in range(args.samples // 8):
    model(input_ids=torch.ones(8, 16), labels=torch.ones(8, 16)).loss.backward()
    optimizer.step()
    schedule.step()
```

## Sources

- transformers 5.24.0 `optimization.py`: the rate is `step / num_warmup_steps` of its peak during the warm-up; pytorch-transformers 1.2
  `optimization.py` `WarmupLinearSchedule`: the same, as `warmup_steps` and `t_total`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._program import slips


def check(run: RunContext) -> Iterator[Finding]:
    for _, one in slips(run, "warmup"):
        warmup, total = (float(value) for value in one.values)
        made = f" ({one.where.file}:{one.where.line})" if one.where is not None else ""
        yield run.finding(
            one.location,
            f"a warm-up of {warmup:,.0f} steps is longer than the {total:,.0f} steps that the schedule is made for{made}: "
            f"the learning rate ends at {total / warmup:.0%} of its value",
            help=f"3 to 10% of the run is usual: {max(1, round(total * 0.03))} to {max(1, round(total * 0.1))} steps",
            related=[(one.where, "the schedule")] if one.where is not None else [],
            numbers={"warmup_steps": warmup, "steps": total, "peak_fraction": total / warmup},
            key="warmup_steps",
        )


RULE = Rule(
    code="BL665",
    name="warmup-longer-than-schedule",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=8.0,
)
