"""Files of the NeMo launcher are groups of one Hydra config: what they call ``${peft.model.x}`` is their own ``model.x``.

Source: NeMo-Framework-Launcher ``launcher_scripts/conf/config.yaml`` (``defaults: [training: gpt3/5b, peft: null, ...]``).
"""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.documents import Document, Entry, Mapping, Scalar
from budgetlint.documents.interpolate import interpolated

TRAINING = ("training", "peft", "fine_tuning", "prompt_learning", "ia3_learning", "adapter_learning", "steer_reg", "rlhf_rm", "rlhf_ppo")
OTHER = ("conversion", "conversion_hf2nemo", "evaluation", "export", "fw_inference", "ptq", "data_preparation", "external_conversion")
_GROUP = expression(r"\$\{(" + "|".join((*TRAINING, *OTHER)) + r")\.")


def group_of(document: Document) -> str:
    """The group that the file calls itself; empty where it refers to none."""
    found = _GROUP.search(document.source.text) if document.source.mentions("${") else None
    return found[1] if found else ""


def ungrouped(document: Document) -> Document:
    """The overrides of a launcher command, ``training.model.micro_batch_size=4``, as the group's own file has them."""
    root = document.root
    group = next((root.get(name) for name in TRAINING if isinstance(root.get(name), Mapping)), None) if isinstance(root, Mapping) else None
    return replace(document, root=group) if isinstance(group, Mapping) else document


def resolved(document: Document) -> Document:
    """The document with references into its own group, and into itself, replaced by what they name."""
    group, root = group_of(document), document.root
    if not group or not isinstance(root, Mapping):
        return interpolated(document)
    key = Scalar(group, root.span)
    whole = interpolated(replace(document, root=replace(root, entries=(Entry(key, root), *root.entries))))
    inner = whole.mapping.get(group) if whole.mapping else None
    return replace(document, root=inner if isinstance(inner, Mapping) else root)
