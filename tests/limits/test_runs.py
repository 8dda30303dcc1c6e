"""How many runs are judged and solved: counted for each file, told past the bound, and the rest is checked all the same."""

from __future__ import annotations

import pytest

from budgetlint.base.limits import BUDGET_WORDS, CELLS, JUDGED
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile
from budgetlint.language import read_budget
from budgetlint.resolve import allowance
from budgetlint.resolve.runs import judge_texts

HF = "model_name_or_path: openai-community/gpt2\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 4\noutput_dir: x\n"
RUN = "model gpt2; batch 1; seq 128"


def targets(count: int) -> str:
    return "".join(f"target t{number} {{ device t4 }}\n" for number in range(count))


def runs(count: int, text: str = RUN) -> str:
    return "".join(f"run r{number} {{ {text} }}\n" for number in range(count))


@pytest.fixture
def ten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "JUDGED", replace(JUDGED, most=10))


def judged_and_said(texts: dict[str, str]) -> tuple[int, list[str]]:
    judged = judge_texts(texts)
    return len(judged.runs), [f"{one.location.file} {one.name}" for one in judged.findings]


@pytest.mark.parametrize(
    ("budget", "judged"),
    [
        (targets(5) + runs(2), 10),
        (targets(5) + runs(3), 10),
        (targets(1) + runs(11), 10),
        (targets(11) + runs(1), 10),
        ("device t4; model gpt2; seq 128\nrun r { matrix batch=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }\n", 10),
        # 160 asserts cost as much as ten runs more
        ("device t4\n" + "assert peak <= 30GiB\n" * 160 + runs(5), 1),
        ("device t4\n" + "assert peak <= 30GiB\n" * 160 + runs(1), 1),
    ],
)
def test_so_many_runs_of_a_budget_are_judged(ten: None, budget: str, judged: int) -> None:
    asked = budget.count("target t") * budget.count("run r") or budget.count("run r") * (11 if "matrix" in budget else 1)
    found = judged_and_said({"a.budget": budget, "other/b.budget": f"device t4; {RUN}\n"})
    assert found == (judged + 1, ["a.budget too-large"] if asked > judged else [])


def test_a_budget_that_binds_many_configs_makes_no_more_runs_than_they_do(ten: None) -> None:
    configs = {f"c{number:02}.yaml": HF for number in range(30)}
    assert judged_and_said({"a.budget": "device t4\nconfig c*.yaml\n", **configs}) == (30, [])
    assert judged_and_said({"a.budget": targets(2) + "config c*.yaml\n", **configs}) == (40, ["a.budget too-large"])


def test_a_file_of_many_documents_makes_so_many_runs(ten: None) -> None:
    assert judged_and_said({"a.yaml": "---\n".join([HF] * 11), "b.yaml": HF}) == (11, ["a.yaml too-large"])


