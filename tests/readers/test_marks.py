"""Marks never leave out a reader that would claim the document.

A document that a recogniser claims is filled with every word of the recogniser's own tables that leaves the claim standing, and
then taken apart key by key, in many orders: as long as the recogniser claims what is left, the marks must let it be asked.
"""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Mapping, load
from budgetlint.frameworks._index import MANIFESTS
from budgetlint.readers import all_readers, reader_of, readers_of
from budgetlint.readers.marks import candidates

ROOT = Path(__file__).parents[2]


def seeds() -> dict[str, str]:
    """A document for each way in which a recogniser claims one; the first word is the format. ``SEEDS`` in the tests of its reader."""
    found: dict[str, str] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SEEDS" and isinstance(node.value, ast.Dict):
                found |= ast.literal_eval(node.value)
    return found


SEEDS = seeds()
ORDERS = 30
"""In which the keys of each are taken away."""


def only(document: Document, kept: list[str]) -> Document:
    mapping, keys = document.mapping, frozenset(kept)
    assert mapping is not None
    return replace(document, root=replace(mapping, entries=tuple(entry for entry in mapping.entries if entry.key.text in keys)))


def words_of(format: str) -> set[str]:
    """Every word in the tables of keys of a format's recogniser."""
    recogniser = reader_of(format).recognise
    module = import_module(getattr(recogniser, "func", recogniser).__module__)
    tables = [value for name, value in vars(module).items() if name.startswith("_") and isinstance(value, frozenset)]
    return {word for table in tables for word in table}


def grown(seed: Document, format: str) -> Document:
    """The seed with every word of the recogniser's tables that leaves it claimed."""
    claim, mapping = reader_of(format).recognise, seed.mapping
    assert mapping is not None
    (filler,) = load(SourceFile("a.yaml", "\n".join(f"{word}: {{a: 1}}" for word in sorted(words_of(format)) if word not in mapping)))
    entries = [*mapping.entries]
    for entry in filler.mapping.entries if isinstance(filler.root, Mapping) else ():
        if claim(replace(seed, root=replace(mapping, entries=(*entries, entry)))) > 0:
            entries.append(entry)
    return replace(seed, root=replace(mapping, entries=tuple(entries)))


def left_out(document: Document) -> set[str]:
    """The formats that are not asked, and would claim the document."""
    asked = {reader.format for reader in readers_of(document)}
    return {reader.format for reader in all_readers() if reader.format not in asked and reader.recognise(document) > 0}


@pytest.mark.parametrize("suffix", ["yaml", "json", "toml", "shell"])
@pytest.mark.parametrize("name", SEEDS)
def test_what_a_recogniser_claims_is_never_left_out(name, suffix):
    format = name.split()[0]
    claim = reader_of(format).recognise
    seed = replace(load(SourceFile("a.yaml", SEEDS[name]))[0], format=suffix)
    if claim(seed) == 0:
        return pytest.skip(f"no {suffix} is {format}")
    whole, order = grown(seed, format), random.Random(name)
    for _ in range(ORDERS):
        keys = list(whole.mapping.keys())
        order.shuffle(keys)
        for key in tuple(keys):
            less = only(whole, [one for one in keys if one != key])
            if claim(less) > 0:
                keys.remove(key)
        assert left_out(only(whole, keys)) == set(), f"recognise claims {keys} ({suffix}), the manifest leaves it out"
    return None


def test_every_format_with_marks_is_tried():
    formats = {format.name for manifest in MANIFESTS for format in manifest.formats if manifest.is_marked}
    assert {name.split()[0] for name in SEEDS} == formats, "a document for each in SEEDS of its reader's tests"


@pytest.mark.parametrize("folder", ["examples", "tests"])
def test_no_file_of_the_project_is_left_out(folder):
    documents = [
        document
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".yaml", ".yml", ".json", ".toml")
        for document in load(SourceFile(path.name, path.read_text(encoding="utf-8")))
    ]
    assert documents
    assert [document.path for document in documents if left_out(document)] == []


def test_a_stranger_is_shown_to_nobody():
    (document,) = load(SourceFile("a.yaml", "services:\n  web:\n    image: x\n"))
    assert candidates(document) == ()


@pytest.mark.parametrize("format", [reader.format for reader in all_readers()])
def test_a_reader_is_found_by_its_format(format):
    assert reader_of(format).format == format


def test_no_reader_has_a_strangers_name():
    assert reader_of("docker_compose") is None
