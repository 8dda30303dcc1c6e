"""What positional arguments are called, where calls of one kind differ by class and version.

Sources: trl 0.7.11, 0.9.6, 0.11.4, 0.12.2, 0.13.0, 0.15.2, 0.17.0, 0.19.1, 0.21.0, 0.23.1, 0.25.1, 0.27.2, 0.29.1, 1.0.0, 1.8.0, 1.16.0
``trainer/*_trainer.py`` and ``experimental/``; transformers 4.36.2, 4.40.2, 4.46.3, 4.51.3, 4.57.3, 5.0.0, 5.2.0 ``trainer.py``,
``trainer_seq2seq.py``; sentence-transformers 3.0.1, 3.4.1, 4.1.0, 5.0.0, 5.2.0, 5.3.0 ``trainer.py``, ``cross_encoder/trainer.py``,
``sparse_encoder/trainer.py``; peft 0.18 ``auto.py``; transformers 4.40 to 5.2 ``models/auto/auto_factory.py`` from_config.

Of the layouts that a class had in these releases those are kept that the given values fit; names stand as far as all of them agree.
``processing_class`` was ``tokenizer`` before TRL 0.12 and transformers 4.46.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from budgetlint.program.objects import Object
from budgetlint.program.sinks import MODELS
from budgetlint.program.values import Known, Value

Layout = tuple[str, ...]
_DATA = ("data_collator", "train_dataset", "eval_dataset", "processing_class")
_USUAL = ("model", "args", *_DATA)
_LATE = ("train_dataset", "eval_dataset", "processing_class", "data_collator")
_REWARDS = ("model", "reward_funcs", "args", "train_dataset", "eval_dataset", "processing_class", "reward_processing_classes")
_TEACHER = ("model", "teacher_model", "args", *_DATA)
_ONLINE = (
    ("model", "ref_model", "reward_model", "judge", "args", *_DATA[:2]),
    ("model", "ref_model", "reward_funcs", "judge", "args", *_DATA[:2]),
    ("model", "ref_model", "reward_funcs", "args", *_DATA[:3]),
)
_AGAINST = ("model", "ref_model", "reward_model", "args", *_DATA[:3])
_PPO2 = ("args", "processing_class", "model", "ref_model", "reward_model", "train_dataset")
"""``config``, ``policy`` and ``ref_policy`` in TRL 0.11 to 0.15: `ONE_NAME`."""
_TRL: dict[str, tuple[Layout, ...]] = {
    "SFTTrainer": (_USUAL,), "RewardTrainer": (_USUAL,), "PRMTrainer": (_USUAL,), "CPOTrainer": (_USUAL,), "ORPOTrainer": (_USUAL,),
    "DPOTrainer": (("model", "ref_model", "beta", "label_smoothing", "loss_type", "args", "data_collator"),
                   ("model", "ref_model", "args", *_DATA)),
    "KTOTrainer": (("model", "ref_model", "args", *_LATE), ("model", "ref_model", "args", *_DATA)),
    "BCOTrainer": (("model", "ref_model", "args", *_LATE),),
    "TPOTrainer": (_USUAL,), "IWOPDTrainer": (_TEACHER,),
    "DistillationTrainer": (_TEACHER, ("model", "teacher_model", "args", "train_dataset", "eval_dataset", "processing_class")),
    **dict.fromkeys(("SDFTTrainer", "SSDTrainer", "ServerDistillationTrainer"),
                    (("model", "args", "train_dataset", "eval_dataset", "processing_class"),)),
    "AsyncDistillationTrainer": (("model", "args", "train_dataset", "processing_class"),),
    "AsyncGRPOTrainer": (("model", "reward_funcs", "args", "train_dataset", "processing_class"),),
    "GMPOTrainer": (_REWARDS[:3],), **dict.fromkeys(("DPPOTrainer", "SDPOTrainer"), (_REWARDS,)), "A2POTrainer": (_REWARDS[:6],),
    "GRPOTrainer": (_REWARDS,), "GFPOTrainer": (_REWARDS,), "PAPOTrainer": (_REWARDS,),
    "RLOOTrainer": (_PPO2, _REWARDS), "PPOv2Trainer": (_PPO2,),
    "PPOTrainer": (("args", "model", "ref_model", "processing_class", "dataset", "optimizer", "data_collator"), _PPO2,
                   ("args", "processing_class", "model", "ref_model", "reward_model", "train_dataset", "value_model")),
    "GKDTrainer": (("teacher_model", "args"), _TEACHER), "GOLDTrainer": (_TEACHER,),
    "MiniLLMTrainer": (("model", "teacher_model", "reward_funcs", "args", "train_dataset", "eval_dataset", "processing_class"),),
    "IterativeSFTTrainer": (("model", "args", "processing_class", "optimizers", "data_collator", "eval_dataset", "max_length"),
                            ("model", "args", "data_collator", "eval_dataset", "processing_class", "optimizers")),
    "OnlineDPOTrainer": _ONLINE, "NashMDTrainer": (_AGAINST, *_ONLINE), "XPOTrainer": (_AGAINST, *_ONLINE),
}  # fmt: skip
_SENTENCES: Layout = ("model", "args", "train_dataset", "eval_dataset", "loss", "evaluator", "data_collator")
ONE_NAME = {"config": "args", "policy": "model", "ref_policy": "ref_model"}
"""What TRL's PPO and RLOO trainers called otherwise before they were as the others are."""
_OF_PPO = frozenset({"PPOTrainer", "PPOv2Trainer", "RLOOTrainer"})
_ARGUMENTS = frozenset({"args", "config"})
_OF_MODELS = frozenset({"model", "ref_model", "policy", "ref_policy", "reward_model", "teacher_model", "value_model", "reward_funcs"})


