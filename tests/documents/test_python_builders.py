"""Functions that build a configuration."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Scalar, load

HEAD = "from torchtitan.trainer import Trainer\nfrom torchtitan.config import TrainingConfig\nfrom . import model_registry\n\n\n"
BASE = "def base() -> Trainer.Config:\n    return Trainer.Config(training=TrainingConfig(steps=10, seq_len=2048), dump_folder='x')\n\n\n"


def documents(text: str) -> tuple[Document, ...]:
    return load(SourceFile("config_registry.py", HEAD + BASE + text))


def text_at(document: Document, path: str) -> str | None:
    node = document.get(path)
    return node.text if isinstance(node, Scalar) else None


def test_one_document_for_each_function() -> None:
    found = documents("def other():\n    config = base()\n    return config\n\n\ndef helper(x):\n    return x\n")
    assert [(one.program, one.number) for one in found] == [("base", 0), ("other", 1)]
    root = found[0].mapping
    assert root is not None and root.tag == "torchtitan.trainer.Trainer.Config"


CHANGES = {
    "config.training.steps = 5": "5",
    "config.training = TrainingConfig(steps=7)": "7",
    "n = 3\n    config.training.steps = n": "3",
    "config.training.steps = n + 1": "<n + 1>",
    "if fast:\n        config.training.steps = 5": "<config.training.steps>",
    "for i in range(3):\n        config.training.steps = i": "<config.training.steps>",
    "config.training.steps += 1": "<config.training.steps>",
    "assert config.training is not None": "10",
    "config.optimizer.lr = 1": "10",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_function_changes_of_another(change: str) -> None:
    *_, found = documents(f"def other():\n    config = base()\n    {change}\n    return config\n")
    assert text_at(found, "training.steps") == CHANGES[change]


def test_places_are_those_of_the_literals() -> None:
    first, *_ = documents("")
    node = first.get("training.seq_len")
    assert node is not None and first.source.text[node.span.start : node.span.end] == "2048"


@pytest.mark.parametrize("body", ["return base", "return other()", "return [Trainer.Config()]", "pass", "yield base()", "return None"])
def test_functions_that_return_something_else(body: str) -> None:
    assert [one.program for one in documents(f"def other():\n    {body}\n")] == ["base"]


def test_deep_expressions_end() -> None:
    assert documents(f"def other():\n    return Trainer.Config(a={'(' * 60}1{')' * 60}, b={'f(' * 50}1{')' * 50})\n")[-1].program == "other"
