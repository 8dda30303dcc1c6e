"""A value, or several together, that the framework's own argument class refuses.

The conditions are read from the code of the class, by release, and each was tried on the real class: it refused a config that the
condition picks, and took one beside it. A field that the config does not write counts with its default only where the program that
reads the config is known. Told for files, flags and scripts alike: `TrainingArguments` and TRL's configs, PEFT's, LLaMA-Factory's,
axolotl's schema, the arguments of ms-swift, the config of verl's program, OpenRLHF's flags, torchtune's recipes by the name that
`tune run` is given, the quantization configs and Accelerate's plugins that a script makes, and a DeepSpeed file beside a trainer that
is known (what is `auto` there is not known).

## What it costs

The run stops when the arguments are read: after the job has waited for its GPUs, often after the model has been loaded.

## Failing

```sh run.sh
python train.py --logging_steps 0
```

```py train.py
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=args).train()
```

## Passing

```sh run.sh
python train.py --logging_steps 10
```

```py train.py
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=args).train()
```

## Sources

- `budgetlint/contracts/data`: each row names release, file and line; the message gives those of the newest.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._contract_names import HELD_TO_CONTRACTS
from ._contracts import findings


def check(run: RunContext) -> Iterator[Finding]:
    yield from findings(run, warns=False)


RULE = Rule(
    code="BL634",
    name="framework-refuses",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=HELD_TO_CONTRACTS,
    status="preview",
    harm=9.0,
    general=True,
    stops=True,
)
