"""References of OmegaConf inside one file."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetlint.base.source import SourceFile
from budgetlint.documents import Loader, Scalar
from budgetlint.documents.interpolate import interpolated
from budgetlint.documents.load import load
from budgetlint.documents.node import Document, plain


def document(text: str) -> Document:
    return load(SourceFile("run.yaml", dedent(text)))[0]


def values(text: str) -> object:
    return plain(interpolated(document(text)).root, Loader.OMEGACONF)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 4\nb: ${a}", {"a": 4, "b": 4}),
        ("v:\n  n: 2048\nb: ${v.n}", {"v": {"n": 2048}, "b": 2048}),
        ("v:\n  n: 8\n  m: ${.n}", {"v": {"n": 8, "m": 8}}),
        ("n: 3\nv:\n  n: 8\n  m: ${..n}", {"n": 3, "v": {"n": 8, "m": 3}}),
        ("l: [1, 2]\nb: ${l[1]}\nc: ${l.0}", {"l": [1, 2], "b": 2, "c": 1}),
        ("l: [q, v]\nb: ${l}", {"l": ["q", "v"], "b": ["q", "v"]}),
        ("a: ${b}\nb: ${c}\nc: true", {"a": True, "b": True, "c": True}),
        ("d: /tmp\nf: ${d}/x/${d}", {"d": "/tmp", "f": "/tmp/x//tmp"}),
        ("s: '5'\nb: ${s}", {"s": "5", "b": "5"}),
        ("n: 5\nb: '${n}'", {"n": 5, "b": 5}),
        ("l:\n  - ${n}\nn: 1", {"l": [1], "n": 1}),
    ],
)
def test_references_inside_the_file_are_resolved(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize(
    "value",
    ["${oc.env:HOME}", "${now:%Y}", "${missing}", "${a.${b}}", "${a}", r"\${n}", "x-${missing}", "${block}", "${....n}", "${n", "$n"],
)
def test_what_only_the_program_knows_stays_as_written(value):
    assert values(f"n: 1\nblock:\n  x: 1\na: {value}")["a"] == value


def test_a_circle_stays_as_written():
    assert values("a: ${b}\nb: ${a}") == {"a": "${b}", "b": "${a}"}


def test_a_value_stands_where_its_reference_stands():
    found = interpolated(document("n: 2048\nlength: ${n}"))
    value = found.get("length")
    assert isinstance(value, Scalar)
    assert value.text == "2048"
    assert found.source.text[value.span.start : value.span.end] == "${n}"


def test_doubling_references_end():
    text = "a0: xxxxxxxx\n" + "".join(f"a{n + 1}: ${{a{n}}}${{a{n}}}\n" for n in range(30))
    assert len(values(text)) == 31


def test_a_document_without_references_is_returned_as_it_is():
    plain_one = document("a: 1")
    assert interpolated(plain_one) is plain_one


@given(st.text(alphabet="ab${}.[]:\\ \n-0", max_size=80))
def test_any_text_is_survived(text):
    for one in load(SourceFile("x.yaml", text)):
        made = interpolated(one)
        assert made.source is one.source
        assert list(made.mapping.keys() if made.mapping else ()) == list(one.mapping.keys() if one.mapping else ())
