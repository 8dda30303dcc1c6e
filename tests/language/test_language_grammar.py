"""The grammar is LALR(1) and strict, is read from tables that ship with it, and is built once."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import lark
import pytest

from budgetlint.base.source import SourceFile
from budgetlint.language import parse, tables
from budgetlint.language.grammar import parser
from budgetlint.language.lalr import grammar_text
from budgetlint.language.parsing import _Recovery
from budgetlint.language.problems import Problems
from budgetlint.language.reference import page_path, renewed
from budgetlint.language.resolve import read_budget
from budgetlint.language.slices import COMMAND, outline
from budgetlint.language.slots import FILE
from budgetlint.language.statements import STATEMENTS, setting_paths
from budgetlint.language.tree import Statement, Value
from budgetlint.settings.vocabulary import SETTINGS

EXAMPLE = re.compile(r"^```budget\n(.*?)^```", re.MULTILINE | re.DOTALL)

BUDGETS = sorted((Path(__file__).parent / "budgets").glob("*.budget"))


@pytest.mark.skipif(find_spec("interegular") is None, reason="lark's strict mode needs interegular")
def test_no_two_terminals_collide() -> None:
    strict = lark.Lark(tables.grammar_text(), parser="lalr", lexer="contextual", start=["start", "statement"], strict=True)
    assert {str(rule.origin.name) for rule in strict.rules} >= {"start", "statement"}


def test_the_grammar_is_a_page() -> None:
    assert len(tables.grammar_text().splitlines()) < 70


def test_the_parser_is_built_once() -> None:
    assert parser() is parser()


@pytest.mark.parametrize("path", BUDGETS, ids=lambda path: path.stem)
def test_slices_give_the_same_tree_as_the_whole_file(path: Path) -> None:
    source = SourceFile(path.name, path.read_text(encoding="utf-8"))
    tree, problems = parse(source)
    assert problems == ()
    assert _Recovery(source, Problems()).items(outline(source.text).slices, 0) == tree.items


def _run(code: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


PARSE = (
    "from budgetlint.language import parse; from budgetlint.base.source import SourceFile;"
    "print(len(parse(SourceFile('x', 'device t4; seq 1'))[0].items))"
)


def test_the_tables_are_those_of_the_grammar() -> None:
    shipped = json.loads((page_path().parent / tables.NAME).read_text(encoding="utf-8"))
    assert lark.__version__ in tables.READ_BY, "try this lark, and name it in READ_BY"
    assert shipped["grammar"] == crc32(tables.grammar_text().encode()), "run python -m budgetlint.language.tables"
    if shipped["lark"] == lark.__version__:
        assert shipped == json.loads(tables.made())


@pytest.mark.parametrize("path", BUDGETS, ids=lambda path: path.stem)
def test_tables_and_grammar_read_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert tables.parser(None).parse(text, start="start") == _built().parse(text, start="start")


@pytest.mark.parametrize("stale", [{"grammar": 0}, {}], ids=["another grammar", "a lark that nobody tried"])
def test_where_the_tables_do_not_belong_the_grammar_is_read(stale: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = tables._tables()
    monkeypatch.setattr(tables, "_tables", lambda: shipped | stale)
    if not stale:
        monkeypatch.setattr(tables, "READ_BY", frozenset())
    monkeypatch.setattr(tables, "_with_numbers", lambda data: pytest.fail("the tables were taken"))
    assert tables.parser(None).parse("device t4; seq 1", start="start").data == "start"


@cache
def _built() -> lark.Lark:
    return lark.Lark(tables.grammar_text(), **tables.OPTIONS)


def test_parsing_leaves_nothing_behind_and_reads_nothing_of_a_cache(tmp_path: Path) -> None:
    assert _run(PARSE, XDG_CACHE_HOME=str(tmp_path), HOME=str(tmp_path)) == "2"
    assert list(tmp_path.iterdir()) == []


def test_no_module_unpickles() -> None:
    """Whoever unpickles what a checkout may hold runs it."""
    packages = [Path(find_spec(name).submodule_search_locations[0]) for name in ("budgetlint", "budgetlint_rules", "budgetlint_grammar")]  # type: ignore[union-attr,index]
    unpickling = re.compile(r"\b(pickle|marshal|shelve|dill|joblib|torch\.load)\b")
    modules = [path for folder in packages for path in folder.rglob("*.py") if unpickling.search(path.read_text(encoding="utf-8"))]
    found = {path.name: hit[0] for path in modules if (hit := unpickling.search(_code_of(path)))}
    assert found == {}


def _code_of(path: Path) -> str:
    """The imports and calls of a module, without its texts."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = (ast.unparse(node) for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))
    called = (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return "\n".join((*imported, *called))


def test_the_language_is_imported_without_lark_and_pydantic() -> None:
    code = (
        "import sys, budgetlint.language, budgetlint.language.budget, budgetlint.language.problems, budgetlint.language.statements;"
        "print([name for name in ('lark', 'pydantic') if name in sys.modules])"
    )
    assert _run(code) == "[]"


def test_the_reference_page_is_up_to_date() -> None:
    page = page_path().read_text(encoding="utf-8")
    assert renewed(page) == page, "run python -m budgetlint.language.reference"


@pytest.mark.parametrize("text", EXAMPLE.findall(page_path().read_text(encoding="utf-8")), ids=lambda text: text.strip()[:40])
def test_every_example_of_the_reference_page_is_right(text: str) -> None:
    assert read_budget(SourceFile("x.budget", text), lambda path: SourceFile(path, "")).problems == ()


@pytest.mark.parametrize("spec", STATEMENTS.values(), ids=lambda spec: spec.keyword)
def test_every_row_of_the_statement_table_is_whole(spec: object) -> None:
    row = STATEMENTS[spec.keyword]  # type: ignore[attr-defined]
    assert row.meaning and row.example.startswith(row.keyword) and row.places
    assert all(place in ("file", "target", "run") for place in row.places)
    assert [slot.required for slot in row.values[1:]].count(False) <= 1
    assert FILE in row.places


def test_every_setting_of_the_table_is_in_the_vocabulary() -> None:
    assert {setting for setting, _ in setting_paths().values()} <= set(SETTINGS)


COMMANDS = [
    ("launch torchrun --x=1 train.py --config {config}", "torchrun --x=1 train.py --config {config}"),
    ("launch A=1 python t.py; device t4", "A=1 python t.py"),
    ("launch python t.py # why", "python t.py"),
    ("launch python t.py --tag a#b", "python t.py --tag a#b"),
    ("launch python t.py --x 'a ; b } # c'", "python t.py --x 'a ; b } # c'"),
    ('launch python t.py --x "a \\" } b"', 'python t.py --x "a \\" } b"'),
    ("launch python t.py --x ${SIZE} a\\;b", "python t.py --x ${SIZE} a\\;b"),
    ("launch torchrun \\\n  t.py", "torchrun \\\n  t.py"),
    ("launch torchrun \\\r\n  t.py\r\ndevice t4", "torchrun \\\r\n  t.py"),
    ("launch python t.py --x [1 --y 2]", "python t.py --x [1 --y 2]"),
]


@pytest.mark.parametrize(("text", "command"), COMMANDS)
def test_a_command_is_taken_as_it_is(text: str, command: str) -> None:
    for whole in (text, f"run a {{\n{text}\n}}\n"):
        tree, problems = parse(SourceFile("x.budget", whole))
        assert problems == ()
        first = tree.items[0]
        assert isinstance(first, Statement)
        launch = first if first.block is None else first.block[0]
        assert isinstance(launch, Statement)
        (value,) = launch.values
        assert isinstance(value, Value)
        assert (launch.keyword, value.kind, value.text) == ("launch", "command", command)
        assert whole[value.span.start : value.span.end] == command


@pytest.mark.parametrize("text", ["let launch = 3", "target launch { device t4 }", "run launch { seq 1 }", "run a { seq 1 }; model launch"])
def test_launch_is_a_word_where_no_statement_begins(text: str) -> None:
    tree, problems = parse(SourceFile("x.budget", text))
    assert problems == ()
    assert not any(isinstance(item, Statement) and item.keyword == "launch" for item in tree.items)


WRONG_COMMANDS = {
    "launch": ("1:6", "expected a command"),
    "launch 'a b": ("1:8", "not closed"),
    "launch a { b }": ("1:10", "unexpected '{'"),
    "launch a\nlaunch\ndevise t4": ("2:6", "expected a command"),
}


@pytest.mark.parametrize("text", WRONG_COMMANDS)
def test_what_is_no_command_is_told_in_its_line(text: str) -> None:
    place, words = WRONG_COMMANDS[text]
    _, problems = parse(SourceFile("x.budget", text))
    assert words in problems[0].message
    assert f"{problems[0].location.line}:{problems[0].location.column}" == place


def test_the_grammar_and_the_slices_have_one_command() -> None:
    assert f"COMMAND: /{COMMAND}/\n" in grammar_text()
