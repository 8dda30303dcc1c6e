"""Edits: reading the result again gives the intended tree, and every other line keeps its bytes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from budgetlint.base.finding import Edit
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Document, Entry, Loader, Scalar, Value, load, plain, walk
from budgetlint.documents.edit import apply, delete_entry, insert_after, rename_key, rounds, set_value

YAML = """\
# head
lr: 2e-5   # why
"quoted": 'text'
empty:
anchored: &x 1
alias: *x
block: |
  a

  b
flow: {a: 1, b: 2, c: [1, 2]}
long_flow: {
  a: 1,
  b: 2
}
nested:
  # inner
  k: v
  w:
    deep: 1   # note
list:
  - a: 1
    b: 2
  - only: 1
last: true
"""
JSON = """\
{
  "a": 1,
  "b": {"x": 1, "y": 2},
  "c": {
    "k": [1, 2]
  },
  "d": {"only": 1},
  "e": true
}
"""
HJSON = '{\n  // why\n  "a": 1, // one\n  b: 2, # two\n  "c": 3,\n}\n'
TOML = 'a = 1 # one\nb.c = "x"\nin = {x = 1, y = 2}\nlong = [\n  1,\n]\n[t]\nk = 1\nw = 2\n'
FILES = {
    "x.yaml": YAML,
    "crlf.yaml": YAML.replace("\n", "\r\n"),
    "end.yaml": YAML.rstrip("\n"),
    "x.json": JSON,
    "one.json": '{"a": 1, "b": {"x": 1}, "c": 2}',
    "hjson.json": HJSON,
    "x.toml": TOML,
}
LOADERS = {"yaml": Loader.PYYAML, "json": Loader.HJSON, "toml": Loader.TOML}
CASES = [(name, path) for name, text in FILES.items() for path, _ in walk(load(SourceFile(name, text))[0].root)]


def read(name: str, text: str | None = None) -> Document:
    (document,) = load(SourceFile(name, FILES[name] if text is None else text))
    assert not document.problems, document.problems
    return document


def tree(document: Document) -> Any:
    return plain(document.root, LOADERS[document.format])


def at(document: Document, path: str) -> Entry:
    entry = dict(walk(document.root))[path]
    assert entry is not None
    return entry


def parent_of(value: Any, path: str) -> tuple[Any, str]:
    *steps, last = path.split(".")
    for step in steps:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value, last


def kept_lines(before: str, after: str, near: Entry, document: Document) -> bool:
    """Everything before the entry's first line and after its last line is as it was (one comma may go)."""
    first = before.rfind("\n", 0, near.key.span.start) + 1
    head = before[:first].rstrip().rstrip(",")
    return after.startswith(head)


@pytest.mark.parametrize(("name", "path"), CASES)
def test_delete(name: str, path: str) -> None:
    document = read(name)
    entry = at(document, path)
    edits = delete_entry(document, entry)
    if not edits:
        assert name == "x.toml" and not isinstance(entry.value, Scalar)
        return
    expected = copy.deepcopy(tree(document))
    parent, last = parent_of(expected, path)
    del parent[last]
    if path == "anchored":
        return
    after = read(name, apply(document.source.text, edits))
    if name == "x.toml" and path == "b.c":
        del expected["b"]
    assert tree(after) == expected
    assert kept_lines(document.source.text, after.source.text, entry, document)


VALUES: tuple[Value, ...] = (2e-5, 1, True, None, "x y", "yes", "1e5", "a: b", "# x", 1e10, float("inf"), "é\U0001f600\n", "")


@pytest.mark.parametrize(("name", "path"), CASES)
def test_set_value(name: str, path: str) -> None:
    document = read(name)
    entry = at(document, path)
    if not isinstance(entry.value, Scalar) or path == "anchored":
        return
    values = [one for one in VALUES if (one is not None or name != "x.toml") and (one != float("inf") or document.format != "json")]
    for value in values:
        expected = copy.deepcopy(tree(document))
        parent, last = parent_of(expected, path)
        parent[last] = value
        after = read(name, apply(document.source.text, set_value(document, entry.value, value)))
        assert tree(after) == expected, value
        assert type(parent_of(tree(after), path)[0][last]) is type(value) or document.format == "json", value


@pytest.mark.parametrize(("name", "path"), CASES)
def test_rename(name: str, path: str) -> None:
    document = read(name)
    for new in ("renamed", "with space", "yes", "1"):
        expected = copy.deepcopy(tree(document))
        parent, last = parent_of(expected, path)
        parent[new] = parent.pop(last)
        after = read(name, apply(document.source.text, rename_key(document, at(document, path), new)))
        assert tree(after) == expected, new


@pytest.mark.parametrize(("name", "path"), CASES)
def test_insert_after(name: str, path: str) -> None:
    document = read(name)
    entry = at(document, path)
    edits = insert_after(document, entry, "new_key", 2e-5)
    if not edits:
        assert name == "x.toml"
        return
    expected = copy.deepcopy(tree(document))
    parent, _ = parent_of(expected, path)
    parent["new_key"] = 2e-5
    after = read(name, apply(document.source.text, edits))
    assert tree(after) == expected
    assert kept_lines(document.source.text, after.source.text, entry, document)


def test_edits_keep_comments_and_line_ends() -> None:
    document = read("crlf.yaml")
    lr, deep = at(document, "lr"), at(document, "nested.w.deep")
    assert isinstance(lr.value, Scalar)
    after = apply(document.source.text, (*set_value(document, lr.value, 2e-5), *insert_after(document, deep, "x", 1)))
    assert "lr: 2.0e-05   # why\r\n" in after
    assert "    deep: 1   # note\r\n    x: 1\r\n" in after
    assert after.count("\n") == after.count("\r\n")


def test_overlapping_edits_wait_for_their_round() -> None:
    first, inner, same = Edit("x", Span(0, 4), "A"), Edit("x", Span(2, 3), "B"), Edit("x", Span(0, 4), "A")
    insert, insert_too = Edit("x", Span(5, 5), "1"), Edit("x", Span(5, 5), "2")
    now, later = rounds([inner, first, same, insert, insert_too])
    assert now == (first, insert) and later == (inner, insert_too)
    assert apply("abcdefg", [inner, first, same, insert, insert_too]) == "Ae1fg"
