"""Diagnostics as somebody types: of open texts, of the other files of their runs, never stale."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from budgetlint.engine.baseline import record, render
from budgetlint.engine.check import check
from budgetlint.lsp.uris import path_of, uri_of
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

Made = Callable[..., Any]


def test_an_unsaved_text_is_what_counts(talk: Made) -> None:
    session = talk(sft_yaml="")
    session.open("sft.yaml", session.SFT + "fp16: true\n")
    found = session.diagnostics()["sft.yaml"]
    both = next(one for one in found if one["severity"] == 1)
    assert both["range"] == {"start": {"line": 10, "character": 6}, "end": {"line": 10, "character": 10}}
    assert both["source"] == "budgetlint"
    assert "[fp16-bf16-both]" in both["message"]
    assert both["relatedInformation"][0]["location"]["range"]["start"] == {"line": 9, "character": 6}


def test_a_text_that_was_never_saved(talk: Made) -> None:
    session = talk()
    session.open("new/sft.yaml", session.SFT + "fp16: true\n")
    assert 1 in [one["severity"] for one in session.diagnostics()["new/sft.yaml"]]


def test_the_other_files_of_the_run(talk: Made) -> None:
    engine = '{"train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 2}}'
    session = talk(ds_json=engine)
    session.open("sft.yaml", session.SFT + "deepspeed: ds.json\n")
    found = session.diagnostics()
    assert "[ds-hf-batch-mismatch]" in "".join(one["message"] for one in found["ds.json"])


def test_a_budget_that_is_open_counts_for_the_configs_below_it(talk: Made) -> None:
    session = talk(team_budget="device b200\n")
    session.open("sft.yaml", session.SFT)
    session.open("team.budget", "device 1GiB\n")
    assert "BL101" in session.codes(session.diagnostics()["sft.yaml"])


@pytest.mark.parametrize("text", ["", "not a baseline"])
def test_what_the_baseline_knows_is_not_told(text: str, talk: Made) -> None:
    session = talk(pyproject_toml='[tool.budgetlint]\nbaseline = "known.txt"\n')
    wrong = session.SFT + "fp16: true\n"
    known = render(record(check(judge_texts({"sft.yaml": wrong}), installed()).findings))
    (session.root / "known.txt").write_text(text or known, encoding="utf-8")
    session.open("sft.yaml", wrong)
    assert bool(session.diagnostics().get("sft.yaml", [])) is bool(text)


def test_closing_takes_the_diagnostics_away(talk: Made) -> None:
    session = talk()
    document = session.open("sft.yaml", session.SFT + "fp16: true\n")
    session.request("textDocument/codeAction", {"textDocument": document, "range": _nothing(), "context": {"diagnostics": []}})
    session.notify("textDocument/didClose", {"textDocument": document})
    assert session.diagnostics().get("sft.yaml", []) == []


def _nothing() -> dict[str, dict[str, int]]:
    return {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


def test_a_question_before_the_first_check_takes_no_diagnostics_away(talk: Made) -> None:
    session = talk()
    document = session.open("sft.yaml", session.SFT + "fp16: true\n")
    session.request("textDocument/codeLens", {"textDocument": document})
    assert 1 in [one["severity"] for one in session.diagnostics()["sft.yaml"]]


def test_versions_are_told(talk: Made) -> None:
    session = talk()
    session.open("sft.yaml", session.SFT, version=5)
    session.change("sft.yaml", 6, [{"text": session.SFT + "fp16: true\n"}])
    said, _ = session.run()
    told = [one["params"] for one in said if one.get("method") == "textDocument/publishDiagnostics"]
    assert told[-1]["version"] == 6


@pytest.mark.parametrize("encodings", [None, ["utf-32", "utf-16"]])
def test_columns_behind_characters_of_two_units(encodings: list[str] | None, talk: Made) -> None:
    session = talk({"general": {"positionEncodings": encodings}} if encodings else None)
    session.open("sft.yaml", session.SFT + "fp16: true\n")
    line = session.SFT.count("\n")
    insert = {"range": {"start": {"line": line, "character": 10}, "end": {"line": line, "character": 10}}, "text": " # 𝄞 é"}
    session.change("sft.yaml", 2, [insert])
    width = 16 if encodings else 17
    after = {"range": {"start": {"line": line, "character": width}, "end": {"line": line, "character": width}}, "text": "!"}
    session.change("sft.yaml", 3, [after])
    moved = {"range": {"start": {"line": line, "character": 0}, "end": {"line": line, "character": width + 1}}, "text": "lora_r: 𝄞"}
    session.change("sft.yaml", 4, [moved])
    symbols = session.answer("textDocument/documentSymbol", {"textDocument": {"uri": session.uri("sft.yaml")}})
    assert symbols[-1]["name"] == "lora_r"
    assert symbols[-1]["range"]["end"] == {"line": line, "character": 9 if encodings else 10}


@pytest.mark.parametrize("path", ["/a/b c.yaml", "/ä/é.yaml", "/a/100%.yaml", "/a/#1?.yaml", "/a/[x].yaml"])
def test_paths_and_uris(path: str) -> None:
    assert path_of(uri_of(Path(path))) == Path(path)


WORDS = (
    "fp16: true\n",
    "bf16: false\n",
    "#",
    "\n",
    "optim: adamw_8bit\n",
    ": ",
    "'",
    "[",
    "1",
    "𝄞",
    "  ",
    "budgetlint: allow-file BL1 x",
    "\t",
)


def _edit(chance: random.Random, text: str) -> tuple[dict[str, object], str]:
    """A change of a range, and the text after it; positions in UTF-16 units."""
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 0, 0, 1, 3, 40)))
    new = chance.choice(WORDS)
    span = {"start": _position(text, start), "end": _position(text, end)}
    return {"range": span, "text": new}, text[:start] + new + text[end:]


def _position(text: str, offset: int) -> dict[str, int]:
    line = text.count("\n", 0, offset)
    begin = text.rfind("\n", 0, offset) + 1
    return {"line": line, "character": len(text[begin:offset].encode("utf-16-le")) // 2}


@pytest.mark.slow
def test_ten_thousand_random_edits_leave_nothing_stale(talk: Made) -> None:
    chance = random.Random(3)
    for _ in range(50):
        session, version = talk(), 1
        text = session.SFT
        session.open("sft.yaml", text)
        for _ in range(200):
            version += 1
            change, text = _edit(chance, text)
            session.change("sft.yaml", version, [change])
            if chance.random() < 0.02:  # somebody asks in between, and then everything is checked
                session.request("textDocument/codeLens", {"textDocument": {"uri": session.uri("sft.yaml")}})
            if len(text) > 4000:
                text = session.SFT
                session.change("sft.yaml", version, [{"text": text}])
        said, code = session.run()
        assert code == 0
        assert not session.logged, session.logged[0]
        told = session.last_of(said).get("sft.yaml", [])
        fresh = check(judge_texts({"sft.yaml": text}), installed()).findings
        assert session.codes(told) == [one.code for one in fresh if one.location.file == "sft.yaml"]
