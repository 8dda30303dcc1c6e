"""YAML: the tree and the values are PyYAML's, the spans are exact, the refusals are located and say what to do."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Loader, Mapping, Node, Scalar, Sequence, Style, plain
from budgetlint.documents.yaml import _read, read_yaml


def read(text: str) -> Document:
    (document,) = read_yaml(SourceFile("x.yaml", text))
    return document


def raw(document: Document, node: Node | None) -> str:
    assert node is not None
    return document.source.text[node.span.start : node.span.end]


TEXT = """\
# é before
plain: a b   # comment
quoted: "x # y"
single: 'it''s'
empty:
tagged: !Ref name
anchored: &lr 2e-5
both: &n !!str 12
alias: *lr
flow: {a: 1, b: [2, 3]}   # c
block: |
  # not a comment
  two

folded: >-
  x

  y
list:
- 1
- k: v
  w: x
nested: &base # why
  deep: 1
merged:
  <<: *base
  own: 2
"""
RAW = {
    "plain": "a b",
    "quoted": '"x # y"',
    "single": "'it''s'",
    "empty": "",
    "tagged": "name",
    "anchored": "2e-5",
    "both": "12",
    "alias": "*lr",
    "flow": "{a: 1, b: [2, 3]}",
    "flow.b": "[2, 3]",
    "flow.b.1": "3",
    "block": "|\n  # not a comment\n  two",
    "folded": ">-\n  x\n\n  y",
    "list": "- 1\n- k: v\n  w: x",
    "list.1": "k: v\n  w: x",
    "list.1.w": "x",
    "nested": "deep: 1",
    "merged.deep": "1",
    "merged.own": "2",
}


@pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\U0001f600: ü\n"], ids=["", "bom", "astral"])
def test_spans(start: str, newline: str, pure: bool) -> None:
    text = (start + TEXT).replace("\n", newline)
    (document,) = _read(SourceFile("x.yaml", text), pure)
    for path, expected in RAW.items():
        assert raw(document, document.get(path)) == expected.replace("\n", newline), path
    entry = document.entry("merged.own")
    assert entry and raw(document, entry.key) == "own"


def test_unicode_line_ends_keep_spans_exact() -> None:
    document = read("a: b\x85c: d\u2028e: f\u2029g: h\n")
    assert [raw(document, document.get(key)) for key in "aceg"] == ["b", "d", "f", "h"]


LINES = st.lists(
    st.sampled_from(["x", "'a b'", '"é\U0001f600"', "[1, {k: 2}]", "&a%d 5", "!t v", "|\n  l # x\n  m", "", "'p\n\n  q'"]), max_size=8
)


@given(values=LINES, newline=st.sampled_from(["\n", "\r\n"]), gap=st.sampled_from(["", "\n", "# c\n"]))
@settings(max_examples=150, deadline=None)
def test_reading_the_raw_text_of_a_value_gives_the_value(values: list[str], newline: str, gap: str) -> None:
    text = "".join(f"k{place}: {value.replace('%d', str(place))}\n{gap}" for place, value in enumerate(values)).replace("\n", newline)
    document = read(text)
    for place in range(len(values)):
        node = document.get(f"k{place}")
        assert node is not None
        alone = yaml.safe_load(raw(document, node) + "\n")
        assert alone == plain(node, Loader.PYYAML) or isinstance(alone, str), text


STYLES = {
    "a": Style.PLAIN,
    "'a'": Style.QUOTED,
    '"a"': Style.QUOTED,
    "|\n a": Style.BLOCK,
    ">\n a": Style.BLOCK,
}


@pytest.mark.parametrize("text", STYLES)
def test_styles(text: str) -> None:
    root = read(text).root
    assert isinstance(root, Scalar) and root.style is STYLES[text]


SAME = [
    "a: {A100:8, H100:1}",
    "[http://x, a:b]",
    "a: 1\na: 2\n",
    "on: 1\n1: x\nnull: y\n1.5: z\n2021-01-02: w\n",
    "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc:\n  y: 4\n  <<: *a\n",
    "a: &a {x: 1}\nb: &b {y: 2}\nc: {<<: [*a, *b], z: 3}\n",
    "'<<': 1\n",
    "? a\n: b\n? c\n",
    "a: 'b: c'\n",
    "k: &x [1]\nl: *x\n",
    "- - 1\n  - 2\n-\n  - 3\n",
    "a: !!str 1\nb: ! 12\nc: !!float 1\n",
    "%YAML 1.1\n---\na: 1\n...\n",
    "%YAML 1.3\n---\na: 1\n",
    "# c\n%YAML  1.13 # comment\n---\nurl: [http://x]\n",
    "a: |\n  %YAML 1.3\n",
    "",
    "# only\n",
    "~",
    "{}",
    "--- >\n folded\n text\n",
]


@pytest.mark.parametrize("text", SAME)
def test_values_are_pyyaml_s(text: str) -> None:
    assert plain(read(text).root, Loader.PYYAML) == yaml.safe_load(text)


def test_other_major_versions_are_refused() -> None:
    for text in ("%YAML 2.0\n---\na: 1\n", "%YAML 1.3x\n---\na: 1\n", "%YAML 1.3\n%YAML 1.3\n---\na: 1\n"):
        with pytest.raises(yaml.YAMLError):
            yaml.safe_load(text)
        assert read_yaml(SourceFile("x.yaml", text))[-1].problems


def test_spans_after_a_version_line() -> None:
    source = SourceFile("x.yaml", "%YAML 1.13\n---\nkey: value\n")
    (document,) = read_yaml(source)
    node = document.get("key")
    assert node is not None and source.text[node.span.start : node.span.end] == "value"


def test_merge_order_is_that_of_the_specification() -> None:
    """The first of a list wins, and the mapping's own keys win over both (PyYAML up to 6.0.2, OmegaConf, the YAML merge page)."""
    document = read("a: &a {long_key: 1}\nb: &b {long_key: 2, other_key: 3}\nc: {<<: [*a, *b]}\nd: {<<: [*b, *a], other_key: 4}\n")
    assert plain(document.get("c"), Loader.OMEGACONF) == {"long_key": 1, "other_key": 3}
    assert plain(document.get("d"), Loader.OMEGACONF) == {"long_key": 2, "other_key": 4}
    merged = document.get("d")
    assert isinstance(merged, Mapping) and [entry.key.text for entry in merged.entries] == ["other_key"]


