"""A suppression as it is read from a comment: names, reason, date, the line that it covers, and what is wrong with it."""

from __future__ import annotations

import datetime
from types import SimpleNamespace

import pytest

from budgetlint.base.limits import SUPPRESSIONS
from budgetlint.base.source import SourceFile
from budgetlint.builtin.rules import BUILTIN_RULES
from budgetlint.engine.registry import Registry, build, language_rules
from budgetlint.engine.suppressions import Suppression, suppressions, unknown, unknown_pattern
from budgetlint.rule import Rule

W = SimpleNamespace
DAY = datetime.date(2026, 6, 1)
NO_NAME = "it names no rule"


def registry(*rules: Rule) -> Registry:
    """With the engine's own rules and those of the language."""
    return build([("test", rule) for rule in rules], (*BUILTIN_RULES, *language_rules()))


def read(text: str, format: str = "yaml") -> tuple[Suppression, ...]:
    return suppressions(SourceFile("a." + format, text), format)


@pytest.mark.parametrize(
    ("rest", "names", "reason", "until", "wrong"),
    [
        ("allow x", ["x"], "", None, ""),
        ("allow x we know", ["x"], "we know", None, ""),
        ("allow x we  know\tit", ["x"], "we know it", None, ""),
        ("allow x, y ,z we know", ["x", "y", "z"], "we know", None, ""),
        ("allow x reason='we know'", ["x"], "we know", None, ""),
        ("allow x until=2026-06-01", ["x"], "", DAY, ""),
        ("allow x until=2026-06-01 we know", ["x"], "we know", DAY, ""),
        ("allow x we until=2026-06-01 know", ["x"], "we know", DAY, ""),
        ("allow x we know until=2026-06-01", ["x"], "we know", DAY, ""),
        ("allow x the waituntil=2026-06-01", ["x"], "the waituntil=2026-06-01", None, ""),
        ("allow x until=soon we know", ["x"], "we know", None, "'soon' is not a date; write until=2027-01-31"),
        ("allow", [""], "", None, NO_NAME),
        ("allow-next", [""], "", None, NO_NAME),
        ("allow-file", [""], "", None, NO_NAME),
        ("allow , x", [""], "", None, NO_NAME),
        ("alow x we know", ["alow"], "", None, "'alow' is none of allow, allow-next, allow-file"),
    ],
)
def test_a_directive_is_names_reason_and_date(rest: str, names: list[str], reason: str, until: datetime.date | None, wrong: str) -> None:
    found = read(f"a: 1  # budgetlint: {rest}\n")
    assert [(one.pattern, one.reason, one.until, one.wrong) for one in found] == [(name, reason, until, wrong) for name in names]
    assert {one.directive for one in found} == {rest.split()[0]}


@pytest.mark.parametrize("comment", ["# budgetlint", "# budgetlint:", "# budgetlint: , x", "# see budgetlint: allow x", "# allow x"])
def test_other_comments_are_none(comment: str) -> None:
    assert read(f"a: 1  {comment}\n") == ()


BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u2028\u2029"


@pytest.mark.parametrize("blank", BLANKS)
def test_blanks_and_what_closes_a_comment_are_no_reason(blank: str) -> None:
    (one,) = read(f'{{"a": 1 /* budgetlint: allow x why /{blank}* */}}', "json")
    assert one.reason == "why"


