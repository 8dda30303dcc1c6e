"""A run that does not start is told so beside its verdict, by the codes of the errors for which it does not."""

from __future__ import annotations

import re

import pytest

from budgetlint.base.finding import Severity
from budgetlint.registry import installed
from budgetlint.rule import Rule

SFT = "model_name_or_path: Qwen/Qwen2.5-0.5B\ndataset_name: a/b\nper_device_train_batch_size: 1\nmax_length: 512\n"
BOTH = SFT + "fp16: true\nbf16: true\n"
BUDGET = ("--budget", "device 24GiB")
STOPPING = [rule for rule in installed().all if rule.stops]


@pytest.mark.parametrize("rule", STOPPING, ids=lambda rule: rule.name)
def test_each_rule_is_an_error_whose_page_says_that_the_run_stops(rule: Rule) -> None:
    cost = rule.manual.partition("## What it costs")[2].partition("## Failing")[0]
    assert rule.severity is Severity.ERROR
    assert re.search(r"\b(stops?|refuses|raises|refused|ends?|cannot)\b", f"{rule.summary} {cost}"), cost


def test_the_verdict_says_that_the_run_does_not_start(shell) -> None:
    shell.write("a.yaml", BOTH)
    shell.write("b/b.yaml", SFT)
    ran = shell("check", *BUDGET, "--no-cache")
    assert ran.code == 1
    assert ran.last == "2 runs judged: 2 fit. 1 run does not start (BL205)."
    runs = {run["name"]: (run["verdict"], run["stops"]) for run in shell("check", *BUDGET, "--format", "json").json["runs"]}
    assert runs == {"a.yaml": ("fits", ["BL205"]), "b/b.yaml": ("fits", [])}
    assert "**fits**; **does not start (BL205)**" in shell("check", *BUDGET, "--format", "markdown").out


def test_a_gate_stays_red_for_a_run_that_fits_and_does_not_start(shell) -> None:
    shell.write("a.yaml", BOTH)
    assert shell("check", *BUDGET, "--require-verdict").code == 1


def test_what_is_allowed_or_no_error_stops_nothing(shell) -> None:
    shell.write("a.yaml", BOTH.replace("fp16: true", "fp16: true  # budgetlint: allow fp16-bf16-both (tried)"))
    assert shell("check", *BUDGET, "--format", "json").json["runs"][0]["stops"] == []
    shell.write("a.yaml", BOTH)
    shell.write("run.sh", "python mine.py --config a.yaml\n")
    assert [run["stops"] for run in shell("check", *BUDGET, "--format", "json").json["runs"]] == [[]]
