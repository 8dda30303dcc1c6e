"""A response template that ends in a blank.

`DataCollatorForCompletionOnlyLM` looks for the tokens of its template in each example, and lets everything before them count nothing. Most
tokenizers put a blank together with the word behind it, so that a template that ends in one has a last token that stands in no example.

## What it costs

The template is not found, and every label of the example is ignored: the loss counts nothing, with a warning for each example.

## Failing

```py train.py
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-1.5B")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
collator = DataCollatorForCompletionOnlyLM("Answer: ", tokenizer=tokenizer)
SFTTrainer(model, args=SFTConfig(output_dir="out"), data_collator=collator).train()
```

## Passing

```py train.py
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-1.5B")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
collator = DataCollatorForCompletionOnlyLM("Answer:", tokenizer=tokenizer)
SFTTrainer(model, args=SFTConfig(output_dir="out"), data_collator=collator).train()
```

## Sources

- trl 0.9.6 `trainer/utils.py` `DataCollatorForCompletionOnlyLM.torch_call`: "Could not find response key", and every label is ignored.
- huggingface/trl#1920.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity

from ._program import slips


def check(run: RunContext) -> Iterator[Finding]:
    for _, one in slips(run, "template"):
        yield run.finding(
            one.location,
            f"response_template {one.key!r} ends in a blank, which most tokenizers put into the token of the word behind it: "
            "where they do, the template is not found, and every label of the example is ignored",
            help=f"{one.key.rstrip()!r}",
            related=[(one.where, "the collator")] if one.where is not None else [],
            key="response_template",
        )


RULE = Rule(
    code="BL664",
    name="response-template-blank",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    harm=9.0,
)