@pytest.mark.parametrize("last", ["\x08", "\x0e", "\x1b", "!", "\x84", "\x86", "\x9f", "\xa1", "\u2027", "\u202a", "."])
def test_no_other_character_is_cut_off(last: str) -> None:
    (one,) = read(f'{{"a": 1 /* budgetlint: allow x why{last}*/}}', "json")
    assert one.reason == f"why{last}"


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("a: 1  # budgetlint: allow x\n", [1]),
        ("a: 1\nb: 2  # budgetlint: allow x\n", [2]),
        ("a: 1\nb: 2  # budgetlint: allow-file x\n", [None]),
        ("# budgetlint: allow-next x\na: 1\n", [2]),
        ("# budgetlint: allow-next x\n\n  \n# why\na: 1\n", [5]),
        ("# budgetlint: allow-next x\n\na: 1  # why\nb: 2\n", [3]),
        ("# budgetlint: allow-next x\n# budgetlint: allow-next y\na: 1\nb: 2\n", [3, 3]),
        ("# budgetlint: allow-next x\na: 1  # budgetlint: allow-next y\nb: 2\n", [2, 3]),
        ("# budgetlint: allow-next x\n\na: 1  # budgetlint: allow-next y\n\nb: 2\n", [3, 5]),
        ("a: 1\n# budgetlint: allow-next x", [3]),
        ("a: 1\n# budgetlint: allow-next x\n\n", [5]),
    ],
)
def test_the_line_that_is_covered(text: str, covered: list[int | None]) -> None:
    assert [one.line for one in read(text)] == covered


def test_a_comment_of_several_lines_covers_what_is_below_its_end() -> None:
    text = '{\n/* budgetlint: allow-next x\n   why */\n/* two\n   lines */\n"a": 1}\n'
    (one,) = read(text, "json")
    assert (one.line, one.reason, one.own_line) == (6, "why", True)


def test_lines_below_comments_are_walked_once() -> None:
    source = SourceFile("a.yaml", "# budgetlint: allow-next x\n\n# budgetlint: allow-next y\n\na: 1\nb: 2\n")
    suppressions(source, "yaml")
    assert source.facts["lines below comments"] == dict.fromkeys((2, 3, 4, 5), 5)


@pytest.mark.parametrize("blanks", ["", " ", "  ", "\t \t"])
@pytest.mark.parametrize(
    ("before", "behind", "alone"),
    [
        ("", "", True),
        ("", "\n1", True),
        ("1\n", "", True),
        ("1\n", "\n1", True),
        ("1\n\n", "\n\n1", True),
        ("1", "", False),
        ("\n1", "", False),
        ("", "1", False),
        ("", "1\n", False),
        ("1\n", "1", False),
        ("1", "\n1", False),
        ("1", "1", False),
    ],
)
def test_a_comment_has_a_line_of_its_own_where_only_blanks_are_beside_it(before: str, behind: str, alone: bool, blanks: str) -> None:
    (one,) = read(f"{before}{blanks}/* budgetlint: allow x */{blanks}{behind}", "json")
    assert one.own_line is alone


def test_one_more_is_read_than_a_file_may_hold() -> None:
    assert SUPPRESSIONS.most == 2_000
    line = "# budgetlint: allow x\n"
    assert [len(read(line * count)) for count in (1_999, 2_000, 2_001, 2_003)] == [1_999, 2_000, 2_001, 2_001]
    assert len(read("# budgetlint: allow " + ",".join("x" * 2_003))) == 2_001


@pytest.mark.parametrize(("until", "expired"), [("", False), ("2026-05-31", True), ("2026-06-01", False), ("2026-06-02", False)])
def test_the_last_day_still_counts(until: str, expired: bool) -> None:
    (one,) = read("# budgetlint: allow x" + (f" until={until}" if until else ""))
    assert one.expired(DAY) is expired


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        ("allow bad-key", ""),
        ("allow BL2", ""),
        ("allow all", ""),
        ("allow unused-suppression", ""),
        ("allow bad-kye", "no rule is called 'bad-kye'"),
        ("allow BL002", "'BL002' is a rule of the language and cannot be suppressed"),
        ("allow BL0", "'BL0' is a rule of the language and cannot be suppressed"),
        ("allow bad-key until=soon", "'soon' is not a date; write until=2027-01-31"),
        ("allow", NO_NAME),
    ],
)
def test_why_a_suppression_cannot_work(world: W, rest: str, why: str) -> None:
    (one,) = read(f"# budgetlint: {rest}")
    assert unknown(one, registry(world.says())) == why


def test_a_pattern_that_means_rules_of_the_language_and_others_can_be_suppressed(world: W) -> None:
    assert unknown_pattern("BL0", registry(world.says(code="BL099", name="bad-key"))) == ""
