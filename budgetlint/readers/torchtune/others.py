"""The models beside the one that trains: a teacher, a reference, a value and a reward model.

Sources: torchtune 0.6.1 ``recipes/knowledge_distillation_*.py`` (``teacher_model``), ``full_dpo_distributed.py`` (``ref_checkpointer``: the
policy's builder again), ``ppo_full_finetune_single_device.py`` (reference, value and reward checkpoints, all on the device);
LoRA DPO needs no reference, it switches its adapters off.
"""

from __future__ import annotations

from budgetlint.readers.torchtune.models import built_by, component_of, component_path
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_REFERENCES = ("ref_checkpointer", "ref_policy_checkpointer")
_BY_CHECKPOINT = (("critic_model", "value_checkpointer.checkpoint_dir"), ("reward_model", "reward_checkpointer.checkpoint_dir"))


def other_models(view: View) -> list[Setting]:
    reference = next((path for path in _REFERENCES if view.on(path)), "")
    found = [view.setting("reference_model", "policy", reference, reference)] if reference else []
    found += [view.setting(name, view.text(path), path) for name, path in _BY_CHECKPOINT if view.first(path)]
    line = component_path(view, "teacher_model")
    name = built_by(component_of(view, "teacher_model")).model
    teacher = view.setting("teacher_model", name, line) if name else view.symbolic("teacher_model", line) if line else None
    return [*found, *([teacher] if teacher else [])]
