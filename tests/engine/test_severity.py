"""Which findings stay and how bad they are: root causes, one finding of many runs, levels, comments, and what is said about those."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from budgetlint.base.finding import Edit, Fix, Related, Safety
from budgetlint.base.limits import SUGGESTIONS
from budgetlint.base.record import replace
from budgetlint.base.source import Location, Span
from budgetlint.builtin.rules import BUILTIN_RULES, builtin_finding
from budgetlint.config.config import Config
from budgetlint.config.levels import Level
from budgetlint.engine.registry import build, language_rules
from budgetlint.engine.severity import Judge, merged, unsuperseded
from budgetlint.engine.suppressions import Suppression
from budgetlint.results.report import Excuse
from budgetlint.rule import Confidence, Finding, Severity

W = SimpleNamespace
TODAY, YESTERDAY = datetime.date(2026, 6, 1), datetime.date(2026, 5, 31)
ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
HIGH, MEDIUM = Confidence.HIGH, Confidence.MEDIUM


def at(line: int = 1, file: str = "a.yaml") -> Location:
    return Location(file, line, 6, line, 7)


def finding(line: int = 1, *, code: str = "BL203", name: str = "bad-key", severity: Severity = ERROR, **more: Any) -> Finding:
    return Finding(code, name, severity, **({"confidence": HIGH, "message": "bad", "location": at(line)} | more))


def comment(
    pattern: str = "bad-key", line: int | None = 1, reason: str = "why", *, where: Location | None = None, **more: Any
) -> Suppression:
    return Suppression(pattern, where or at(9), line, reason, **more)


def level(severity: Severity | None = None, pattern: str = "bad-key", reason: str = "why", *, line: int = 1, **more: Any) -> Level:
    return Level(pattern, severity, at(line, "gpu.budget"), reason, **({"is_suppression": severity is None} | more))


def judge(
    world: W,
    *comments: Suppression,
    levels: dict[str, list[tuple[Level, ...]]] | None = None,
    config: Config | None = None,
    ran: Iterable[str] = ("BL203",),
) -> Judge:
    """For one rule, ``bad-key``, beside the engine's own and those of the language."""
    registry = build([("test", world.says())], (*BUILTIN_RULES, *language_rules()))
    return Judge(registry, config or Config(), frozenset(ran), levels or {}, comments, TODAY)


def codes(found: Iterable[Finding]) -> list[str]:
    return [one.code for one in found]


# -- root causes ---------------------------------------------------------------------------------------------------------

EFFECT = {"code": "BL211", "name": "effect"}


@pytest.mark.parametrize(
    ("cause", "effect", "stays"),
    [
        (at(1), at(1), False),
        (at(1), Location("a.yaml", 1, 40, 1, 41), False),
        (at(1), at(2), True),
        (at(1), at(7, "b.yaml"), False),  # where the cause has a related place
        (at(1), at(8, "b.yaml"), True),
        (at(1), at(1, "b.yaml"), True),
    ],
)
@pytest.mark.parametrize("word", ["effect", "BL211"])
def test_a_root_cause_hides_what_it_supersedes_on_its_lines(world: W, cause: Location, effect: Location, stays: bool, word: str) -> None:
    rule = world.says(code="BL210", name="cause", supersedes=(word,))
    found = [
        finding(code="BL210", name="cause", location=cause, related=(Related(at(7, "b.yaml"), "here"),)),
        finding(location=effect, **EFFECT),
    ]
    assert codes(unsuperseded(found, {"cause": rule})) == ["BL210", *(["BL211"] if stays else [])]


def test_a_finding_of_an_unknown_rule_hides_nothing() -> None:
    found = [finding(), finding(**EFFECT)]
    assert unsuperseded(found, {}) == found


# -- one finding of many runs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "runs"),
    [
        ([("a",)], [("a",)]),
        ([("a",), ("b",)], [("a", "b")]),
        ([("a", "b"), ("b", "c")], [("a", "b", "c")]),
        ([("a",), ("a",)], [("a",), ("a",)]),
        ([("a",), ("a",), ("b",), ("b",)], [("a", "b"), ("a", "b")]),
        ([("a",), ("b",), ("a",), ("b",)], [("a", "b"), ("a", "b")]),
        ([("a",), ("a",), ("a",), ("b",)], [("a", "b"), ("a",), ("a",)]),
    ],
)
def test_runs_that_say_the_same_are_one_finding(said: list[tuple[str, ...]], runs: list[tuple[str, ...]]) -> None:
    assert [one.runs for one in merged(finding(runs=one) for one in said)] == runs


