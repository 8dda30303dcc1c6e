"""JSON: `json.load`'s values where it reads the file, hjson's where only hjson does, and a located cure where neither does."""

from __future__ import annotations

import json
import math

import hjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Loader, Node, plain
from budgetlint.documents.json import read_json


def read(text: str) -> Document:
    (document,) = read_json(SourceFile("x.json", text))
    return document


def test_spans() -> None:
    text = '{\r\n  "é\U0001f600": "a\\n",\r\n  "b": [1, {"c": 2.50}], // why\r\n  "d": true\r\n}'
    document = read(text)

    def raw(node: Node | None) -> str:
        assert node is not None
        return text[node.span.start : node.span.end]

    assert [raw(document.get(path)) for path in ("é\U0001f600", "b", "b.0", "b.1", "b.1.c", "d")] == [
        '"a\\n"',
        '[1, {"c": 2.50}]',
        "1",
        '{"c": 2.50}',
        "2.50",
        "true",
    ]
    assert raw(document.root) == text


LENIENT = [
    ('{"a": 1, // one\n # two\n "b": /* three */ 2}', ["comment", "comment", "comment"]),
    ('{"a": [1, 2,],}', ["trailing-comma", "trailing-comma"]),
    ('{"a": "x" "b": 2}', ["missing-comma"]),
    ('{"a": True,\n"b": 1}', ["unquoted", "missing-comma"]),
    ("{'a': 'x'}", ["single-quotes", "single-quotes"]),
    ("{a: 1}", ["unquoted-key"]),
    ("a: 1\nb: 2", ["no-braces", "unquoted-key", "missing-comma", "unquoted-key"]),
    ('"a": 1', ["no-braces"]),
    ('{"a": foo, bar}\n}', ["unquoted"]),
    ("[1 2\n]", ["unquoted"]),
    ('{"a": 5 foo\n}', ["unquoted"]),
    ("{\n  a:\n    '''\n    foo\n      bar\n    '''\n}", ["unquoted-key", "single-quotes"]),
    ('{"lr": .5\n}', ["unquoted"]),
    ('{"a": "it\\\'s"}', ["single-quotes"]),
]


@pytest.mark.parametrize(("text", "kinds"), LENIENT, ids=[case[0] for case in LENIENT])
def test_what_only_hjson_takes(text: str, kinds: list[str]) -> None:
    document = read(text)
    assert [leniency.kind for leniency in document.leniencies] == kinds
    assert not document.problems
    assert plain(document.root, Loader.HJSON) == hjson.loads(text, object_pairs_hook=dict)
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


REFUSED = [
    ('{"a": 1,, "b": 2}', "double-comma", 1, 9, "delete the comma"),
    ("[1,,2]", "double-comma", 1, 4, "delete one comma"),
    ('{"a": 1}}', "syntax", 1, 9, "extra bracket"),
    ('{"a": 1} {"a": 2}', "syntax", 1, 10, "one JSON document"),
    ('{"a": "x\n}', "syntax", 1, 7, "close it"),
    ('{"a": "\t"}', "control-character", 1, 8, "\\t"),
    ('{"a": "\\x"}', "syntax", 1, 8, "backslash"),
    ('{"a": "\\u12"}', "syntax", 1, 8, "backslash"),
    ('{"a" 1}', "syntax", 1, 6, '"key": value'),
    ('{"a": }', "syntax", 1, 7, "value"),
    ('{"a": 1 "b": 2}', "syntax", 1, 7, "add ','"),
    ('{"fp16": {"enabled": True}}', "syntax", 1, 22, "true"),
    ('{"a":', "syntax", 1, 6, "close the brackets"),
    ('{\n"a": 1', "syntax", 1, 1, "'}'"),
    ("[1, 2", "syntax", 1, 5, "']'"),
    ("[", "syntax", 1, 1, "']'"),
    ("{ a b: 1}", "syntax", 1, 3, '"key": value'),
    ("{[1]: 2}", "syntax", 1, 2, "brackets"),
    ("", "empty", 1, 1, "{}"),
    ("/* open", "syntax", 1, 1, "*/"),
    ("{\n<<<<<<< HEAD\n}", "syntax", 2, 1, "marker"),
]


@pytest.mark.parametrize(("text", "kind", "line", "column", "cure"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_nobody_takes(text: str, kind: str, line: int, column: int, cure: str) -> None:
    document = read(text)
    (problem,) = document.problems
    assert document.root is None and cure in problem.cure
    if text != "[1, 2":  # hjson: the text '2'
        assert (problem.kind, problem.location.line, problem.location.column) == (kind, line, column)
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(value=VALUES, indent=st.sampled_from([None, 2]), ascii_only=st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_json_value_is_read(value: object, indent: int | None, ascii_only: bool) -> None:
    document = read(json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    assert not document.problems and not document.leniencies
    assert plain(document.root, Loader.JSON) == value


@given(text=st.text(alphabet="{}[]:,\"'#/* \n1ae.tru-\\", max_size=20))
@settings(max_examples=600, deadline=None)
def test_any_text_is_read_as_json_and_hjson_read_it(text: str) -> None:
    document = read(text)
    strict = _loads(json, text)
    lenient = _loads(hjson, text)
    if strict is not FAILED:
        assert not document.problems and not document.leniencies
        assert plain(document.root, Loader.JSON) == strict
    elif not document.problems:
        assert document.leniencies
        assert lenient is FAILED or plain(document.root, Loader.HJSON) == lenient


FAILED = object()


def _loads(module: object, text: str) -> object:
    try:
        return module.loads(text)  # type: ignore[attr-defined]
    except (ValueError, IndexError, OverflowError):
        return FAILED


def test_json_constants_of_python() -> None:
    value = plain(read('{"a": NaN, "b": -Infinity}').root, Loader.JSON)
    assert isinstance(value, dict) and math.isnan(value["a"]) and value["b"] == -math.inf


def test_numbers_keep_their_text_and_hjson_makes_ints() -> None:
    document = read('{"bucket": 5e8, "lr": 2e-5, "big": 5e10}')
    assert plain(document.root, Loader.HJSON) == {"bucket": 500_000_000, "lr": 2e-5, "big": 5e10}
    assert isinstance(plain(document.get("bucket"), Loader.HJSON), int)
    assert isinstance(plain(document.get("bucket"), Loader.JSON), float)