def test_duplicate_keys_stay_visible() -> None:
    root = read("lr: 1\nlr: 2\n").mapping
    assert root and [plain(entry.value, Loader.PYYAML) for entry in root.entries] == [1, 2]
    assert plain(root.get("lr"), Loader.PYYAML) == 2


def test_several_documents() -> None:
    documents = read_yaml(SourceFile("x.yaml", "a: &x 1\n---\nb: &x 2\n--- [\n"))
    assert [document.number for document in documents] == [0, 1, 2]
    assert [bool(document.problems) for document in documents] == [False, False, True]
    assert documents[1].anchors == ("x",)


def test_tags_are_kept() -> None:
    document = read("a: !Ref x\nb: !!python/tuple [1]\nc: !Sub {k: v}\n")
    scalar, items, mapping = (document.get(key) for key in "abc")
    assert isinstance(scalar, Scalar) and scalar.tag == "!Ref"
    assert isinstance(items, Sequence) and items.tag == "tag:yaml.org,2002:python/tuple"
    assert isinstance(mapping, Mapping) and mapping.tag == "!Sub"


REFUSED = [
    ("a: b: c", "syntax", 1, 5, "quote the value"),
    ("a: 1\n\tb: 2", "tab", 2, 1, "spaces"),
    ("a:\n\t- b", "tab", 2, 1, "spaces"),
    ("-\tx\n", "tab", 1, 2, "spaces"),
    ("a: 1\n\t\nb: 2\n", "tab", 2, 1, "spaces"),
    ("a:\n  - b\n - c\n", "syntax", 3, 2, "align"),
    ("a: [1, 2\nb: 3\n", "syntax", 2, 2, "']'"),
    ("{a: b", "syntax", 1, 6, "'}'"),
    ("a: 'foo\nb: 1\n", "syntax", 1, 4, "close the quote"),
    ('a: "\\d"', "syntax", 1, 5, "backslash"),
    ("a: @x", "syntax", 1, 4, "quote"),
    ("a: *b", "undefined-alias", 1, 4, "&b"),
    ("a: &a [*a]", "recursive-alias", 1, 8, "write the value out"),
    ("a: &x 1\nb: &x 2", "duplicate-anchor", 2, 4, "another name"),
    ("a: {{ x }}", "syntax", 1, 4, "template"),
    ("{% if x %}\na: 1\n", "syntax", 1, 2, "template"),
    ("a: {{ x }}-{{ y }}\n", "syntax", 1, 4, "template"),
    ("a: 1\nfoo\nb: 2\n", "syntax", 3, 1, "key: value"),
    ("é: x\x01", "control-character", 1, 5, "delete"),
    ("a: - b", "syntax", 1, 4, "next line"),
    ("[a]: 1", "syntax", 1, 1, "quote"),
    ("a:\n  <<: 1\n", "syntax", 2, 3, "<<: *name"),
    ("a: 1\n<<<<<<< HEAD\nb: 1\n=======\n", "syntax", 2, 1, "marker"),
]