def test_other_rules_and_places_stay_apart() -> None:
    found = [finding(runs=("a",)), finding(runs=("b",), **EFFECT), finding(2, runs=("c",))]
    assert merged(found) == found


def test_the_worst_of_the_runs_is_told() -> None:
    told = [finding(severity=severity, message=severity.value, runs=(severity.value,)) for severity in (INFO, ERROR, WARNING)]
    assert merged(told) == [finding(severity=ERROR, message="error", runs=("info", "error", "warning"))]


def test_a_fix_is_safe_where_every_run_offers_it() -> None:
    one, other = (Fix(title, Safety.SAFE, (Edit("a.yaml", Span(0, 1), "1"),)) for title in ("one", "other"))
    (told,) = merged([finding(runs=("a",), fixes=(one, other)), finding(runs=("b",), fixes=(one,))])
    assert [(fix.title, fix.safety) for fix in told.fixes] == [("one", Safety.SAFE), ("other", Safety.UNSAFE)]


# -- how bad -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "scopes", "severity"),
    [
        ([], [], ERROR),
        ([WARNING], [], WARNING),
        ([WARNING, INFO], [], INFO),
        ([WARNING], [[INFO]], INFO),
        ([INFO], [[]], INFO),
        ([None], [[WARNING]], WARNING),
        ([WARNING], [[None]], None),
        ([], [[INFO], [WARNING]], WARNING),
        ([], [[WARNING], [INFO]], WARNING),
        ([], [[None], [INFO]], INFO),
        ([], [[INFO], [None]], INFO),
        ([], [[None], [None]], None),
        ([], [[None], []], ERROR),
    ],
)
def test_the_last_level_counts_and_the_worst_run(
    world: W, settings: list[Severity | None], scopes: list[list[Severity | None]], severity: Severity | None
) -> None:
    config = Config(levels=tuple(level(one) for one in settings))
    levels = {"a.yaml": [tuple(level(one) for one in scope) for scope in scopes]} if scopes else {}
    kept, suppressed = judge(world, levels=levels, config=config).judge([finding()])
    assert [one.severity for one in kept if one.code == "BL203"] == ([severity] if severity else [])
    assert codes(suppressed) == ([] if severity else ["BL203"])


def test_a_finding_about_runs_is_judged_by_their_levels_not_the_files(world: W) -> None:
    levels = {"a.yaml": [(level(INFO),)], "sft": [(level(WARNING),)], "dpo": [(level(INFO, line=2),)]}
    kept, _ = judge(world, levels=levels).judge(
        [finding(runs=("sft", "dpo")), finding(2, runs=("dpo",)), finding(3), finding(4, runs=("x",))]
    )
    assert [one.severity for one in kept] == [WARNING, INFO, INFO, ERROR]


def test_each_rule_has_its_own_levels(world: W) -> None:
    levels = {"a.yaml": [(level(WARNING), level(INFO, "BL907"))]}
    kept, _ = judge(world, levels=levels).judge([finding(), finding(2, code="BL907", name="misread-value"), finding(3)])
    assert [one.severity for one in kept] == [WARNING, INFO, WARNING]


@pytest.mark.parametrize(("confidence", "severity"), [(HIGH, ERROR), (MEDIUM, WARNING)])
def test_without_a_level_the_rules_own_severity_holds(world: W, confidence: Confidence, severity: Severity) -> None:
    kept, _ = judge(world, config=Config(per_file_ignores={"b.yaml": ("bad-key",)})).judge([finding(confidence=confidence)])
    assert [one.severity for one in kept] == [severity]


def test_per_file_ignores_hold_back_unless_a_level_asks(world: W) -> None:
    ignored = Config(per_file_ignores={"a.yaml": ("bad-key",)})
    assert codes(judge(world, config=ignored).judge([finding()])[1]) == ["BL203"]
    assert codes(judge(world, config=replace(ignored, levels=(level(INFO),))).judge([finding()])[0]) == ["BL203"]


@pytest.mark.parametrize(("code", "name"), [("BL002", "unknown-statement"), ("XY001", "nobody-knows")])
def test_the_language_and_unknown_rules_are_told_as_they_are(world: W, code: str, name: str) -> None:
    told = finding(code=code, name=name, confidence=MEDIUM)
    asked = judge(world, comment("all"), levels={"a.yaml": [(level(None, "all"),)]}, ran=())
    assert asked.judge([told]) == ([told], [])
    assert asked.excuses == []


