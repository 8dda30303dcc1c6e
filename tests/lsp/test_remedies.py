"""Remedies as code actions: on the findings that say that a run does not fit, and at the head of its config."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from budgetlint.memory.estimate import Verdict
from budgetlint.resolve.runs import judge_texts

Made = Callable[..., Any]

HEAD = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


def _offered(session: Any, text: str, line: int, path: str = "sft.yaml", **context: Any) -> list[dict[str, Any]]:
    place = {"line": line, "character": 0}
    asked = {"textDocument": session.open(path, text), "range": {"start": place, "end": place}, "context": {"diagnostics": [], **context}}
    found: list[dict[str, Any]] = session.answer("textDocument/codeAction", asked)
    return [one for one in found if "frees" in one["title"]]


def _line(text: str, word: str) -> int:
    return text.count("\n", 0, text.index(word))


def _with(text: str, action: dict[str, Any]) -> str:
    """The text after the action's edits, all of which are insertions or changes inside one line."""
    lines = [*text.splitlines(keepends=True), ""]
    (edits,) = action["edit"]["changes"].values()
    for edit in sorted(edits, key=lambda one: (one["range"]["start"]["line"], one["range"]["start"]["character"]), reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        assert start["line"] == end["line"]
        line = lines[start["line"]]
        lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
    return "".join(lines)


def test_each_remedy_says_what_it_frees_and_costs_and_is_true(talk: Made) -> None:
    text, budget = talk().SFT + "use_peft: true\n", "device 24GiB\n"
    text = text.replace("batch_size: 4", "batch_size: 16").replace("max_length: 1024", "max_length: 4096")
    (before,) = judge_texts({"sft.yaml": text}, budget=budget).runs
    assert before.estimate is not None
    assert before.estimate.verdict is Verdict.DOES_NOT_FIT
    remedies = _offered(talk(team_budget=budget), text, 0)
    assert remedies
    for action in remedies:
        (after,) = judge_texts({"sft.yaml": _with(text, action)}, budget=budget).runs
        assert after.estimate is not None
        fits = after.estimate.verdict is Verdict.FITS
        assert fits or after.estimate.may_be_too_large
        assert action["title"].startswith(f"{'fits' if fits else 'may fit'}, frees ")
        freed = round((before.estimate.need.bytes - after.estimate.need.bytes) / 2**30, 2)
        assert f"frees {freed:.2f} GiB" in action["title"]
        assert " (costs " in action["title"]


def test_at_a_finding_it_is_a_quick_fix_of_it_and_at_the_head_a_rewrite(talk: Made) -> None:
    text = talk().SFT.replace("batch_size: 4", "batch_size: 64")
    session = talk(team_budget="device 24GiB\n")
    session.open("sft.yaml", text)
    finding = next(one for one in session.diagnostics()["sft.yaml"] if one["code"] == "BL101")
    line = finding["range"]["start"]["line"]
    at_finding = _offered(talk(team_budget="device 24GiB\n"), text, line)
    assert {one["kind"] for one in at_finding} == {"quickfix"}
    assert {one["diagnostics"][0]["code"] for one in at_finding} == {"BL101"}
    at_head = _offered(talk(team_budget="device 24GiB\n"), "# a run\n" + text, 0)
    assert {one["kind"] for one in at_head} == {"refactor.rewrite"}
    assert [one["title"] for one in at_head] == [one["title"] for one in at_finding]


@pytest.mark.parametrize(
    ("device", "line", "only"),
    [("80GiB", 0, None), ("24GiB", 4, None), ("24GiB", 0, ["source"])],
    ids=["it fits", "another line", "another kind"],
)
def test_none_are_offered(device: str, line: int, only: list[str] | None, talk: Made) -> None:
    text = "# a run\n" + talk().SFT
    context = {"only": only} if only else {}
    assert _offered(talk(team_budget=f"device {device}\n"), text, line, **context) == []


def test_the_run_block_of_a_budget_has_those_of_its_run(talk: Made) -> None:
    text = "device 24GiB\nmodel qwen2.5-1.5b\nrun a { batch 1; seq 512; lora }\nrun b { batch 64; seq 8192; lora }\n"
    assert _offered(talk(), text, 2, "team.budget") == []
    offered = _offered(talk(), text, 3, "team.budget")
    assert offered
    assert all("team.budget" in next(iter(one["edit"]["changes"])) for one in offered)


def test_a_run_without_a_device_can_be_judged_on_the_smallest_card_that_holds_it(talk: Made) -> None:
    text, pins = talk().SFT, "transformers==5.0.0\ntrl==0.24.0\ntorch==2.9.0\n"
    place = {"line": 0, "character": 0}
    session = talk(requirements_txt=pins)
    asked = {"textDocument": session.open("sft.yaml", text), "range": {"start": place, "end": place}, "context": {"diagnostics": []}}
    (action,) = [one for one in session.answer("textDocument/codeAction", asked) if "judge it" in one["title"]]
    again = talk(requirements_txt=pins)
    lenses = again.answer("textDocument/codeLens", {"textDocument": again.open("sft.yaml", _with(text, action))})
    assert lenses[0]["command"]["title"].startswith("fits: ")
