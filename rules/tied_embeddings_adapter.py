"""LoRA on the embedding or the head of a model that ties the two.

One matrix serves both ends of such a model (Llama 3.2 1B and 3B, Qwen2.5 up to 3B, Gemma). LoRA trains an update for one end, and is
merged into both.

## What it costs

The merged model is not the one that trained: `merge_and_unload` changes the other end too, with no more than a warning. The adapter
by itself works.

## Failing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: data
use_peft: true
lora_target_modules: [q_proj, v_proj, lm_head]
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

## Passing

```yaml train.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: data
use_peft: true
lora_target_modules: [q_proj, v_proj]
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
logging_steps: 10
```

## Sources

- PEFT 0.21.2 `tuners/tuners_utils.py` `_check_tied_modules`, `_check_merge_allowed`; 0.13.0 `_check_merge_allowed`.
- Run with a small tied Llama and LoRA on lm_head, PEFT 0.21.2: merging changes the embedding and all logits. `modules_to_save` is
  not meant here: its copy survives merging, saving and loading (transformers 4.57.6, 5.0.0, 5.24.0).
- huggingface/peft#2777.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.rule import TRAINER_RUNS, Confidence, Finding, Rule, RunContext, Setting, Severity, is_on, stated, written_by

from ._adapters import inside, lora_sections

ENDS = frozenset(("embed_tokens", "lm_head", "wte", "word_embeddings", "embed_out"))
_TIES = ("ensure_weight_tying", "peft_ensure_weight_tying")


def check(run: RunContext) -> Iterator[Finding]:
    plan = run.plan
    if plan is None or not plan.arch.tied or run.value("adapter") != "lora" or _kept_tied(run):
        return
    targets = run.setting("lora_targets")
    if targets is not None and stated(targets) and _ends(targets):
        yield _finding(run, targets)


def _ends(names: Setting) -> str:
    return ", ".join(name for name in map(str, names.value) if name.rpartition(".")[2] in ENDS)


def _kept_tied(run: RunContext) -> bool:
    if is_on(written_by(run, *_TIES)):
        return True
    places = [(reading, section) for reading in run.run.readings if reading.format != "axolotl" for section in lora_sections(reading)]
    return any(is_on(inside(reading, section, _TIES[0])) for reading, section in places)


def _tying(run: RunContext) -> str:
    """The way to train both ends as one, where the trainer has a key for it."""
    trainer = run.run.trainer
    if trainer is None or trainer.format == "llamafactory":
        return ""
    return f", or set {_TIES[trainer.format == 'axolotl']}: true (PEFT 0.18 and newer) to train both as one"


def _finding(run: RunContext, targets: Setting) -> Finding:
    arch, model = run.plan.arch, run.setting("model")
    return run.finding(
        targets,
        f"LoRA on {_ends(targets)}, and {arch.name} ties its embedding to its head: merging writes the update into both",
        help=f"leave the embedding and the head out{_tying(run)}",
        because=[model] if model is not None else (),
        numbers={"vocabulary_matrix_params": arch.vocab * arch.hidden},
    )


RULE = Rule(
    code="BL419",
    name="tied-embeddings-adapter",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    formats=TRAINER_RUNS,
    harm=7.0,
)
