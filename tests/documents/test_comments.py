"""Comments are found wherever they are, and never inside a value."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.comments import comments
from budgetlint.documents.load import format_of

CASES = [
    (
        "x.yaml",
        "# 1\na: 'x # y' # 2\nb: | # 3\n  # no\n  foo\n# 4\nc: foo#bar\nd: [1, # 5\n 2]\ne: http://a#b\nf: &x # 6\n  g: 1\nh: *x # 7\n",
        ["1", "2", "3", "4", "5", "6", "7"],
    ),
    ("x.yaml", "a: &b # 1\n  k: 1 # 2\nc:\n  <<: *b # 3\n  <<: {x: '# no'} # 4\n---\n# 5\nd: >-\n  # no\n", ["1", "2", "3", "4", "5"]),
    ("x.yaml", "a: 1\r\n# 1\r\nb: 2 # 2\r\n", ["1", "2"]),
    ("x.yaml", "# budgetlint: allow x  \n", ["budgetlint: allow x"]),
    ("x.yaml", 'a: [1 # 1\nb: "x # no" # 2\n', ["1", "2"]),
    ("x.yaml", "a: 1\n", []),
    ("x.json", '{ // 1\n "a": "# no // no", # 2\n "b": /* 3\n x */ 1, "c": foo # no\n}', ["1", "2", "3\n x"]),
    ("x.json", '{"a": "http://x", "b": 1 } // 1', ["1"]),
    ("x.json", '{"a": , // 1\n "b": "// no"}', ["1"]),
    ("x.toml", '# 1\na = "x # no" # 2\nb = """\n# no\n"""# 3\nc = [1, # 4\n]\n', ["1", "2", "3", "4"]),
    ("x.budget", 'device 1 # 1\nassert x, "a # no" # 2', ["1", "2"]),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES)
def test_comments(name: str, text: str, expected: list[str]) -> None:
    source = SourceFile(name, text)
    found = comments(source, "budget" if name.endswith("budget") else format_of(source))
    assert [comment.text for comment in found] == expected
    assert all(text[comment.span.start] in "#/" for comment in found)
    assert all(comment.text in text[comment.span.start : comment.span.end] for comment in found)
