"""A reference model beside a `peft_config`: TRL's DPO trainer takes one of them.

With an adapter the base without it is the reference, and a second model is refused.

## What it costs

The trainer stops when it is made: after two models have been loaded.

## Failing

```py dpo.py
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
ref_model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
peft_config = LoraConfig(r=16, task_type="CAUSAL_LM")
args = DPOConfig(output_dir="out")
DPOTrainer(model=model, ref_model=ref_model, args=args, peft_config=peft_config, train_dataset=data).train()
```

```text requirements.txt
trl==0.24.0
```

## Passing

```py dpo.py
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
peft_config = LoraConfig(r=16, task_type="CAUSAL_LM")
args = DPOConfig(output_dir="out")
DPOTrainer(model=model, ref_model=None, args=args, peft_config=peft_config, train_dataset=data).train()
```

```text requirements.txt
trl==0.24.0
```

## When it is meant

`force_use_ref_model: true` (TRL before 0.29): a reference of another origin than the base.

## Sources

- TRL 0.9.6, 0.12.0, 0.19.0, 0.24.0 and 0.28.0 `trainer/dpo_trainer.py` `__init__`: "You passed both a ref_model and a peft_config"; 0.29.0
  takes both.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import PYTHON, Confidence, Finding, Rule, RunContext, Severity, is_off, written_by, written_in

TAKES_BOTH = "0.29.0"


def check(run: RunContext) -> Iterator[Finding]:
    trainer = run.run.trainer
    if trainer is None or trainer.format not in PYTHON or run.run.stack.at_least("trl", TAKES_BOTH) is not False:
        return
    reference, adapter = (written_in(trainer, f"DPOTrainer.{name}") for name in ("ref_model", "peft_config"))
    forced = written_by(run, "force_use_ref_model")
    if reference is None or adapter is None or (forced is not None and not is_off(forced)):
        return
    if not _is_surely_given(reference.text) or not _is_surely_given(adapter.text):
        return
    yield run.finding(
        reference,
        f"ref_model beside peft_config: with an adapter the base is the reference, and TRL before {TAKES_BOTH} stops at both",
        help="ref_model=None, or no peft_config (wrap the model before)",
        because=[adapter],
    )


def _is_surely_given(text: str) -> bool:
    """What a condition or a call of one's own gives may be None."""
    return " if " not in text and "None" not in text and not text.startswith(("<perhaps", "<call", "<made"))


RULE = Rule(
    code="BL639",
    name="dpo-reference-beside-adapter",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    formats=PYTHON,
    applies="TRL before 0.29.0",
    harm=6.0,
    stops=True,
)
