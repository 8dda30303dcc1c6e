"""The classes and functions whose arguments a training script writes, and how the sections of its document are told apart.

Sources: transformers 4.46.3 to 5.24.0 ``training_args.py``, ``modeling_utils.py``; TRL 0.9.6 to 1.16.0 ``trainer/__init__.py``; PEFT
0.21.2 ``mapping_func.py``, ``utils/other.py``; Unsloth 2026.1 ``models/loader.py``, ``models/llama.py``.
"""

from __future__ import annotations

from budgetlint.documents import Document, Mapping, Node, Scalar
from budgetlint.documents.python_marks import MORE, is_open
from budgetlint.program.sink_kinds import is_built
from budgetlint.readers.base import names

PLAIN_ARGUMENTS = names("TrainingArguments Seq2SeqTrainingArguments UnslothTrainingArguments")
TRL_ARGUMENTS = {
    "SFTConfig": "sft",
    "DPOConfig": "dpo",
    "KTOConfig": "kto",
    "ORPOConfig": "orpo",
    "GRPOConfig": "grpo",
    "RewardConfig": "reward",
    "PPOConfig": "ppo",
    "PPOv2Config": "ppo",
    "RLOOConfig": "rloo",
    **dict.fromkeys(names("CPOConfig GKDConfig OnlineDPOConfig XPOConfig NashMDConfig BCOConfig PRMConfig GOLDConfig"), "other"),
}
"""TRL's arguments, with the task of their trainer. Those of ``other`` hold models that are not judged here."""
TRL_TRAINERS = {"SFTTrainer": "sft", "DPOTrainer": "dpo", "KTOTrainer": "kto", "ORPOTrainer": "orpo", "RewardTrainer": "reward"}
"""Trainers of TRL that took plain ``TrainingArguments`` (0.11 and before)."""
_HEADS = {"ForSequenceClassification": "classification", "ForTokenClassification": "classification", "ForMaskedLM": "lm"}
UNSLOTH = names("FastLanguageModel FastModel FastVisionModel")
ADAPTERS = ("PeftModel", "AutoPeft")
"""They load an adapter that was trained before."""
SEVERAL_MODELS = names("AutoModelForCausalLMWithValueHead AutoModelForSeq2SeqLMWithValueHead")


def arguments_of(document: Document) -> str:
    """The section of the one class of training arguments that the script makes; empty where there is none, or several."""
    if document.format != "python":
        return ""
    found = [name for name, _ in sections(document) if name in PLAIN_ARGUMENTS or name in TRL_ARGUMENTS]
    return found[0] if len(found) == 1 else ""


def head_of(section: str, *, remote: bool) -> str | None:
    """What a class has at the end. ``AutoModel`` has no head, but for models whose own code is loaded: it may name any class.

    Sources: transformers 5.24.0 ``models/auto/modeling_auto.py`` (MODEL_MAPPING), ``auto_factory.py`` (``auto_map``)."""
    found = next((head for suffix, head in _HEADS.items() if section.endswith(suffix)), None)
    bare = (
        section.endswith("Model")
        and not section.endswith("HeadModel")
        and section not in UNSLOTH
        and not (section == "AutoModel" and remote)
    )
    return found or ("none" if bare else None)


def model_of(document: Document) -> str:
    """The section of the one class that the script loads a model with, its tag ``X.from_pretrained``, or makes one of a configuration;
    empty as above."""
    found = [name for name, block in sections(document) if block.tag.removesuffix("?").endswith(".from_pretrained") or is_made(block)]
    found = [name for name in found if not name.startswith(ADAPTERS)]
    return found[0] if len(found) == 1 and found[0] not in SEVERAL_MODELS else ""


def is_made(block: Mapping) -> bool:
    """``AutoModelForCausalLM.from_config(config)``, ``GPT2LMHeadModel(config)``"""
    tag = block.tag.removesuffix("?")
    return tag.startswith("transformers.") and (tag.endswith(".from_config") or is_built(tag.rpartition(".")[2]))


def trainer_of(document: Document) -> str:
    """The section of the one Trainer; empty as above."""
    found = [name for name, _ in sections(document) if name.endswith("Trainer")]
    return found[0] if len(found) == 1 else ""


def sections(document: Document) -> list[tuple[str, Mapping]]:
    mapping = document.mapping
    entries = mapping.entries if mapping is not None else ()
    return [(entry.key.text, entry.value) for entry in entries if isinstance(entry.value, Mapping)]


def block(document: Document, path: str) -> Mapping | None:
    found = document.get(path) if path else None
    return found if isinstance(found, Mapping) else None


def is_partial(found: Mapping | None) -> bool:
    """May there be more arguments than are seen?"""
    return found is not None and MORE in found


def may_skip(found: Mapping) -> bool:
    return found.tag.endswith("?")


def class_of(node: Node | None) -> str:
    """``peft.LoraConfig``: the qualified name of a call that stands as a value; empty for everything else."""
    return node.tag.removesuffix("?") if isinstance(node, Mapping) else ""


def is_given(node: Node | None) -> bool:
    """Is there an argument that is not None?"""
    return node is not None and not (isinstance(node, Scalar) and not is_open(node) and node.text == "None")
