"""The format of a file: its suffix, or its content."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Loader, load, plain

CASES = [
    ("x.yaml", "a: 1", "yaml"),
    ("x.YML", "a: 1", "yaml"),
    ("x.yaml", '{"a": 1}', "yaml"),
    ("x.json", '{"a": 1}', "json"),
    ("x.json", '// why\n{"a": 1}', "json"),
    ("dir.d/x.conf", '{"a": 1}', "json"),
    ("x.conf", '# why\n{"a": 1}', "json"),
    ("x.conf", "a: 1", "yaml"),
    ("x.conf", "a: x = y", "yaml"),
    ("x.cfg", "[t]\na = 1\n", "toml"),
    ("x", "# why\na = 1\n", "toml"),
    ("x.tmpl", "{{ x }}: 1", "yaml"),
    ("x", "[1, 2]", "json"),
    ("x", "- a", "yaml"),
    ("dir.json/x", "a: 1", "yaml"),
    ("x.toml", "a = 1", "toml"),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES)
def test_format(name: str, text: str, expected: str) -> None:
    (document,) = load(SourceFile(name, text))
    assert document.format == expected


def test_yaml_that_holds_json_and_json_in_a_conf() -> None:
    text = '{"a": [1, 2.5], "b": "x"}'
    yaml, conf = load(SourceFile("x.yaml", text))[0], load(SourceFile("x.conf", text))[0]
    assert plain(yaml.root, Loader.PYYAML) == plain(conf.root, Loader.JSON) == {"a": [1, 2.5], "b": "x"}
