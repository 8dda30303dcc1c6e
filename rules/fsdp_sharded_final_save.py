"""A last `save_model` that writes no model: FSDP with sharded state dicts.

`Trainer.save_model` under FSDP writes the model only where the state dict type is `FULL_STATE_DICT`. With `SHARDED_STATE_DICT`
(accelerate's default for FSDP 2, and what its questionnaire offers) it writes no weights and returns.

## What it costs

The folder that the script names holds no weights. Checkpoints hold shards: they can be merged (`accelerate merge-weights`), if some were
written and not deleted with the job.

## Failing

```yaml accelerate.yaml
distributed_type: FSDP
num_processes: 4
mixed_precision: bf16
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_state_dict_type: SHARDED_STATE_DICT
```

```py train.py
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
trainer = Trainer(model=model, args=TrainingArguments(output_dir="out", save_strategy="no"), train_dataset=data)
trainer.train()
trainer.save_model("final")
```

```sh run.sh
accelerate launch --config_file accelerate.yaml train.py
```

## Passing

```yaml accelerate.yaml
distributed_type: FSDP
num_processes: 4
mixed_precision: bf16
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_state_dict_type: FULL_STATE_DICT
```

```py train.py
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
trainer = Trainer(model=model, args=TrainingArguments(output_dir="out", save_strategy="no"), train_dataset=data)
trainer.train()
trainer.save_model("final")
```

```sh run.sh
accelerate launch --config_file accelerate.yaml train.py
```

## When it is meant

Where the program changes the type before it saves (`fsdp_plugin.set_state_dict_type("FULL_STATE_DICT")`): then nothing is told.

## Sources

- transformers 4.39.0, 4.49.0 and 5.24.0 `trainer.py` save_model: `elif self.is_fsdp_enabled: if "FULL_STATE_DICT" in ...`.
- huggingface/transformers#30491.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import PYTHON, Confidence, Finding, Rule, RunContext, Severity, mentions, stated, trainer_of

_SAVES = (".save_model(",)
_CHANGES = ("set_state_dict_type", "state_dict_type(", "FULL_STATE_DICT", "get_state_dict", "merge_fsdp")
_MERGES = ("merge-weights",)


def check(run: RunContext) -> Iterator[Finding]:
    trainer, kind = trainer_of(run, PYTHON), run.setting("state_dict_type")
    if trainer is None or run.program is None or kind is None or not stated(kind) or "sharded" not in str(kind.value).lower():
        return
    shard = run.setting("shard")
    if shard is None or not all(str(one).startswith("fsdp") for one in (shard.readings or (run.value("shard"),))):
        return
    source = trainer.document.source
    merged = any(mentions(one.document.source, _MERGES) for one in run.run.readings)
    if not mentions(source, _SAVES) or mentions(source, _CHANGES) or merged:
        return
    yield run.finding(
        kind,
        f"{kind.text or kind.value}: under FSDP with this type the save_model of {source.path} writes no model",
        help='FULL_STATE_DICT, or trainer.accelerator.state.fsdp_plugin.set_state_dict_type("FULL_STATE_DICT") before save_model',
    )


RULE = Rule(
    code="BL534",
    name="fsdp-sharded-final-save",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    status="preview",
    needs=("state_dict_type",),
    harm=9.0,
)
