"""`torch.optim.Muon` for the whole model, of which only the matrices are its business.

A recipe hands every trainable parameter to the class that it names. Norm weights are vectors, so Muon refuses them; embedding and head
are matrices, but are not meant for it either. The mixed variants (axolotl's `muon`, Keller Jordan's `MuonWithAuxAdam`) split by
themselves. A LoRA adapter consists of matrices only and is not told.

## What it costs

The run stops when the optimizer is built: "Muon only supports 2D parameters".

## Failing

```yaml recipe.yaml
model:
  _component_: torchtune.models.qwen2_5.qwen2_5_1_5b_base
tokenizer:
  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer
  max_seq_len: 2048
optimizer:
  _component_: torch.optim.Muon
  lr: 0.0002
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
  lr: 0.0002
batch_size: 1
epochs: 1
```

## Sources

- torch 2.13.0 `optim/_muon.py`: raises for a parameter whose `ndim` is not 2.
- torchtune 0.6.1 `recipes/full_finetune_single_device.py`: `config.instantiate(cfg_optimizer, self._model.parameters())`.
- litgpt 0.5.11 `utils.py` `instantiate_torch_optimizer`: `model.parameters()`.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import Confidence, Finding, Rule, RunContext, Severity, as_written, full_tuning, stated, trainer_of

NAMES = {"torchtune": ("torch.optim.Muon",), "litgpt": ("torch.optim.Muon", "Muon")}


def check(run: RunContext) -> Iterator[Finding]:
    trainer, setting = trainer_of(run, tuple(NAMES)), run.setting("optimizer")
    if trainer is None or setting is None or not stated(setting) or setting.text not in NAMES[trainer.format] or not full_tuning(run):
        return
    yield run.finding(
        setting,
        f"'{as_written(setting)}' gets every parameter of the model, and stops at the first norm weight: Muon takes matrices only",
        help="torch.optim.AdamW, or a class that gives vectors, embedding and head to AdamW",
        because=[found for found in (run.setting("adapter"),) if found and stated(found)],
    )


RULE = Rule(
    code="BL316",
    name="muon-non-2d",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    needs=("optimizer",),
    applies="torch >= 2.9, which has the class",
    words=tuple(f"optimizer={name}" for names in NAMES.values() for name in names),
    harm=7.0,
)
