"""A long JSON text told by its keys: what the tree would say, without it."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.limits import NODES
from budgetlint.base.source import SourceFile
from budgetlint.documents.json import read_json
from budgetlint.documents.json_outline import outline
from budgetlint.files.disk import TextFiles
from budgetlint.resolve.file_entries import FileEntry
from budgetlint.resolve.file_kinds import LONG_JSON
from budgetlint.resolve.project import Project

RESULTS = {f"case {at}": {"score": at / 7, "tags": ["a", "b"]} for at in range(900)}
CONFIG = {"output_dir": "out", "per_device_train_batch_size": 2, "learning_rate": 1e-5, "gradient_checkpointing": True}


def of(text: str) -> SourceFile:
    return SourceFile("data.json", text)


@pytest.mark.parametrize("value", [RESULTS, {"a": {"b": {"c": 1}}, "d": [{"e": 2}]}, [1, [2, {"x": None}]], {}, [], 3, "x"], ids=repr)
def test_keys_of_two_levels_are_those_of_the_tree(value: object) -> None:
    source = of(json.dumps(value))
    found, tree = outline(source), read_json(source)[0]
    assert found is not None
    assert not found.is_too_large
    ours, theirs = found.document.mapping, tree.mapping
    assert (ours is None) == (theirs is None)
    if ours is not None and theirs is not None:
        assert list(ours.keys()) == list(theirs.keys())
        assert [getattr(one.value, "entries", ()) and list(one.value.keys()) for one in ours.entries] == [  # type: ignore[union-attr]
            getattr(one.value, "entries", ()) and list(one.value.keys())  # type: ignore[union-attr]
            for one in theirs.entries
        ]


@pytest.mark.parametrize("text", ['{"a": 1,}', "{a: 1}", '{"a": 1} // x', '{"a": 1', "[" * 70 + "]" * 70, "[" * 40_000])
def test_what_the_scanner_does_not_take_is_left_to_the_tree(text: str) -> None:
    assert outline(of(text)) is None


@pytest.mark.parametrize(("most", "is_too_large"), [(0, False), (1, True)])
def test_counts_as_the_tree_counts(most: int, is_too_large: bool) -> None:
    items = NODES.most - 1 + most  # the list itself is one
    source = of(json.dumps([0] * items))
    found = outline(source)
    assert found is not None
    assert found.is_too_large is is_too_large is (read_json(source)[0].root is None)


@pytest.mark.parametrize(
    ("value", "format"),
    [
        (RESULTS, None),
        ([0] * (NODES.most + 1), None),
        (CONFIG | {"notes": RESULTS}, "hf_training_arguments"),
        ({"train": CONFIG | {"notes": RESULTS}}, "hf_training_arguments"),
        ({"zero_optimization": {"stage": 3}, "notes": RESULTS}, "deepspeed"),
    ],
    ids=["results", "too large", "config", "section", "engine"],
)
def test_a_file_is_whose_its_tree_says(value: object, format: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(value, indent=1)
    assert len(text) > LONG_JSON
    files = TextFiles({"data.json": text})
    ours = said(Project(files))
    monkeypatch.setattr("budgetlint.resolve.file_kinds.LONG_JSON", len(text) + 1)
    assert ours == said(Project(files))
    assert ours[0] == format


def said(project: Project) -> tuple[object, ...]:
    entry: FileEntry = project.add("data.json")
    return entry.format, entry.problem, [reading.format for reading in entry.readings], project.findings
