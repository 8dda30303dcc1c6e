"""Whether a change of one statement or setting makes the gate milder: every one of the language has an answer, and the right one."""

from __future__ import annotations

import pytest

from budgetlint.base.finding import Severity
from budgetlint.gate import classes
from budgetlint.gate.change import BY_EFFECT, LOOSENS, NEITHER, TIGHTENS
from budgetlint.gate.classes import SETTING_CLASSES, STATEMENT_CLASSES, unclassed_settings, unclassed_statements, way_of_statement


def test_every_statement_is_classed() -> None:
    assert unclassed_statements() == []


def test_every_setting_is_classed() -> None:
    assert unclassed_settings() == []


@pytest.mark.parametrize("table", ["STATEMENT_CLASSES", "SETTING_CLASSES"])
def test_one_that_nobody_classed_is_found(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a row that nothing has, such as after a renaming."""
    rows = dict(getattr(classes, table))
    gone = next(iter(rows))
    monkeypatch.setattr(classes, table, {**{key: row for key, row in rows.items() if key != gone}, "unheard-of": rows[gone]})
    found = unclassed_statements() if table == "STATEMENT_CLASSES" else unclassed_settings()
    assert found == sorted([gone, "unheard-of"])


STATEMENTS = [
    ("device", "device 80GiB", "device 180GiB", LOOSENS),
    ("device", "device 80GiB", "device 2x 80GiB", LOOSENS),
    ("device", "device 80GiB", "device 40GiB", TIGHTENS),
    ("device", "device 80GiB", "", LOOSENS),
    ("device", "", "device 80GiB", TIGHTENS),
    ("nodes", "nodes 2", "nodes 4", LOOSENS),
    ("nodes", "nodes 4", "nodes 2", TIGHTENS),
    ("host", "host 64GiB", "host 128GiB", LOOSENS),
    ("host", "host 128GiB", "host 64GiB", TIGHTENS),
    ("reserve", "reserve 4GiB", "reserve 1GiB", LOOSENS),
    ("reserve", "reserve 4GiB", "", LOOSENS),
    ("reserve", "", "reserve 4GiB", TIGHTENS),
    ("reserve", "reserve 5%", "reserve 10%", TIGHTENS),
    ("reserve", "reserve 4GiB", "reserve 4096MiB", NEITHER),
    ("assert", "assert seq <= 4096", "assert seq <= 8192", LOOSENS),
    ("assert", "assert seq <= 4096", "assert seq <= 2048", TIGHTENS),
    ("assert", "assert epochs >= 2", "assert epochs >= 1", LOOSENS),
    ("assert", "assert seq <= 4096", "", LOOSENS),
    ("assert", "", "assert seq <= 4096", TIGHTENS),
    ("assert", "assert seq <= 4096", 'assert seq <= 4096, "ours"', NEITHER),
    ("assert", "assert seq <= 4096", "assert batch <= 4096", LOOSENS),
    ("tolerance", "tolerance 5%", "tolerance 10%", LOOSENS),
    ("tolerance", "tolerance 10%", "tolerance 5%", TIGHTENS),
    ("measured", "measured 30GiB", "measured 20GiB", LOOSENS),
    ("measured", "measured 30GiB", "measured 30GiB", NEITHER),
    ("allow", "", 'allow BL2 reason="x"', LOOSENS),
    ("allow", 'allow BL2 reason="x"', "", TIGHTENS),
    ("allow", 'allow BL2 reason="x"', 'allow BL2 reason="y"', NEITHER),
    ("allow", 'allow BL2 reason="x"', 'allow BL3 reason="x"', LOOSENS),
    ("allow", "allow BL2 until=2099-01-01", "allow BL2 until=2099-02-01", LOOSENS),
    ("allow", "allow BL2 until=2099-02-01", "allow BL2 until=2099-01-01", TIGHTENS),
    ("allow", "allow BL2 until=2099-01-01", "allow BL2", LOOSENS),
    ("deny", "deny no-verdict", "", LOOSENS),
    ("deny", "", "deny no-verdict", TIGHTENS),
    ("warn", "", "warn does-not-fit", LOOSENS),
    ("warn", "warn does-not-fit", "", TIGHTENS),
    ("warn", "", "warn no-verdict", TIGHTENS),
    ("on", "on a b", "on a", LOOSENS),
    ("on", "on a", "on a b", TIGHTENS),
    ("seq", "seq 4096", "seq 512", BY_EFFECT),
    ("seq", "seq 4096", "seq 4096", NEITHER),
    ("of a plugin", "words 1", "words 2", BY_EFFECT),
]


@pytest.mark.parametrize(
    ("keyword", "was", "now", "way"), STATEMENTS, ids=[f"{row[1] or 'none'} -> {row[2] or 'none'}" for row in STATEMENTS]
)
def test_which_way_a_statement_goes(keyword: str, was: str, now: str, way: str) -> None:
    assert way_of_statement(keyword, was, now) == way


def test_what_judges_has_a_row_here() -> None:
    assert sorted(classes.JUDGING - {row[0] for row in STATEMENTS}) == []


SETTINGS = [
    ("select", (), ("BL1",), LOOSENS),
    ("select", ("BL1",), (), TIGHTENS),
    ("select", ("BL1", "BL2"), ("BL1",), LOOSENS),
    ("ignore", (), ("BL1",), LOOSENS),
    ("ignore", ("BL1",), (), TIGHTENS),
    ("fail-on", Severity.WARNING, Severity.ERROR, LOOSENS),
    ("fail-on", Severity.ERROR, Severity.WARNING, TIGHTENS),
    ("require-verdict", True, False, LOOSENS),
    ("require-verdict", False, True, TIGHTENS),
    ("preview", True, False, LOOSENS),
    ("levels", {}, {"does-not-fit": "warning"}, LOOSENS),
    ("levels", {}, {"no-verdict": "error"}, TIGHTENS),
    ("levels", {"no-verdict": "error"}, {}, LOOSENS),
    ("per-file-ignores", {}, {"a.yaml": ["BL1"]}, LOOSENS),
    ("per-file-ignores", {"a.yaml": ["BL1"]}, {}, TIGHTENS),
    ("allow", {}, {"BL2": "2099-01-01"}, LOOSENS),
    ("allow", {"BL2": "2099-01-01"}, {"BL2": "2098-01-01"}, TIGHTENS),
    ("budget", "device 80GiB", "device 180GiB", BY_EFFECT),
    ("budget", "device 80GiB", "device 80GiB", NEITHER),
    ("exclude", (), ("old",), LOOSENS),
    ("exclude", ("old",), (), TIGHTENS),
    ("baseline", None, "known.json", LOOSENS),
    ("baseline", "known.json", None, TIGHTENS),
]


@pytest.mark.parametrize(("key", "was", "now", "way"), SETTINGS, ids=[f"{row[0]}: {row[1]} -> {row[2]}" for row in SETTINGS])
def test_which_way_a_setting_goes(key: str, was: object, now: object, way: str) -> None:
    assert SETTING_CLASSES[key](was, now) == way


def test_every_setting_has_a_row_here() -> None:
    assert sorted(SETTING_CLASSES.keys() - {row[0] for row in SETTINGS}) == []
    assert STATEMENT_CLASSES.keys() >= classes.JUDGING
