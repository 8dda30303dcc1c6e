"""What positional arguments are called, where calls of one kind differ by class and version.

Sources: trl 0.9.6, 0.11.4, 0.12.2, 0.15.2, 0.19.1, 0.21.0, 0.25.1 ``trainer/*_trainer.py``; peft 0.18 ``auto.py``; transformers 4.40 to 5.2
``models/auto/auto_factory.py`` from_config. Names stand as far as all of these agree; the third of ``DPOTrainer`` is ``beta`` up to 0.12.
"""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.program.values import Object, Value

_REFERENCE, _REWARDS = ("model", "ref_model"), ("model", "reward_funcs", "args", "train_dataset", "eval_dataset")
_DATA = ("args", "data_collator", "train_dataset", "eval_dataset")
_TRAINERS: dict[str, tuple[str, ...]] = {
    "DPOTrainer": _REFERENCE, "KTOTrainer": (*_REFERENCE, "args", "train_dataset", "eval_dataset"), "BCOTrainer": (*_REFERENCE, "args",
    "train_dataset", "eval_dataset"),
    "GRPOTrainer": _REWARDS, "GKDTrainer": ("model", "teacher_model", *_DATA), "GOLDTrainer": ("model", "teacher_model", *_DATA),
    "IterativeSFTTrainer": ("model", "args"),
    "NashMDTrainer": _REFERENCE, "XPOTrainer": _REFERENCE, "OnlineDPOTrainer": _REFERENCE, "GFPOTrainer": _REWARDS, "PAPOTrainer": _REWARDS,
    "PPOTrainer": (), "RLOOTrainer": (), "PPOv2Trainer": (),
}  # fmt: skip


def positional_names(kind: str, name: str, given: Sequence[Value], usual: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the positional arguments of a call. ``usual``: those of its kind."""
    owner, _, last = name.rpartition(".")
    if last == "from_config":
        return ("config",)
    if owner.rpartition(".")[2].startswith("AutoPeft"):
        return ("pretrained_model_name_or_path", "adapter_name", "is_trainable")
    if kind != "trainer" or not name.startswith("trl."):
        return usual
    names = _TRAINERS.get(last, usual)
    third = given[2] if len(given) > 2 else None
    if last == "DPOTrainer" and isinstance(third, Object) and third.made is not None and third.made.kind == "arguments":
        return (*names, *_DATA)
    return names
