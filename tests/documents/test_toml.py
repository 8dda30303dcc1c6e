"""TOML: `tomllib`'s values, our spans."""

from __future__ import annotations

import tomllib

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Loader, Mapping, Node, Sequence, plain
from budgetlint.documents.toml import read_toml

TEXT = '''\
# top
title = "a # b" # why
"quoted key" = 'raw \\n'
a.b.c = 1_000
a.b."d e" = 2.5e-3
day = 1979-05-27
moment = 1979-05-27 07:32:00Z
multi = """
line # no
  "two" """
raw = \'\'\'it's\'\'\'
list = [ 1, # one
  [2, 3], {x = 1, y.z = 2, y.w = 3},
]
inf = +inf
[table]
k = true
[table.child]
k = 0xFF
[[array]]
n = 1
[array.sub]
m = 1
[[array]]
n = 2
[later.child]
x = 1
[later]
y = 2
'''
RAW = {
    "title": '"a # b"',
    "quoted key": "'raw \\n'",
    "a.b.c": "1_000",
    "a.b.d e": "2.5e-3",
    "moment": "1979-05-27 07:32:00Z",
    "multi": '"""\nline # no\n  "two" """',
    "list.1": "[2, 3]",
    "list.2": "{x = 1, y.z = 2, y.w = 3}",
    "list.2.y.w": "3",
    "table.k": "true",
    "table.child.k": "0xFF",
    "array.1.n": "2",
    "array.0.sub.m": "1",
    "later.y": "2",
}


def read(text: str) -> Document:
    (document,) = read_toml(SourceFile("x.toml", text))
    return document


def raw(document: Document, node: Node | None) -> str:
    assert node is not None
    return document.source.text[node.span.start : node.span.end]


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_values_and_spans(newline: str) -> None:
    text = TEXT.replace("\n", newline)
    document = read(text)
    assert not document.problems
    assert plain(document.root, Loader.TOML) == tomllib.loads(text)
    for path, expected in RAW.items():
        assert raw(document, document.get(path)) == expected.replace("\n", newline), path


def test_tables() -> None:
    document = read(TEXT)
    assert isinstance(document.get("array"), Sequence) and isinstance(document.get("later"), Mapping)
    assert raw(document, document.get("table")) == "[table]\nk = true\n[table.child]\nk = 0xFF"
    entry = document.entry("table.child.k")
    assert entry and raw(document, entry.key) == "k"


MORE = [
    "",
    "# only",
    "a = [\n]\n",
    "a = {}\n",
    'a = """"quote""""\n',
    "a = ''''quote''''\n",
    "a = \"\"\nb = ''\n",
    'a = """\\\n   folded"""\n',
    '"" = 1\n',
    "1234 = 1\n3.14 = 2\n",
    "a = 07:32:00\nb = 1979-05-27T07:32:00.5\n",
    "[a]\n[a.b]\n[a.b.c]\nd=1\n[x.a]\n[x]\n",
    "[[a]]\n[[a.b]]\nc=1\n[[a.b]]\nc=2\n[[a]]\n",
    "a.b = 1\n[c]\na.b = 2\n",
    'a = "\\u00e9 \\U0001F600"\n',
    "a = [{b = 1}, {b = 2, c = [1, 2]}] # x\n",
]


@pytest.mark.parametrize("text", MORE)
def test_more_values(text: str) -> None:
    document = read(text)
    assert not document.problems
    assert plain(document.root, Loader.TOML) == tomllib.loads(text)


REFUSED = [
    ("a = 1\na = 2\n", 2, "keep one"),
    ("a = True\n", 1, "lower case"),
    ("a = 'x\n", 1, "close the quote"),
    ("a\n", 1, "key = value"),
    ("[a]\n[a]\n", 2, "declare a table once"),
    ("a = [1, 2\nb = 3\n", 2, "close the bracket"),
    ("a = 1 b = 2\n", 1, "own line"),
    ('a = "\\q"\n', 1, "backslash"),
    ("a = " + "[" * 10_000, 1, "flatten"),
    (".".join("a" * 100) + " = 1\n", 1, "flatten"),
    ("a = " + "[" * 100 + "]" * 100, 1, "flatten"),
]


@pytest.mark.parametrize(("text", "line", "cure"), REFUSED, ids=[case[0][:20] for case in REFUSED])
def test_refusals(text: str, line: int, cure: str) -> None:
    document = read(text)
    (problem,) = document.problems
    assert document.root is None
    assert problem.location.line == line
    assert cure in problem.cure
