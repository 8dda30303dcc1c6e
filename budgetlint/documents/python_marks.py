"""How the document of a training script marks what its text does not tell, and the sections that are no call of one name."""

from __future__ import annotations

from budgetlint.documents.node import Node, Scalar, Style

MORE = "**"
PERHAPS = "<perhaps "
"""How the text of an argument begins that one way of the program does not give."""
CAST = "half"
"""The section of ``model.half()``, ``model.to(torch.bfloat16)`` and ``torch.set_default_dtype(torch.bfloat16)``."""

REPLACED = "replaced modules"
"""The section of what may have exchanged modules of the model, for quantised ones as well."""
EVALUATES = ("evaluate", "evaluation_loop", "prediction_loop", "get_eval_dataloader")
"""Methods of transformers' Trainer that decide which rows an evaluation takes (4.40 to 5.24 ``trainer.py``): sections, where a class of the
program's own has them."""
KEEPS_OUTPUTS = (*EVALUATES[:3], "prediction_step")
"""Those that decide what is kept of a batch."""
AROUND = "around the model"
"""The section of what modules of the program's own put around the model that they hold: the parameters, or why it is another model."""
LOOP, FACTS = "a loop of its own", "beside the trainer"
"""Sections of a followed program: everything that its own loop tells, and what calls beside a trainer do."""

UNPATCHED = "trl before unsloth"
"""The section of a program that may have taken TRL's classes before Unsloth exchanged them."""


def is_open(node: Node | None) -> bool:
    """A value that the file does not tell."""
    return isinstance(node, Scalar) and node.style is Style.PLAIN and node.text[:1] == "<"


OF_WHICH_THE_END = ", .../"
"""In front of the last part of a path that is not known otherwise: ``<environment MODELS, .../Qwen2.5-7B>``."""

FOLLOWED = "a program that was followed"
"""The fact of a document that is no look at a text: whatever stands there reaches a trainer."""