@pytest.mark.parametrize(("text", "kind", "line", "column", "cure"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refusals(text: str, kind: str, line: int, column: int, cure: str) -> None:
    document = read(text)
    (problem,) = document.problems
    assert document.root is None
    assert (problem.kind, problem.location.line, problem.location.column) == (kind, line, column)
    assert cure in problem.cure
    if kind != "recursive-alias":  # PyYAML builds the loop; nobody can train with it
        with pytest.raises(yaml.YAMLError):
            yaml.safe_load(text)


YAMLISH = st.text(alphabet="ab:- \n#{}[],'\"|>&*!?%\t1", max_size=24)


@given(text=YAMLISH)
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    for pure in (False, True):
        for document in _read(SourceFile("x.yaml", text), pure):
            assert document.root is None or not document.problems
            assert all(0 < problem.location.line <= document.source.line_count for problem in document.problems)


@given(text=YAMLISH)
@settings(max_examples=400, deadline=None)
def test_what_both_accept_is_the_same(text: str) -> None:
    document = read_yaml(SourceFile("x.yaml", text))[0]
    try:
        theirs = yaml.load(text, yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        return
    if not document.problems and document.root is not None and "!" not in text:
        assert plain(document.root, Loader.PYYAML) == theirs


TABS = {
    "a:\t1\n": True,
    "a: 1\t\n": True,
    "a: b\tc\n": True,
    "{a: 1,\tb: 2}\n": True,
    "a: 1 #\tc\n": False,
    "#\tc\na: 1\n": False,
    "a: 'b\tc'\n": False,
    "a: |\n  b\tc\n  #\td\n": False,
}


@pytest.mark.parametrize("text", TABS)
def test_tabs_that_only_libyaml_takes_are_told(text: str) -> None:
    document = read(text)
    assert [leniency.kind for leniency in document.leniencies] == ["tab"] * TABS[text]
    assert plain(document.root, Loader.OMEGACONF) == yaml.load(text, yaml.CSafeLoader)
    if TABS[text]:
        with pytest.raises(yaml.YAMLError):
            yaml.safe_load(text)
    else:
        assert plain(document.root, Loader.PYYAML) == yaml.safe_load(text)
