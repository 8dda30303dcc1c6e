"""What trains in an axolotl run: the task, the adapter and its targets, frozen parts.

Sources: axolotl 0.19.0 ``loaders/adapter.py`` _build_peft_lora_config, ``utils/schemas/enums.py`` RLType,
``core/builders/rl.py``; PEFT takes a text of target modules as one regular expression.
"""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.readers.base import is_symbolic
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting, over

_TASKS = {
    "dpo": "dpo", "ipo": "dpo", "kto": "kto", "orpo": "orpo", "grpo": "grpo", "gdpo": "grpo",
    "simpo": "orpo",  # pairs without a reference model, as ORPO
}  # fmt: skip


def task_settings(view: View) -> list[Setting]:
    if view.word("rl"):
        return [view.setting("task", _TASKS.get(view.word("rl"), "other"), "rl")]
    reward = view.first_on("reward_model", "process_reward_model")
    if reward:
        return [view.setting("task", "reward", reward)]
    return [view.setting("task", "pretrain", "pretraining_dataset", "pretraining_dataset")] if view.on("pretraining_dataset") else []


def adapter_settings(view: View) -> list[Setting]:
    """``lora`` and ``qlora`` are one method; another name is a plugin's. Without an adapter the LoRA keys have no effect."""
    word = view.word("adapter")
    if not word:
        return [view.setting("adapter", "none", "adapter", "no adapter")] if view.has("adapter") else []
    kind = "lora" if word in ("lora", "qlora") else "other"
    named = [view.setting("adapter_kind", word, "adapter")] if kind == "other" and not is_symbolic(word) else []
    return [view.setting("adapter", kind, "adapter"), *named, *_targets(view), *_adapter_dtype(view)]


def _adapter_dtype(view: View) -> list[Setting]:
    path = "peft_autocast_adapter_dtype"
    return [view.setting("adapter_dtype", "fp32", path)] if view.on(path) else []


def _targets(view: View) -> list[Setting]:
    named = _modules(view)
    more = view.words("lora_target_parameters")
    if not more:
        return named
    opened = replace(view.setting("lora_targets", None, "lora_target_parameters", ", ".join(more)), state="auto")
    return [over(opened, named[0] if named else None)]


def _modules(view: View) -> list[Setting]:
    if view.on("lora_target_linear"):
        return [view.setting("lora_targets", ("all-linear",), "lora_target_linear")]
    words = view.words("lora_target_modules")
    if len(words) == 1 and isinstance(view.value("lora_target_modules"), str):
        words = target_words(words[0])
    return [view.setting("lora_targets", words, "lora_target_modules", ", ".join(words))] if words else []


_ALTERNATIVES = expression(r"\(([a-z_|?:]{1,200})\)_proj")
_PLAIN = expression(r"(?<![a-z|)])([a-z_]{1,30}_proj)")


def target_words(pattern: str) -> tuple[str, ...]:
    """The projections that a regular expression of targets names: ``(q|k|v)_proj`` and ``q_proj`` alike; else itself."""
    grouped = [f"{part}_proj" for group in _ALTERNATIVES.findall(pattern) for part in group.replace("?:", "").split("|") if part]
    return tuple(dict.fromkeys((*grouped, *_PLAIN.findall(pattern)))) or (pattern,)


def freeze_settings(view: View) -> list[Setting]:
    """``unfrozen_parameters`` are patterns of what does train: how much that is needs the model's own names."""
    return [view.symbolic("freeze", "unfrozen_parameters", "all but unfrozen_parameters")] if view.on("unfrozen_parameters") else []
