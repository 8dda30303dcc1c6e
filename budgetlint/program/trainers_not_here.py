"""A Trainer of code that is not here, which is built on transformers': it is handed transformers' own arguments."""

from __future__ import annotations

from budgetlint.documents.python_marks import EVALUATES, KEEPS_OUTPUTS
from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives
from budgetlint.program.objects import Object
from budgetlint.program.packages.benign import CHANGES, PACKAGES
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Value

_TAKES = frozenset({
    "model", "args", "data_collator", "train_dataset", "eval_dataset", "tokenizer", "processing_class", "model_init", "compute_metrics",
    "callbacks", "optimizers", "preprocess_logits_for_metrics", "compute_loss_func",
})  # fmt: skip
"""transformers 4.57 ``trainer.py`` Trainer.__init__. One that takes more (a reference, a reward, an adapter) is another thing."""
_MAY_BE_ITS_OWN = ("compute_loss", "training_step", "create_optimizer", "create_scheduler", *EVALUATES, *KEEPS_OUTPUTS)
_OTHER_TASKS = ("dpo", "ppo", "grpo", "kto", "orpo", "rloo", "reward", "rl", "distil", "contrastive", "peft", "lora")
_PACKAGES = frozenset(one.partition(".")[0] for one in (*PACKAGES, *CHANGES))


def trainer_not_here(it: Interpreter, name: str, call: Call) -> Value | None:
    """Its arguments are followed as those of transformers' Trainer; what its class may have of its own is open."""
    last = name.rpartition(".")[2]
    if not last.endswith("Trainer") or name.partition(".")[0] in _PACKAGES or any(one in last.lower() for one in _OTHER_TASKS):
        return None
    given = call.get("args", 1)
    ways = [way.value for way in alternatives(given)] if given is not None else []
    if not ways or not all(isinstance(one, Object) and one.kind == "transformers.TrainingArguments" for one in ways):
        return None
    if not _TAKES.issuperset(call.keywords) or call.get("model", 0) is None:
        return None
    made = it.parts.sink(it, "transformers.Trainer", call, None)
    if isinstance(made, Object) and made.made is not None:
        made.made.base = last
        made.made.overrides = dict.fromkeys(_MAY_BE_ITS_OWN, made.made.place)
    return made
