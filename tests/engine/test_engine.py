"""What the engine does with what rules say."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from budgetlint.base.source import Location
from budgetlint.config.config import Config
from budgetlint.config.levels import Level
from budgetlint.language.budget import Target
from budgetlint.rule import Confidence, Rule, Severity
from budgetlint.rules_api.context import BudgetContext
from budgetlint.settings.run import Misread, Origin, OriginKind, Role, Setting

W = SimpleNamespace
BAD = "good: 1\nbad: 2\n"


def test_a_document_rule_speaks_at_the_value(world: W) -> None:
    report = world.report(world.judged(world.reading("a.yaml", BAD)), world.says())
    assert world.lines(report) == ["a.yaml:2:6 BL203 error"]
    finding = report.findings[0]
    assert (finding.key, finding.value, finding.help) == ("bad", "2", "write good")
    assert [(b.name, b.value, b.where) for b in finding.because] == [("bad", "2", "a.yaml:2:6")]


def test_a_rule_for_another_format_is_not_asked(world: W) -> None:
    ds = world.reading("a.yaml", BAD, format="deepspeed")
    assert not world.report(world.judged(ds), world.says(formats=("axolotl",))).findings
    assert world.report(world.judged(ds), world.says(formats=("deepspeed",))).findings


@pytest.mark.parametrize(
    ("text", "needs", "reason"),
    [
        (BAD, ("micro_batch",), "nothing sets micro_batch"),
        ("bad: 1\nmicro_batch: auto\n", ("micro_batch",), "micro_batch is 'auto' (a.yaml:2:14)"),
        (BAD, ("estimate",), "there is no estimate"),
        (BAD, ("device",), "there is no device"),
        (BAD, ("good",), None),
    ],
)
def test_a_run_rule_without_what_it_needs_is_skipped_with_the_reason(
    world: W, text: str, needs: tuple[str, ...], reason: str | None
) -> None:
    run = world.run_context(world.reading("a.yaml", text), target=Target(None, None))
    report = world.report(world.judged(runs=[run]), world.says(scope="run", needs=needs))
    assert [skip.reason for skip in report.skipped] == ([reason] if reason else [])
    assert bool(report.findings) == (reason is None)


def test_one_finding_per_rule_and_span_with_all_runs(world: W) -> None:
    shared = world.reading("ds.json", '{"bad": 1}', "deepspeed", Role.ENGINE)
    runs = [world.run_context(world.reading(f"{n}.yaml", "x: 1\n"), shared) for n in "ab"]
    report = world.report(world.judged(runs=runs), world.says(scope="run"))
    assert world.lines(report) == ["ds.json:1:9 BL203 error"]
    assert report.findings[0].runs == ("a.yaml", "b.yaml")


def test_what_one_run_says_twice_at_a_span_stays_two_findings(world: W) -> None:
    def twice(context):
        yield context.finding(context.setting("bad"), "first")
        yield context.finding(context.setting("bad"), "second")

    rule = Rule("BL203", "twice", Severity.ERROR, Confidence.HIGH, "document", twice, "Twice.", "0.1")
    report = world.report(world.judged(world.reading("a.yaml", BAD)), rule)
    assert [finding.message for finding in report.findings] == ["first", "second"]


def test_the_root_cause_hides_its_consequences_on_the_same_line_only(world: W) -> None:
    cause = world.says("bad", code="BL210", name="cause", supersedes=("effect",))
    effect = world.says("bad", code="BL211", name="effect")
    elsewhere = world.says("good", code="BL212", name="other")
    report = world.report(world.judged(world.reading("a.yaml", BAD)), cause, effect, elsewhere)
    assert [finding.code for finding in report.findings] == ["BL212", "BL210"]


def test_a_cause_that_is_not_selected_hides_nothing(world: W) -> None:
    cause = world.says("bad", code="BL210", name="cause", supersedes=("effect",))
    effect = world.says("bad", code="BL211", name="effect")
    report = world.report(world.judged(world.reading("a.yaml", BAD)), cause, effect, config=Config(ignore=("cause",)))
    assert [finding.code for finding in report.findings] == ["BL211"]


@pytest.mark.parametrize("confidence", [Confidence.MEDIUM, Confidence.LOW])
def test_only_high_confidence_is_an_error_by_default(world: W, confidence: Confidence) -> None:
    report = world.report(world.judged(world.reading("a.yaml", BAD)), world.says(confidence=confidence))
    assert world.lines(report) == ["a.yaml:2:6 BL203 warning"]


def test_a_crashed_rule_is_a_finding_and_exit_2_and_the_others_still_run(world: W) -> None:
    def broken(context):
        raise KeyError("oops")

    rule = Rule("BL299", "broken", Severity.ERROR, Confidence.HIGH, "document", broken, "Broken.", "0.1")
    report = world.report(world.judged(world.reading("a.yaml", BAD)), rule, world.says())
    assert world.lines(report) == ["a.yaml:1:1 BL999 error", "a.yaml:2:6 BL203 error"]
    assert "KeyError" in report.findings[0].message
    assert report.exit_code() == 2
    assert "oops" in report.crashes[0].traceback


@pytest.mark.parametrize(
    ("select", "ignore", "fires"),
    [
        ((), (), True),
        (("BL2",), (), True),
        (("BL2*",), (), True),
        (("BL3",), (), False),
        (("bad-*",), (), True),
        (("bad-key",), ("BL203",), False),
        ((), ("BL2",), False),
        ((), ("other",), True),
    ],
)
def test_selection_by_code_name_and_family(world: W, select: tuple[str, ...], ignore: tuple[str, ...], fires: bool) -> None:
    report = world.report(world.judged(world.reading("a.yaml", BAD)), world.says(), config=Config(select=select, ignore=ignore))
    assert bool(report.findings) is fires


@pytest.mark.parametrize(
    ("config", "fires"),
    [(Config(), False), (Config(select=("BL2",)), False), (Config(select=("BL203",)), True), (Config(preview=True), True)],
)
def test_a_preview_rule_must_be_asked_for(world: W, config: Config, fires: bool) -> None:
    report = world.report(world.judged(world.reading("a.yaml", BAD)), world.says(status="preview"), config=config)
    assert bool(report.findings) is fires


LEVEL_TEXT = "deny bad-key\nwarn BL2\nallow bad-key\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([("error", "bad-key")], ["a.yaml:2:6 BL203 error"]),
        ([("warning", "BL2")], ["a.yaml:2:6 BL203 warning"]),
        ([("error", "bad-key"), ("warning", "BL2")], ["a.yaml:2:6 BL203 warning"]),
        ([("off", "bad-key")], []),
    ],
)
def test_levels_of_a_budget_apply_to_the_files_of_its_runs(world: W, words: list[tuple[str, str]], expected: list[str]) -> None:
    levels = [world.level(LEVEL_TEXT, word, pattern, reason="known") for word, pattern in words]
    made, source = world.budget(LEVEL_TEXT, *levels)
    one = world.reading("a.yaml", BAD)
    world_ = world.judged(one, runs=[world.run_context(one, budget=made)], budgets=[BudgetContext(made, source)])
    rule = world.says(severity=Severity.WARNING, confidence=Confidence.MEDIUM)
    assert world.lines(world.report(world_, rule)) == expected


def test_the_level_of_a_run_beats_the_budgets_and_the_settings(world: W) -> None:
    text = "deny bad-key\nallow bad-key\n"
    made, source = world.budget(text, world.level(text, "error", "bad-key"))
    own = world.budget_run(levels=(world.level(text, "off", "bad-key", reason="known"),))
    one = world.reading("a.yaml", BAD)
    run = world.run_context(one, budget=made, budget_run=own)
    config = Config(levels=(Level("bad-key", Severity.WARNING, Location("pyproject.toml")),))
    report = world.report(world.judged(one, runs=[run], budgets=[BudgetContext(made, source)]), world.says(scope="run"), config=config)
    assert report.findings == ()
    assert [finding.code for finding in report.suppressed] == ["BL203"]


def test_a_shared_file_is_silent_only_if_every_run_allows_it(world: W) -> None:
    text = "allow bad-key\n"
    made, source = world.budget(text, world.level(text, "off", "bad-key", reason="known"))
    one = world.reading("a.yaml", BAD)
    runs = [world.run_context(one, name="x", budget=made), world.run_context(one, name="y")]
    report = world.report(world.judged(one, runs=runs, budgets=[BudgetContext(made, source)]), world.says())
    assert world.lines(report) == ["a.yaml:2:6 BL203 error"]


@pytest.mark.parametrize(
    ("narrow", "silent"),
    [
        ({"in_files": "*.yaml"}, True),
        ({"in_files": "ds/*.json"}, False),
        ({"key": "ba*"}, True),
        ({"key": "zero_optimization.*"}, False),
    ],
)
def test_an_allow_can_be_narrowed_to_files_and_keys(world: W, narrow: dict[str, str], silent: bool) -> None:
    text = "allow bad-key\n"
    made, source = world.budget(text, world.level(text, "off", "bad-key", reason="known", **narrow))
    one = world.reading("a.yaml", BAD)
    world_ = world.judged(one, runs=[world.run_context(one, budget=made)], budgets=[BudgetContext(made, source)])
    codes = [finding.code for finding in world.report(world_, world.says()).findings]
    assert codes == ([] if silent else ["BL203", "BL901"])


def test_an_illegal_value_is_a_finding_of_the_engine(world: W) -> None:
    from dataclasses import replace

    one = world.reading("a.yaml", BAD)
    where = one.settings["bad"].origin
    report = world.report(world.judged(replace(one, misreads=(Misread("bad: '2' is not a word", "write a word", where),))))
    assert world.lines(report) == ["a.yaml:2:6 BL907 error"]
    assert report.findings[0].help == "write a word"


def test_language_problems_are_told_and_cannot_be_suppressed(world: W) -> None:
    problem = world.report(world.judged(world.reading("gpu.yaml", BAD)), world.says(code="BL002", name="unknown-statement")).findings[0]
    text = "devise 24GiB # budgetlint: allow BL002 no\nallow BL002\n"
    made, source = world.budget(text, world.level(text, "off", "BL002", reason="no"), problems=(problem,))
    report = world.report(world.judged(budgets=[BudgetContext(made, source)]))
    assert "BL002" in [finding.code for finding in report.findings]


def test_a_finding_about_a_default_stands_at_its_reason_or_the_file(world: W) -> None:
    default = Setting("optimizer", "adamw", Origin(OriginKind.DEFAULT, note="transformers 5.24"), "adamw")

    def rule_check(context):
        yield context.finding(default, "by its reason", because=[context.setting("bad")])
        yield context.finding(default, "by the file")

    rule = Rule("BL301", "default", Severity.WARNING, Confidence.HIGH, "run", rule_check, "Default.", "0.1")
    report = world.report(world.judged(runs=[world.run_context(world.reading("a.yaml", BAD))]), rule)
    assert [(str(f.location), f.message) for f in report.findings] == [("a.yaml:1:1", "by the file"), ("a.yaml:2:6", "by its reason")]
    assert report.findings[0].because[0].where == "transformers 5.24"


def test_reasons_that_stand_elsewhere_become_related_places(world: W) -> None:
    ds = world.reading("ds.json", '{"stage": 3}', "deepspeed", Role.ENGINE)

    def rule_check(context):
        yield context.finding(context.setting("bad"), "bad", because=[context.setting("stage")])

    rule = Rule("BL301", "both", Severity.WARNING, Confidence.HIGH, "run", rule_check, "Both.", "0.1")
    report = world.report(world.judged(runs=[world.run_context(world.reading("a.yaml", BAD), ds)]), rule)
    assert [(str(r.location), r.message) for r in report.findings[0].related] == [("ds.json:1:11", "stage is 3")]


def test_a_fix_is_offered_where_the_text_can_be_edited(world: W) -> None:
    def rule_check(context):
        bad = context.setting("bad")
        yield context.finding(bad, "bad", fixes=[*context.set(bad, 3), *context.delete(bad), *context.rename(bad, "fine")])

    rule = Rule("BL301", "fixable", Severity.WARNING, Confidence.HIGH, "run", rule_check, "Fixable.", "0.1", "safe")
    report = world.report(world.judged(runs=[world.run_context(world.reading("a.yaml", BAD))]), rule)
    assert [(fix.title, fix.edits[0].text) for fix in report.findings[0].fixes] == [
        ("set bad to 3", "3"),
        ("delete bad", ""),
        ("rename bad to fine", "fine"),
    ]


def test_the_fingerprint_survives_moved_lines(world: W) -> None:
    one, other = (world.report(world.judged(world.reading("a.yaml", text)), world.says()).findings[0] for text in (BAD, "\n\n" + BAD))
    assert one.location.line != other.location.line
    assert one.fingerprint == other.fingerprint