def positional_names(kind: str, name: str, given: Sequence[Value], usual: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the positional arguments of a call. ``usual``: those of its kind."""
    owner, _, last = name.rpartition(".")
    if last == "from_config" or (kind == "load" and last[:1].isupper()):
        return ("config",)
    if kind == "config" and last != "from_pretrained":
        return {"from_json_file": ("json_file",), "from_dict": ("config_dict",)}.get(last, ())
    if owner.rpartition(".")[2].startswith("AutoPeft"):
        return ("pretrained_model_name_or_path", "adapter_name", "is_trainable")
    if kind != "trainer":
        return usual
    package = name.partition(".")[0]
    if package == "sentence_transformers":
        return _SENTENCES
    layouts = _TRL.get(last, (usual,)) if package == "trl" else (_USUAL if package == "transformers" else usual,)
    return _agreed([one for one in layouts if _fits(one, given)] or layouts)


def one_name(name: str, keywords: Mapping[str, Value]) -> dict[str, Value]:
    """The keywords of a trainer's call by the names that all releases have now."""
    if name.partition(".")[0] != "trl" or name.rpartition(".")[2] not in _OF_PPO:
        return dict(keywords)
    return {ONE_NAME.get(key, key): value for key, value in keywords.items()}


def _fits(layout: Layout, given: Sequence[Value]) -> bool:
    """May these values stand at these places? What is not known may stand anywhere."""
    return all(_may_be(name, value) for name, value in zip(layout, given, strict=False))


def _may_be(name: str, value: Value) -> bool:
    if isinstance(value, Object) and value.made is not None:
        kind = value.made.kind
        return name in _ARGUMENTS if kind == "arguments" else kind not in MODELS or name in _OF_MODELS
    if isinstance(value, Known) and value.value is not None:
        return name not in _ARGUMENTS and (name in _OF_MODELS or not isinstance(value.value, str) or name == "loss_type")
    return True


def _agreed(layouts: Sequence[Layout]) -> Layout:
    """The names before the first place at which the layouts differ."""
    first = layouts[0]
    shortest = min(map(len, layouts))
    differ = next((at for at in range(shortest) if any(one[at] != first[at] for one in layouts)), shortest)
    return first[:differ]
