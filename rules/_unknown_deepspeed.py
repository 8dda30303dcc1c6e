"""Keys that DeepSpeed does not know, or not there.

DeepSpeed 0.19.8 ``runtime/config.py`` asks the top level key by key and ignores the rest; sections are pydantic models with
``extra="forbid"`` (``runtime/config_utils.py``).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.vocabulary import keys, misspelt
from budgetlint.rule import DocumentContext, Entry, Finding, Mapping, Scalar, Severity, argument_entries

from ._unknown import misplaced_key, misspelt_key

SECTIONS = ("zero_optimization", "zero_optimization.offload_param", "zero_optimization.offload_optimizer", "fp16", "bf16")
REFUSING = SECTIONS[:3]
"""Models since before 0.14.4; the precision sections were read key by key there and are models in 0.19.8."""

IGNORED = "DeepSpeed ignores it at the top of the file"

ACCELERATE = {
    "offload_optimizer_device": "zero_optimization.offload_optimizer.device",
    "offload_optimizer_nvme_path": "zero_optimization.offload_optimizer.nvme_path",
    "offload_param_device": "zero_optimization.offload_param.device",
    "offload_param_nvme_path": "zero_optimization.offload_param.nvme_path",
    "zero_stage": "zero_optimization.stage",
    "zero3_save_16bit_model": "zero_optimization.stage3_gather_16bit_weights_on_model_save",
    "mixed_precision": "bf16.enabled or fp16.enabled",
}
"""accelerate's flat fields and where DeepSpeed has them (accelerate 1.15.0 ``utils/dataclasses.py`` plugin_to_config_mapping)."""
TRAINER = {"max_grad_norm": "gradient_clipping", "learning_rate": "optimizer.params.lr", "weight_decay": "optimizer.params.weight_decay"}
"""The trainer's arguments that DeepSpeed has under another name (transformers 5.24.0 ``integrations/deepspeed.py``)."""


REFUSED_BY_ZERO3 = frozenset(("elastic_checkpoint",))
"""DeepSpeed 0.19.8 ``runtime/zero/stage3.py`` state_dict: NotImplementedError."""


def check_deepspeed(document: DocumentContext) -> Iterator[Finding]:
    for entry in argument_entries(document.reading):
        name = entry.key.text
        if name not in keys("deepspeed", "top") and not name.startswith(("_", "//", "#")) and "comment" not in name:
            yield from _top_level(document, entry)
    for section in SECTIONS:
        node = document.node(section)
        for entry in node.entries if isinstance(node, Mapping) else ():
            if entry.key.text not in keys("deepspeed", section):
                yield from _in_section(document, entry, section)


def _top_level(document: DocumentContext, entry: Entry) -> Iterator[Finding]:
    name = entry.key.text
    place = next((section for section in SECTIONS if name in keys("deepspeed", section)), None)
    if place == "zero_optimization" and name in REFUSED_BY_ZERO3 and _stage(document) == "3":
        yield misplaced_key(document, entry, f"{name} is no key of the top level: {IGNORED}", "delete it: ZeRO-3 does not support it")
    elif place:
        yield misplaced_key(document, entry, f"{name} belongs in {place}: {IGNORED}", f"move it into {place}")
    elif name in keys("accelerate", "top", "launch_flags"):
        cure = f"write {ACCELERATE[name]}" if name in ACCELERATE else "say it there"
        yield misplaced_key(document, entry, f"{name} is a key of accelerate's file: {IGNORED}", cure)
    elif name in TRAINER:
        yield misplaced_key(document, entry, f"{name} is an argument of the trainer: {IGNORED}", f"write {TRAINER[name]}")
    elif name in keys("deepspeed", "asked") or name in document.asked_for():
        return  # a program of the project reads it from the same file
    elif meant := misspelt(name, keys("deepspeed", "top")):
        yield misspelt_key(document, entry, meant, IGNORED)
    else:
        yield misplaced_key(document, entry, f"DeepSpeed knows no key {name}: it is ignored", "delete it", Severity.INFO)


def _stage(document: DocumentContext) -> str:
    node = document.node("zero_optimization.stage")
    return node.text if isinstance(node, Scalar) else ""


def _in_section(document: DocumentContext, entry: Entry, section: str) -> Iterator[Finding]:
    name = entry.key.text
    cost = "DeepSpeed stops at start" if section in REFUSING else "DeepSpeed ignores or refuses it, by version"
    if meant := misspelt(name, keys("deepspeed", section)):
        yield misspelt_key(document, entry, meant, cost)
    elif name in keys("deepspeed", "top") and section == "zero_optimization":
        yield misplaced_key(document, entry, f"{name} belongs at the top of the file, not in {section}: {cost}", "move it up")
    elif name in ACCELERATE:
        yield misplaced_key(document, entry, f"{name} is a key of accelerate's file: {cost}", f"write {ACCELERATE[name]}")
