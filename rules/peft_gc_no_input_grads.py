"""A script wraps its model in PEFT, and the Trainer checkpoints it reentrantly without gradients at the input.

Reentrant checkpointing passes gradients on only if an input of the block requires one. The embedding below LoRA is frozen, so no input
does, unless `enable_input_require_grads()` or `prepare_model_for_kbit_training` makes it.

## What it costs

The first backward pass stops: "element 0 of tensors does not require grad and does not have a grad_fn".

## Failing

```python train.py
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
model = get_peft_model(model, LoraConfig(r=8, target_modules="all-linear"))
args = TrainingArguments(output_dir="out", gradient_checkpointing=True)
trainer = Trainer(model=model, args=args)
```

```budget
device 1x a100-80gb
stack transformers@4.57
```

## Passing

```python train.py
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
model.enable_input_require_grads()
model = get_peft_model(model, LoraConfig(r=8, target_modules="all-linear"))
args = TrainingArguments(output_dir="out", gradient_checkpointing=True)
trainer = Trainer(model=model, args=args)
```

```budget
device 1x a100-80gb
stack transformers@4.57
```

## Sources

- transformers 4.57.6 `modeling_utils.py` `gradient_checkpointing_enable`: asks for input gradients only for adapters that transformers
  itself loaded; `use_reentrant` is true there, false from 5.0.0.
- Run with a small Llama, PEFT 0.21.2: transformers 4.57.6 stops so, and trains with `enable_input_require_grads` or without
  reentrance; 5.0.0 and 5.24.0 train either way.
- PEFT 0.21.2 `peft_model.py`: asks for them only if checkpointing is on before the model is wrapped.
- huggingface/peft#137, #1142, #2742. TRL's trainers ask for them themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.python_script import classes
from budgetlint.rule import Confidence, Finding, Reading, Rule, RunContext, Setting, Severity, stated

_PREPARED = ("input_require_grads", "prepare_model_for", "gradient_checkpointing_enable", "make_inputs_require_grad", "requires_grad_(True")
_ENDS = ("embed", "wte", "word_embeddings")


def check(run: RunContext) -> Iterator[Finding]:
    trainer, depth, reentrant = run.run.trainer, run.setting("recompute"), run.setting("recompute_reentrant")
    if trainer is None or depth is None or reentrant is None or not stated(depth) or depth.value != "full" or not _wraps(trainer):
        return
    newer = run.at_least("transformers", "5.0.0")
    if newer or reentrant.value is not True or run.value("adapter") != "lora" or _trains_embedding(run):
        return
    yield _finding(run, depth, reentrant, newer is False)


def _wraps(trainer: Reading) -> bool:
    """``get_peft_model`` of PEFT for the plain Trainer, and nothing that lets gradients in."""
    document = trainer.document
    wrapped = classes.class_of(document.get("get_peft_model")).startswith("peft.")
    plain = classes.trainer_of(document) in ("Trainer", "Seq2SeqTrainer")
    return wrapped and plain and not any(map(document.source.mentions, _PREPARED))


def _trains_embedding(run: RunContext) -> bool:
    names = [*(run.value("lora_targets") or ()), *(run.value("lora_modules_to_save") or ())]
    return any(word in str(name) for name in names for word in _ENDS)


def _finding(run: RunContext, depth: Setting, reentrant: Setting, sure: bool) -> Finding:
    kind = "reentrant checkpointing" if stated(reentrant) else "checkpointing, reentrant before transformers 5,"
    where = "" if sure else "under transformers 4 "
    return run.finding(
        depth,
        f"LoRA under {kind} without gradients at the input: {where}the first backward pass stops with 'element 0 of tensors does not "
        "require grad'",
        help='gradient_checkpointing_kwargs={"use_reentrant": False}, or model.enable_input_require_grads() before get_peft_model',
        because=[reentrant],
        severity=Severity.ERROR if sure else Severity.INFO,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


RULE = Rule(
    code="BL422",
    name="peft-gc-no-input-grads",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=("python_script",),
    applies="transformers < 5.0.0",
    harm=9.5,
)
