"""An object that decides memory is made, and reaches nothing that trains.

A model is loaded in 4 bits and its *name* is handed to the trainer, which loads it again in full; an adapter's config is made and given to
nobody. Told only where the way of what trains is known from its load to its trainer, and every use of the object's name in its module was
followed.

## What it costs

What trains is another model than the one that was prepared: a model that was meant to be quantised trains in full precision, beside the
first one that still lies in memory.

## Failing

```py train.py
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer

name = "Qwen/Qwen2.5-1.5B"
quantised = BitsAndBytesConfig(load_in_4bit=True)
model = AutoModelForCausalLM.from_pretrained(name, quantization_config=quantised)
model.config.use_cache = False
arguments = SFTConfig(output_dir="out", max_length=1024)
trainer = SFTTrainer(model=name, args=arguments, peft_config=LoraConfig(r=16))
trainer.train()
```

## Passing

```py train.py
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer

name = "Qwen/Qwen2.5-1.5B"
quantised = BitsAndBytesConfig(load_in_4bit=True)
model = AutoModelForCausalLM.from_pretrained(name, quantization_config=quantised)
model.config.use_cache = False
arguments = SFTConfig(output_dir="out", max_length=1024)
trainer = SFTTrainer(model=model, args=arguments, peft_config=LoraConfig(r=16))
trainer.train()
```

## Sources

- TRL 0.9 to 0.26 `trainer/sft_trainer.py`, `trainer/grpo_trainer.py`: a model that is a text is loaded with `model_init_kwargs` of the
  arguments.
- peft 0.18 `mapping_func.py` `get_peft_model`: an adapter's config does nothing before a model is wrapped in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

_SAID = {
    "model": "the model that is loaded here reaches nothing that trains",
    "adapter": "the adapter that is set up here is given to no model and no trainer",
    "quantisation": "the quantisation that is set up here is given to no model",
    "arguments": "the arguments that are made here are given to no trainer",
    "optimizer": "the optimizer that is made here is given to no trainer",
    "callback": "the callback that is made here is given to no trainer",
}
_HELP = {
    "model": "give the trainer this model, or do not load it",
    "adapter": "give it to the trainer (peft_config=) or wrap the model in it (get_peft_model)",
    "quantisation": "load the model with it (quantization_config=)",
    "arguments": "give the trainer these (args=), or do not make them",
    "optimizer": "give it to the trainer (optimizers=), or do not make it",
    "callback": "give it to the trainer (callbacks=)",
}


def check(run: RunContext) -> Iterator[Finding]:
    program = run.program
    for one in program.idle if program is not None else ():
        if one.kind == "adapter" and str(run.value("adapter", "")) != "none":
            continue  # the run has another one, or may have: this one may only have been tried
        yield run.finding(
            one.location,
            f"{_SAID[one.kind]}: {one.trains} ({one.trained_at.file}:{one.trained_at.line})",
            help=_HELP[one.kind],
            related=[(one.trained_at, "what trains")],
            key=one.made,
        )


RULE = Rule(
    code="BL633",
    name="without-effect",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=10.0,
)