# -- comments ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "kept"),
    [
        (comment(), []),
        (comment(line=None), []),
        (comment("BL2"), []),
        (comment(until=TODAY), []),
        (comment(until=YESTERDAY), ["BL203", "BL903"]),
        (comment(wrong="it names no rule"), ["BL203", "BL902"]),
        (comment(wrong="not a date", until=TODAY), ["BL203", "BL902"]),
        (comment(line=2), ["BL203", "BL901"]),
        (comment(where=at(1, "b.yaml")), ["BL203", "BL901"]),
        (comment("unused-suppression"), ["BL203"]),  # a rule that did not run
    ],
)
def test_a_comment_holds_back_what_it_covers(world: W, one: Suppression, kept: list[str]) -> None:
    assert codes(judge(world, one).judge([finding()])[0]) == kept


def test_a_comment_holds_back_only_what_it_names_of_a_line(world: W) -> None:
    engines = builtin_finding(next(rule for rule in BUILTIN_RULES if rule.code == "BL907"), at(), "no framework takes it")
    told = [finding(), finding(2), engines, finding()]
    kept, suppressed = judge(world, comment("all")).judge(told)
    assert (kept, suppressed) == ([told[1], engines], [told[0], told[3]])


def test_what_the_engine_says_is_held_back_by_levels_only(world: W) -> None:
    """A comment without a reason, said to be fine in the settings."""
    asked = judge(world, comment(reason=""), config=Config(levels=(level(None, "suppression-without-reason", "ours"),)))
    kept, suppressed = asked.judge([finding()])
    assert (codes(kept), codes(suppressed)) == ([], ["BL203", "BL904"])
    assert asked.excuses == [Excuse("", in_file=True), Excuse("ours", in_file=False)]
    kept, suppressed = judge(world, comment(reason=""), comment("all", 9)).judge([finding()])
    assert (codes(kept), codes(suppressed)) == (["BL904", "BL901"], ["BL203"])


def test_what_was_found_comes_before_what_is_said_about_it(world: W) -> None:
    asked = judge(world, comment(line=2, reason=""), comment("nobody", 3), levels={"a.yaml": [(level(None, "BL904"),)]})
    kept, suppressed = asked.judge([finding(1), finding(2)])
    assert (codes(kept), codes(suppressed)) == (["BL203", "BL902"], ["BL203", "BL904"])


# -- who excuses it ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comments", "settings", "scope", "excuse"),
    [
        ([comment(reason="first")], [], [], Excuse("first", in_file=True)),
        ([comment(reason="first")], [level(None, reason="settings")], [], Excuse("first", in_file=True)),
        ([comment(reason="b", where=at(5)), comment(reason="a", where=at(4))], [], [], Excuse("a", in_file=True)),
        ([comment(reason="file", line=None, where=at(9)), comment(reason="line", where=at(1))], [], [], Excuse("line", in_file=True)),
        ([comment(reason="old", until=YESTERDAY)], [level(None, reason="settings")], [], Excuse("settings", in_file=False)),
        ([], [level(None, reason="settings")], [], Excuse("settings", in_file=False)),
        ([], [level(None, reason="settings")], [level(None, reason="budget")], Excuse("budget", in_file=False)),
        ([], [level(WARNING, reason="no")], [level(None, reason="budget")], Excuse("budget", in_file=False)),
        ([], [level(None, reason="settings")], [level(None, "BL9", reason="other rule")], Excuse("settings", in_file=False)),
        ([], [level(None, reason="settings")], [level(None, reason="old", until=YESTERDAY)], Excuse("settings", in_file=False)),
        ([], [], [level(None, reason="")], Excuse("", in_file=False)),
    ],
)
def test_an_excuse_is_the_first_comment_or_the_last_level(
    world: W, comments: list[Suppression], settings: list[Level], scope: list[Level], excuse: Excuse
) -> None:
    asked = judge(world, *comments, config=Config(levels=tuple(settings)), levels={"a.yaml": [tuple(scope)]})
    _, suppressed = asked.judge([finding()])
    assert suppressed[0] == finding()
    assert asked.excuses[0] == excuse


def test_what_per_file_ignores_hold_back_has_no_reason(world: W) -> None:
    asked = judge(world, config=Config(per_file_ignores={"a.yaml": ("bad-key",)}))
    asked.judge([finding()])
    assert asked.excuses == [Excuse("", in_file=False)]


# -- about comments and levels -------------------------------------------------------------------------------------------


