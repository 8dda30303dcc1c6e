"""`benchmarks/same_output.py`: each difference has its kind, and nothing that differs is passed over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from accuracy_score import estimate_of
from same_output import compare, differences, estimate_said

TERMS = [["weights", 4], ["logits", 2]]
AT = {"at": ["a.yaml", 3, 5], "code": "BL101", "severity": "error", "text": ["wrong", "help"], "fixes": []}
RUN = {"label": "a.yaml", "verdict": "fits", "reason": None, "need": [1, 2, 3]}


@pytest.mark.parametrize(
    ("was", "now", "kinds"),
    [
        ({"figures": {"need": [1, 2, 3]}}, {"figures": {"need": [1, 2, 3]}}, []),
        ({"figures": {"need": [1, 2, 3]}}, {"figures": {"need": [1, 2, None]}}, ["figures: need"]),
        ({"figures": {"bill": TERMS}}, {"figures": {"bill": TERMS[::-1]}}, ["figures: bill: another order"]),
        ({"figures": {"bill": TERMS}}, {"figures": {"bill": [["weights", 6]]}}, ["figures: bill: cut otherwise, same sum"]),
        ({"figures": {"phase step": TERMS}}, {"figures": {"phase step": TERMS[:1]}}, ["figures: phase step: another sum"]),
        ({"figures": {"phase step": TERMS}}, {"figures": {}}, ["figures: phase step: a phase only before"]),
        ({"figures": {}, "texts": {"bill": ["x"]}}, {"figures": {}, "texts": {"bill": ["y"]}}, ["texts: bill"]),
        ({"budget": "seq 1"}, {"budget": "seq 2"}, ["figures: the row's budget"]),
        ({"runs": [RUN]}, {"runs": [RUN, RUN]}, ["figures: a run only after"]),
        ({"runs": [RUN]}, {"runs": [{**RUN, "verdict": "tight"}]}, ["figures: verdict of a run"]),
        ({"findings": [AT]}, {"findings": []}, ["findings: only before BL101"]),
        ({"findings": [AT]}, {"findings": [AT, AT]}, ["findings: only after BL101"]),
        ({"findings": [AT]}, {"findings": [{**AT, "severity": "info"}]}, ["findings: only before BL101", "findings: only after BL101"]),
        ({"findings": [AT]}, {"findings": [{**AT, "text": ["wrong", "?"]}]}, ["texts: text of BL101"]),
        ({"findings": [AT]}, {"findings": [{**AT, "fixes": [["x", "safe", 1]]}]}, ["findings: fixes of BL101"]),
    ],
)
def test_a_difference_has_its_kind(was: Any, now: Any, kinds: list[str]) -> None:
    assert [kind for kind, _ in differences(was, now)] == kinds


@pytest.mark.parametrize(("texts", "figures", "code"), [("x", False, 0), ("y", False, 1), ("y", True, 0)])
def test_the_exit_code(texts: str, figures: bool, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("before", "x"), ("after", texts)):
        row = {"id": "one", "figures": {"need": [1, 2, 3]}, "texts": {"bill": [text]}}
        (tmp_path / name).write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert compare(tmp_path / "before", tmp_path / "after", figures=figures) == code
    assert "1 rows before, 1 after" in capsys.readouterr().out


def test_an_estimate_says_every_term_of_every_phase() -> None:
    found, problem = estimate_of("device a100-80gb; model llama-3.1-8b; precision bf16-pure; batch 1; seq 1024")
    assert problem == ""
    said = estimate_said(found)
    assert said["figures"]["phase load"][0] == ["weights", 8_030_261_248 * 2]
    assert sum(size for _, size in said["figures"]["bill"]) == said["figures"]["need"][1]
    assert len(said["texts"]["terms of load"]) == 1 + len(said["figures"]["phase load"])
