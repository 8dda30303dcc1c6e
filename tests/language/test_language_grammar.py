"""The grammar is LALR(1) and strict, is built once, and is kept where it can be."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from budgetlint.language import parse
from budgetlint.language.grammar import grammar_text, parser
from budgetlint.language.parsing import _Recovery
from budgetlint.language.problems import Problems
from budgetlint.language.reference import examples, page_path, renewed
from budgetlint.language.resolve import read_budget
from budgetlint.language.slices import outline
from budgetlint.language.slots import FILE
from budgetlint.language.statements import STATEMENTS, setting_paths
from budgetlint.settings import SETTINGS
from budgetlint.source import SourceFile

BUDGETS = sorted((Path(__file__).parent / "budgets").glob("*.budget"))


@pytest.mark.skipif(find_spec("interegular") is None, reason="lark's strict mode needs interegular")
def test_no_two_terminals_collide() -> None:
    import lark

    strict = lark.Lark(grammar_text(), parser="lalr", lexer="contextual", start=["start", "statement"], strict=True)
    assert {str(rule.origin.name) for rule in strict.rules} >= {"start", "statement"}


def test_the_grammar_is_a_page() -> None:
    assert len(grammar_text().splitlines()) < 70


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
    "from budgetlint.language import parse; from budgetlint.source import SourceFile;"
    "print(len(parse(SourceFile('x', 'device t4; seq 1'))[0].items))"
)


def test_the_tables_are_kept_and_read_again(tmp_path: Path) -> None:
    assert _run(PARSE, XDG_CACHE_HOME=str(tmp_path)) == "2"
    (kept,) = (tmp_path / "budgetlint").iterdir()
    written = kept.stat().st_mtime_ns
    assert _run(PARSE, XDG_CACHE_HOME=str(tmp_path)) == "2"
    assert kept.stat().st_mtime_ns == written


def test_a_broken_cache_costs_only_time(tmp_path: Path) -> None:
    _run(PARSE, XDG_CACHE_HOME=str(tmp_path))
    (kept,) = (tmp_path / "budgetlint").iterdir()
    kept.write_bytes(kept.read_bytes()[:200])
    assert _run(PARSE, XDG_CACHE_HOME=str(tmp_path)) == "2"


def test_no_cache_folder_is_needed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert _run(PARSE, XDG_CACHE_HOME=str(tmp_path / "file")) == "2"


def test_the_language_is_imported_without_lark_and_pydantic() -> None:
    code = (
        "import sys, budgetlint.language, budgetlint.language.budget, budgetlint.language.problems, budgetlint.language.statements;"
        "print([name for name in ('lark', 'pydantic') if name in sys.modules])"
    )
    assert _run(code) == "[]"


def test_the_reference_page_is_up_to_date() -> None:
    page = page_path().read_text(encoding="utf-8")
    assert renewed(page) == page, "run python -m budgetlint.language.reference"


@pytest.mark.parametrize("text", examples(page_path().read_text(encoding="utf-8")), ids=lambda text: text.strip()[:40])
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