def said(
    world: W,
    *comments: Suppression,
    scopes: Iterable[tuple[Level, ...]] = (),
    told: Iterable[Finding] = (),
    config: Config | None = None,
) -> list[str]:
    """What the engine says by itself: place, code, message, help."""
    kept, _ = judge(world, *comments, levels={"a.yaml": [*scopes] or [()]}, config=config).judge(told)
    return [f"{one.location.line} {one.code} {one.message}; {one.help}" for one in kept if one.code.startswith("BL9")]


UNUSED = "BL901 'allow bad-key' suppresses nothing; delete it"
ITSELF = "a comment on its own line covers only itself: write 'allow-next', or put it behind the value"
OWN_LINE = f"BL901 'allow bad-key' suppresses nothing; {ITSELF}"
EXPIRED = "BL903 'allow bad-key' expired on 2026-05-31: its findings count again; repair what it allowed, or set a later date"
NO_REASON = "BL904 'allow bad-key' does not say why; write the reason behind the name"
NEAR = "did you mean 'bad-key'?"
LIST = "'budgetlint rule --all' lists every rule"


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (comment(), [UNUSED]),
        (comment(own_line=True), [OWN_LINE]),
        (comment(own_line=True, directive="allow-next"), [UNUSED]),
        (comment(own_line=True, directive="allow-file", line=None), [UNUSED]),
        (comment(reason=""), [UNUSED, NO_REASON]),
        (comment(until=YESTERDAY), [EXPIRED]),
        (comment(until=YESTERDAY, reason=""), [EXPIRED, NO_REASON]),
        (comment("bad-kye", reason=""), [f"BL902 this suppression does nothing: no rule is called 'bad-kye'; {NEAR}"]),
        (comment("qqqqqqqqqqqqqqq"), [f"BL902 this suppression does nothing: no rule is called 'qqqqqqqqqqqqqqq'; {LIST}"]),
        (comment("", wrong="it names no rule"), [f"BL902 this suppression does nothing: it names no rule; {LIST}"]),
        (comment("unused-suppression"), []),
        (comment("unused-suppression", reason=""), [NO_REASON.replace("bad-key", "unused-suppression")]),
    ],
)
def test_what_is_said_about_a_comment(world: W, one: Suppression, told: list[str]) -> None:
    assert said(world, one) == [f"9 {line}" for line in told]


NOTHING = "BL902 this line does nothing: no rule is called"


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (level(), [UNUSED]),
        (level(reason=""), [UNUSED, NO_REASON]),
        (level(reason="", in_budget=True), [UNUSED]),
        (level(in_budget=True), [UNUSED]),
        (level(until=YESTERDAY), [EXPIRED]),
        (level(until=YESTERDAY, reason=""), [EXPIRED, NO_REASON]),
        (level(WARNING, reason=""), []),
        (level(WARNING, until=YESTERDAY), []),
        (level(None, reason="", is_suppression=False), []),
        (level(WARNING, "bad-kye"), [f"{NOTHING} 'bad-kye'; {NEAR}"]),
        (level(None, "bad-kye", reason=""), [f"{NOTHING} 'bad-kye'; {NEAR}"]),
        (level(None, "unused-suppression"), []),
    ],
)
def test_what_is_said_about_a_level(world: W, one: Level, told: list[str]) -> None:
    assert said(world, scopes=[(one,)]) == [f"1 {line}" for line in told]
    assert said(world, config=Config(levels=(one,))) == [f"1 {line}" for line in told]


def test_a_comment_and_a_level_that_hold_something_back_are_used(world: W) -> None:
    assert said(world, comment(), told=[finding()]) == []
    assert said(world, scopes=[(level(),)], told=[finding()]) == []
    assert said(world, scopes=[(level(line=1), level(line=2))], told=[finding()]) == [f"1 {UNUSED}"]


def test_a_level_that_is_made_anew_for_each_run_is_told_once_and_used_by_one(world: W) -> None:
    scopes = [(level(),), (level(),)]
    assert said(world, scopes=scopes) == [f"1 {UNUSED}"]
    asked = judge(world, levels={"sft": scopes[:1], "dpo": scopes[1:]})
    assert asked.judge([finding(runs=("sft",))])[0] == []


def test_only_so_many_names_are_answered_with_a_near_one(world: W) -> None:
    assert SUGGESTIONS.most == 50
    names = [f"bad-key{n}" for n in range(51)]
    told = said(world, *(comment(name) for name in (*names, names[0])))
    assert [line.rpartition("; ")[2] for line in told] == [NEAR] * 50 + [LIST] * 2
