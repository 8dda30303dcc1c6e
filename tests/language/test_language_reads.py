"""``reads FILE { setting=key }``: which keys of a file are settings, and what is wrong with a line of it."""

from __future__ import annotations

import pytest

from budgetlint.base.limits import READ_PLACES
from budgetlint.base.source import SourceFile
from budgetlint.language import parse, read_budget
from budgetlint.language.budget import KeyPath, Reads
from budgetlint.language.export import export_text, from_json
from budgetlint.language.format import format_text
from budgetlint.language.read_slots import readable, slot_of
from budgetlint.settings.vocabulary import SETTINGS


def reads(text: str) -> tuple[Reads, ...]:
    found = read_budget(SourceFile("team/demo.budget", text))
    assert found.problems == ()
    return found.runs[0].reads


def test_each_line_is_a_setting_and_where_it_stands() -> None:
    (one,) = reads('reads launch.yaml { model=overrides.model; batch=runs.0.mbs\n shard="zero{overrides.zero}" }')
    assert (one.path, one.base) == ("launch.yaml", "team")
    assert [(key.name, key.parts) for key in one.keys] == [
        ("model", (KeyPath("overrides.model"),)),
        ("batch", (KeyPath("runs.0.mbs"),)),
        ("shard", ("zero", KeyPath("overrides.zero"))),
    ]


def test_a_run_reads_its_own_files_and_those_of_the_top_level() -> None:
    found = read_budget(SourceFile("demo.budget", "reads a.yaml { seq=s }\nrun one { reads b.yaml { batch=b } }\nrun two { seq 1 }"))
    assert [[one.path for one in run.reads] for run in found.runs] == [["a.yaml", "b.yaml"], ["a.yaml"]]


def test_a_let_holds_a_path() -> None:
    (one,) = reads("let home = overrides.model\nreads a.yaml { model=$home }")
    assert one.keys[0].parts == (KeyPath("overrides.model"),)


WRONG = [
    ("reads a.yaml", "1:1 BL006", "reads a.yaml { … }"),
    ("reads a.yaml { }", "1:1 BL006", "batch=overrides.mbs"),
    ("reads { seq=s }", "1:1 BL006", "reads launch.yaml"),
    ("reads a.yaml { seq 3 }", "1:16 BL011", "batch=overrides.mbs"),
    ("reads a.yaml { dtype=b }", "1:16 BL004", "did you mean 'precision='?"),
    ("reads a.yaml { max_length=b }", "1:16 BL004", "did you mean 'seq='?"),
    ("reads a.yaml { zero=b }", "1:16 BL004", "did you mean 'shard='?"),
    ("reads a.yaml { devcies=b }", "1:16 BL004", "did you mean 'devices='?"),
    ("reads a.yaml { qqq=b }", "1:16 BL004", "budgetlint estimate --settings"),
    ("reads a.yaml { seq=4096 }", "1:20 BL003", "seq 4096"),
    ("reads a.yaml { seq=[a, b] }", "1:20 BL003", "one key"),
    ("reads a.yaml { seq=8% }", "1:20 BL003", "a dotted path"),
    ('reads a.yaml { model="llama" }', "1:22 BL003", 'model="{llama}"'),
    ('reads a.yaml { model="{a" }', "1:22 BL003", 'model="{a}"'),
    ('reads a.yaml { model="{a[0]}" }', "1:22 BL003", "runs.0.batch"),
    ('reads a.yaml { model="{}" }', "1:22 BL003", "runs.0.batch"),
    ("reads a.yaml { seq=a..b }", "1:20 BL003", "runs.0.batch"),
    ("reads a.yaml { seq=a; seq_len=b }", "1:23 BL007", "keep one"),
    ("reads a.yaml { seq=$nothing }", "1:20 BL008", "define it"),
    (f'reads a.yaml {{ model="{"{a}" * (READ_PLACES.most + 1)}" }}', "1:22 BL003", "at most 8"),
    ("run a { seq=1 }", "1:12 BL001", "a statement has no '='"),
    ("overrides.mbs=1", "1:14 BL001", "the block of a 'reads'"),
    ("target ci { device t4; reads a.yaml { seq=s } }", "1:24 BL011", "a run"),
]


@pytest.mark.parametrize(("text", "where", "cure"), WRONG, ids=[text for text, _, _ in WRONG])
def test_a_mistake_is_told_where_it_stands(text: str, where: str, cure: str) -> None:
    (problem,) = read_budget(SourceFile("demo.budget", text)).problems
    assert f"{problem.location.line}:{problem.location.column} {problem.code}" == where
    assert cure in problem.help


def test_the_rest_of_the_block_is_still_read() -> None:
    found = read_budget(SourceFile("demo.budget", "reads a.yaml { seq=8%; batch=b }"))
    assert [key.name for key in found.runs[0].reads[0].keys] == ["batch"]


def test_a_budget_is_formatted_and_exported_with_it() -> None:
    text = "reads   a.yaml {seq = s;   batch=b # how many\n   shard='zero{z}' }\n"
    pretty = "reads a.yaml {\n  seq=s; batch=b  # how many\n  shard='zero{z}'\n}\n"
    assert format_text(text) == pretty == format_text(pretty)
    tree, _ = parse(SourceFile("demo.budget", "reads a.yaml { seq=s; batch=b }"))
    assert format_text(from_json(export_text(tree))) == "reads a.yaml {\n  seq=s\n  batch=b\n}\n"


def test_every_readable_name_has_a_type_and_a_setting() -> None:
    assert all(slot is not None and slot.setting in SETTINGS for slot in map(slot_of, readable()))
