"""The committed tables beside the real classes: what is counted, and the page that is made of it."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from contracts import beside, beside_page, generated, torch_releases
from contracts.fields import Field
from contracts.read import Found, environment
from contracts.sources import Contract
from contracts.state import Row, row_text

FRAME = [["/env/site-packages/pkg/args.py", 7]]


@pytest.mark.parametrize(
    ("answer", "counted"),
    [
        ({"error": "ValueError", "frames": FRAME, "text": "no"}, True),
        ({"error": "AssertionError", "frames": FRAME, "text": ""}, True),
        ({"error": "TypeError", "frames": FRAME, "text": ""}, False),
        ({"error": "OfflineModeIsEnabled", "frames": FRAME, "text": ""}, False),
        ({"error": "ValueError", "frames": [], "text": ""}, False),
        ({"error": "RuntimeError", "frames": [["/env/site-packages/torch/cuda.py", 1]], "text": ""}, False),
        ({"ok": True}, False),
    ],
)
def test_a_refusal_is_raised_on_purpose(answer: dict[str, Any], counted: bool) -> None:
    assert beside.on_purpose(answer) is counted


def _found() -> Found:
    fields = {
        "save_steps": Field("save_steps", "int", 500),
        "optim": Field("optim", "str", "adamw", ("adamw", "sgd")),
        "model": Field("model", "str"),
    }
    row = Row(ast.parse("save_steps < 7", mode="eval").body, "raise", "pkg/args.py", 7, 7, "Args", "ValueError")
    contract = Contract("Args", {}, (), "dataclass", "pkg.Args", {"model": "model", "optim": "adamw"})
    return Found(contract, fields, (), ((row, "arguments"),))


def test_values_come_from_conditions_that_are_not_decided_too() -> None:
    tried = {one["save_steps"] for one in generated.configs(_found(), 200, 1) if "save_steps" in one}
    assert {6, 7, 8} <= tried
    assert generated.configs(_found(), 20, 1) == generated.configs(_found(), 20, 1)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('{"save_steps": 5, "optim": "sgd", "model": "theirs"}', []),  # the base says which model, so two keys are left
        ('{"save_steps": 5, "optim": "sgd", "model": "m", "a": 1, "b": 2, "c": 3, "d": 4}', []),  # another program's
    ],
)
def test_a_public_file_has_the_contracts_keys(tmp_path: Path, written: str, kept: list[Any]) -> None:
    (tmp_path / "a.json").write_text(written)
    assert generated.public_configs(_found(), tmp_path) == kept


def test_a_public_file_leaves_what_names_things_to_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated, "LEAST_KEYS", 2)
    (tmp_path / "a.yaml").write_text("save_steps: 5\noptim: sgd\nmodel: theirs\n")
    assert generated.public_configs(_found(), tmp_path) == [{"save_steps": 5, "optim": "sgd"}]


def test_figures_take_the_place_of_older_ones_without_a_frameworks_sentence(tmp_path: Path) -> None:
    figures: dict[str, Any] = {"package": "pkg", "contract": "Args", "version": "1.0", "configs": 10, "public": 0, "refused": 4, "told": 3}
    figures |= {"taken": 5, "false": 0, "apart": 1, "false by row": {}, "examples": [{}]}
    for told in (3, 2):
        lines = {"pkg/args.py:7 ValueError 'their words'": 1, "pkg/args.py:7 ValueError 'other words'": 1}
        beside.keep({**figures, "told": told, "missed by line": lines}, tmp_path / "m.json")
    (row,) = json.loads((tmp_path / "m.json").read_text())
    assert (row["told"], row["missed by line"]) == (2, {"pkg/args.py:7 ValueError": 2})
    text = beside_page.page([row])
    assert "| pkg | 1.0 | Args | 10 | 0 | 4 | 2 | 50.0 % | 0 | 0.0 % | 1 |" in text
    assert "- missed 2: `pkg/args.py:7 ValueError`" in text
    assert "words" not in text


def test_the_page_is_that_of_the_figures() -> None:
    rows = json.loads(beside.MEASURED.read_text(encoding="utf-8"))
    assert beside_page.PAGE.read_text(encoding="utf-8") == beside_page.page(rows), "run python -m contracts.beside_page in benchmarks"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("is_torch_available()", "True"),
        ("is_accelerate_available()", "True"),
        ("is_accelerate_available('1.1.0')", "release('accelerate', '1.1.0')"),
        ("is_torch_greater_or_equal('2.0')", "True"),
        ("is_torch_greater_or_equal('2.6')", "__opaque__"),
        ("is_torch_version('>=', '1.13')", "True"),
        ("is_torch_version('<', '1.13')", "__opaque__"),
        ("is_peft_available()", "__opaque__"),
    ],
)
def test_what_every_run_has_is_known_and_nothing_else(asked: str, answer: str) -> None:
    call = ast.parse(asked, mode="eval").body
    assert isinstance(call, ast.Call)
    found = environment(ast.unparse(call.func), call.args)
    assert isinstance(found, ast.expr)
    assert ast.unparse(found) == answer


@pytest.mark.parametrize(
    ("compared", "answer"),
    [("env.torch >= '2.0'", True), ("env.torch < '1.13'", False), ("env.torch >= '2.5'", None), ("other >= '2.0'", None)],
)
def test_only_releases_that_every_run_has_are_decided(compared: str, answer: bool | None) -> None:
    node = ast.parse(compared, mode="eval").body
    assert isinstance(node, ast.Compare)
    found = torch_releases.compared(node.left, node.ops[0], node.comparators[0])
    assert (found.value if isinstance(found, ast.Constant) else found) is answer


def test_conditions_are_made_shorter_within() -> None:
    from contracts.formulas import simplified

    tree = ast.parse("a is not None and ((b if a is None else a) not in [1] or b)", mode="eval").body
    row = Row(simplified(tree), "raise", "", 1, 1, "")
    assert row_text(row) == "a is not None and (a not in [1] or b)"
