"""Every statement of the language and every setting is classed as loosening, tightening or neither: what is not fails here."""

from __future__ import annotations

import pytest

from budgetlint.base.finding import Severity
from budgetlint.gate import classes
from budgetlint.gate.change import BY_EFFECT, LOOSENS, NEITHER, TIGHTENS
from budgetlint.gate.classes import SETTING_CLASSES, unclassed_settings, unclassed_statements, way_of_statement


def test_each_statement_and_each_setting_is_classed() -> None:
    assert (unclassed_statements(), unclassed_settings()) == ([], [])


@pytest.mark.parametrize(("table", "find"), [("STATEMENT_CLASSES", unclassed_statements), ("SETTING_CLASSES", unclassed_settings)])
def test_one_that_nobody_classed_is_found(table: str, find, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a row that nothing has any more."""
    rows = dict(getattr(classes, table))
    gone = next(iter(rows))
    monkeypatch.setattr(classes, table, {**{key: row for key, row in rows.items() if key != gone}, "unheard-of": rows[gone]})
    assert find() == sorted([gone, "unheard-of"])


def test_each_that_judges_has_a_row_here() -> None:
    assert (classes.JUDGING - {row[0] for row in STATEMENTS}, SETTING_CLASSES.keys() - {row[0] for row in SETTINGS}) == (set(), set())


STATEMENTS = [
    ("device", "device t4", "device a100-80gb", LOOSENS),
    ("device", "device 8x t4", "device 4x t4", TIGHTENS),
    ("device", "device 24GiB", "", LOOSENS),
    ("device", "", "device 24GiB", TIGHTENS),
    ("device", "device t4", "device tesla-t4", NEITHER),
    ("nodes", "nodes 2", "nodes 4", LOOSENS),
    ("host", "host 128GiB", "host 64GiB", TIGHTENS),
    ("reserve", "reserve 3GiB", "reserve 3GB", LOOSENS),
    ("reserve", "reserve 2GiB", "reserve 10%", TIGHTENS),
    ("reserve", "", "reserve 1GiB", TIGHTENS),
    ("assert", "assert peak <= 90% of usable", "assert peak <= 95% of usable", LOOSENS),
    ("assert", "assert peak <= 90% of usable", "assert peak <= 80% of usable", TIGHTENS),
    ("assert", "assert global_batch >= 256", "assert global_batch >= 512", TIGHTENS),
    ("assert", 'assert lora.r <= 16, "a"', 'assert lora.r <= 16, "b"', NEITHER),
    ("assert", "assert lora.r <= 16", "assert seq <= 16", LOOSENS),
    ("tolerance", "tolerance 5%", "tolerance 8%", LOOSENS),
    ("tolerance", "tolerance 5%", "tolerance 3%", TIGHTENS),
    ("measured", "", "measured peak=4GiB", LOOSENS),
    ("allow", "", 'allow BL2 reason="x"', LOOSENS),
    ("allow", 'allow BL2 reason="x"', "", TIGHTENS),
    ("allow", 'allow BL2 reason="x"', 'allow BL2 reason="y" by=ana', NEITHER),
    ("allow", 'allow BL2 reason="x"', 'allow BL2 reason="x" until=2099-01-31', TIGHTENS),
    ("allow", 'allow BL2 reason="x" in="a.yaml"', 'allow BL2 reason="x"', LOOSENS),
    ("allow", 'allow BL2 reason="x"', 'allow BL3 reason="x"', LOOSENS),
    ("allow", "allow BL2 until=2099-01-01", "allow BL2", LOOSENS),
    ("measured", "measured peak=4GiB", "measured peak=4GiB", NEITHER),
    ("deny", "deny BL2", "", LOOSENS),
    ("deny", "", "deny no-verdict", TIGHTENS),
    ("warn", "warn does-not-fit", "", TIGHTENS),
    ("warn", "", "warn does-not-fit", LOOSENS),
    ("warn", "", "warn smallest-card", TIGHTENS),
    ("on", "on a b", "on a", LOOSENS),
    ("on", "on a", "on a b", TIGHTENS),
    ("seq", "seq 4096", "seq 512", BY_EFFECT),
    ("a statement of tomorrow", "x", "y", BY_EFFECT),
]


@pytest.mark.parametrize(("keyword", "was", "now", "way"), STATEMENTS)
def test_which_way_a_statement_goes(keyword: str, was: str, now: str, way: str) -> None:
    assert way_of_statement(keyword, was, now) == way


SETTINGS = [
    ("select", (), ("BL2",), LOOSENS),
    ("select", ("BL2",), (), TIGHTENS),
    ("select", ("BL2",), ("BL2", "BL3"), TIGHTENS),
    ("ignore", (), ("BL2",), LOOSENS),
    ("ignore", ("BL2",), (), TIGHTENS),
    ("fail-on", Severity.WARNING, Severity.ERROR, LOOSENS),
    ("fail-on", Severity.ERROR, Severity.WARNING, TIGHTENS),
    ("require-verdict", True, False, LOOSENS),
    ("preview", False, True, TIGHTENS),
    ("levels", {}, {"does-not-fit": "info"}, LOOSENS),
    ("levels", {"does-not-fit": "info"}, {}, TIGHTENS),
    ("levels", {}, {"smallest-card": "error"}, TIGHTENS),
    ("per-file-ignores", {}, {"*.yaml": ("BL2",)}, LOOSENS),
    ("allow", {"BL2 in= key=": "2027-01-31"}, {"BL2 in= key=": "2027-02-28"}, LOOSENS),
    ("allow", {"BL2 in= key=": "9999-12-31"}, {"BL2 in= key=": "2027-02-28"}, TIGHTENS),
    ("budget", None, "device t4", BY_EFFECT),
    ("exclude", ("a/",), (), TIGHTENS),
    ("exclude", (), ("old",), LOOSENS),
    ("budget", "device t4", "device t4", NEITHER),
    ("baseline", None, "known.json", LOOSENS),
    ("baseline", "known.json", None, TIGHTENS),
]


@pytest.mark.parametrize(("key", "was", "now", "way"), SETTINGS)
def test_which_way_a_setting_goes(key: str, was: object, now: object, way: str) -> None:
    assert SETTING_CLASSES[key](was, now) == way