def test_runs_past_the_bound_are_not_worked_out(ten: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from budgetlint.resolve import judged_runs as run_contexts

    made: list[str] = []
    work = run_contexts.plan_run
    monkeypatch.setattr(run_contexts, "plan_run", lambda *args: made.append("") or work(*args))
    many = "".join(f"run r{number} {{ model gpt2; batch {number + 1}; seq 128 }}\n" for number in range(100))
    assert judged_and_said({"a.budget": "device t4\n" + many})[0] == 10
    assert len(made) == 11  # the eleventh tells that there are more


@pytest.mark.parametrize("format", ["full", "json", "github"])
def test_a_check_is_red_and_says_why(shell, format: str) -> None:
    shell.write("a.budget", targets(30) + runs(20))
    ran = shell("check", "--no-cache", "--format", format)
    assert ran.code == 1
    assert f"a.budget holds more than {JUDGED.most} runs to judge" in ran.out


@pytest.mark.parametrize("count", [CELLS.most, CELLS.most + 1])
def test_the_cells_of_all_matrices_of_a_budget_are_counted_together(count: int) -> None:
    half = count // 2
    text = "device t4; model gpt2; seq 128\n" + "".join(
        f"run r{number} {{ matrix batch=[{', '.join(map(str, range(1, size + 1)))}] }}\n"
        for number, size in enumerate((half, count - half))
    )
    budget = read_budget(SourceFile("a.budget", text))
    assert [one.message for one in budget.problems] == (
        [f"the matrix has with this one {count:,} cells; at most {CELLS.most:,} are checked"] if count > CELLS.most else []
    )


def test_the_words_of_a_budget_and_of_what_it_includes_are_counted_together() -> None:
    text = "seq 128\n" * (BUDGET_WORDS.most // 4)
    texts = {f"{name}.budget": SourceFile(f"{name}.budget", text) for name in "bc"}
    included = read_budget(SourceFile("a.budget", 'include "b.budget"\nmodel gpt2\n'), lambda path: texts[path])
    assert "budget-too-large" not in {one.name for one in included.problems[:1]}
    both = read_budget(SourceFile("a.budget", 'include "b.budget"; include "c.budget"\nmodel gpt2\n'), lambda path: texts[path])
    assert any(one.code == "BL015" and "20,006 words" in one.message for one in both.problems)


def test_comments_are_no_words() -> None:
    text = f"device t4; {RUN}\n" + "# so it is said\n" * BUDGET_WORDS.most
    assert len(text) > 2**18 or read_budget(SourceFile("a.budget", text)).problems == ()
    assert read_budget(SourceFile("a.budget", f"device t4; {RUN}\n" + "# a b c\n" * 8_000)).problems == ()


def test_solve_says_which_run_is_next(shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from budgetlint.base.limits import SOLVE_ESTIMATES
    from budgetlint.solve import whatif

    monkeypatch.setattr(whatif, "SOLVE_ESTIMATES", replace(SOLVE_ESTIMATES, most=40))
    shell.write("a.budget", "device t4\n" + runs(4))
    first = shell("solve")
    assert (first.code, first.out.count("largest micro batch")) == (2, 1)
    assert "3 runs more not solved (r1 is the next): name one with --run, or files" in first.err
    assert (shell("solve", "--run", "r1").code, shell("solve").out) == (0, first.out)


def test_fixes_that_fail_are_tried_as_long_as_reading_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a round fails, each fix by itself reads the file again: 16,000 of them in a megabyte would be hours."""
    from budgetlint.base.limits import FIX_TEXT
    from budgetlint.engine import fix
    from budgetlint.registry import installed
    from budgetlint.testing import report_on

    text = f"{HF}bf16: true\n" + "".join(f"fp16: false  # {number}\n" for number in range(20))
    report = report_on({"a.yaml": text}, "", None, installed())
    tried: list[int] = []
    monkeypatch.setattr(fix, "_tried", lambda _state, chosen, _recheck: tried.append(len(chosen)))
    monkeypatch.setattr(fix, "FIX_TEXT", replace(FIX_TEXT, most=5 * len(text)))
    done = fix.fix_all(report, lambda _texts: report, unsafe=True)
    assert tried[:1] > [1] and tried.count(1) == 6
    assert len(done.refused) == 6


def test_the_readings_of_a_files_runs_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these hangs on torch; the first to ask are answered, and one that needs none is not touched."""
    from budgetlint.base.limits import FILE_READINGS
    from budgetlint.resolve import judged_runs as run_contexts

    monkeypatch.setattr(run_contexts, "FILE_READINGS", replace(FILE_READINGS, most=5))
    cards = "".join(f"target t{number} {{ device {31_500 + number}MiB }}\n" for number in range(6)) + "target large { device 80GiB }\n"
    judged = judge_texts({"a.budget": "model qwen2.5-7b; lora r=8; batch 4; seq 512; optimizer adamw\n" + cards})
    missing = {one.target.name: one.estimate.missing for one in judged.runs if one.target and one.estimate}
    assert missing["large"] == () and missing["t0"] == ()
    assert missing["t5"] == ("readings",)
