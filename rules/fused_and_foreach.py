"""An optimizer of torch with `fused` and `foreach` both on.

## What it costs

The run stops when the optimizer is built: "`fused` and `foreach` cannot be `True` together". Of the two, foreach needs a temporary list
as large as the trainable parameters in each step, fused none.

## Failing

```yaml recipe.yaml
model:
  _component_: torchtune.models.qwen2_5.qwen2_5_1_5b_base
tokenizer:
  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer
  max_seq_len: 2048
optimizer:
  _component_: torch.optim.AdamW
  lr: 0.00002
  fused: true
  foreach: true
batch_size: 1
epochs: 1
```

## Passing

```yaml recipe.yaml
model:
  _component_: torchtune.models.qwen2_5.qwen2_5_1_5b_base
tokenizer:
  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer
  max_seq_len: 2048
optimizer:
  _component_: torch.optim.AdamW
  lr: 0.00002
  fused: true
batch_size: 1
epochs: 1
```

## Sources

- torch 2.13.0 `optim/adam.py` `Adam.__init__`.
- torchtune 0.6.1 `config/_instantiate.py`, litgpt 0.5.11 `utils.py` `instantiate_torch_optimizer`: keys of the block become its arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, DocumentContext, Finding, Rule, Safety, Severity, is_on, written_in

BLOCKS = {
    "torchtune": ("optimizer", "training.optimizer"),
    "litgpt": ("optimizer.init_args",),
    "lightning": ("optimizer.init_args", "model.optimizer.init_args"),
}


def check(document: DocumentContext) -> Iterator[Finding]:
    for block in BLOCKS[document.format]:
        fused, foreach = (written_in(document.reading, f"{block}.{key}") for key in ("fused", "foreach"))
        if fused is not None and foreach is not None and is_on(fused) and is_on(foreach):
            yield document.finding(
                foreach,
                "foreach beside fused: torch takes only one of them and stops when the optimizer is built",
                help="keep fused",
                because=[fused],
                fixes=document.delete(foreach, safety=Safety.UNSAFE),
            )


RULE = Rule(
    code="BL328",
    name="fused-and-foreach",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="document",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="unsafe",
    formats=tuple(BLOCKS),
    flags=True,
    words=("foreach",),
    harm=2.5,
    stops=True,
)
