"""What the editor asks: hover, code actions, hints, completion, formatting, definition, symbols."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from budgetlint.base.units import gib

Made = Callable[..., Any]


def _at(text: str, word: str, *, end: bool = False) -> dict[str, int]:
    """The position of a word that the text holds."""
    offset = text.index(word) + (len(word) if end else 0)
    begin = text.rfind("\n", 0, offset) + 1
    return {"line": text.count("\n", 0, offset), "character": offset - begin}


def _hover(session: Any, path: str, text: str, word: str) -> str:
    document = session.open(path, text)
    found = session.answer("textDocument/hover", {"textDocument": document, "position": _at(text, word)})
    return found["contents"]["value"] if found else ""


# -- hover -----------------------------------------------------------------------------------------------------------------


def test_a_setting_tells_its_meaning_its_default_its_cost_and_its_steps(talk: Made) -> None:
    session = talk(team_budget="device 24GiB\n")
    told = _hover(session, "sft.yaml", session.SFT, "per_device_train_batch_size")
    assert "**micro_batch**: sequences per device and forward pass" in told
    assert "Without this line: `8` (transformers TrainingArguments.per_device_train_batch_size" in told
    assert "of the peak: " in told
    assert "instead: 3 → −" in told
    assert "5 → +" in told


def test_the_steps_are_what_the_estimate_says(talk: Made) -> None:
    def need(batch: int) -> int:
        session = talk()
        text = session.SFT.replace("batch_size: 4", f"batch_size: {batch}")
        lens = session.answer("textDocument/codeLens", {"textDocument": session.open("sft.yaml", text)})
        whole, part = lens[0]["command"]["title"].split("needs ")[1].split(" GiB")[0].split(".")
        return int(whole) * 100 + int(part)

    session = talk()
    told = _hover(session, "sft.yaml", session.SFT, "per_device_train_batch_size")
    step = need(5) - need(4)
    assert any(f"5 → +{gib(hundredths * 2**30 // 100)}" in told for hundredths in range(step - 1, step + 2))


def test_a_model_tells_what_the_catalog_knows(talk: Made) -> None:
    session = talk()
    told = _hover(session, "sft.yaml", session.SFT, "Qwen/Qwen2.5-1.5B")
    assert "1,543,714,304" in told


def test_a_key_that_the_bill_does_not_depend_on_has_no_hover(talk: Made) -> None:
    session = talk()
    assert _hover(session, "sft.yaml", session.SFT, "logging_steps") == ""


@pytest.mark.parametrize(
    ("word", "told"),
    [("device", "**device**: the card"), ("rtx-4090", "GeForce RTX 4090"), ("reserve", "held back"), ("r=16", "**lora r=**")],
)
def test_a_budget(word: str, told: str, talk: Made) -> None:
    session = talk()
    assert told in _hover(session, "team.budget", "device rtx-4090\nreserve 1GiB\nmodel qwen2.5-1.5b\nlora r=16\n", word)


def test_a_value_that_another_file_overrides(talk: Made) -> None:
    session = talk(run_sh="accelerate launch --num_processes 1 examples/scripts/sft.py sft.yaml --per_device_train_batch_size 1\n")
    assert "overridden by run.sh:1:" in _hover(session, "sft.yaml", session.SFT, "per_device_train_batch_size")


# -- code actions ------------------------------------------------------------------------------------------------------------


def _actions(session: Any, path: str, text: str, word: str, **context: Any) -> list[dict[str, Any]]:
    document = session.open(path, text)
    span = {"start": _at(text, word), "end": _at(text, word, end=True)}
    found: list[dict[str, Any]] = session.answer(
        "textDocument/codeAction", {"textDocument": document, "range": span, "context": {"diagnostics": [], **context}}
    )
    return found


def _applied(text: str, action: dict[str, Any]) -> str:
    (edits,) = action["edit"]["changes"].values()
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda one: -one["range"]["start"]["line"] * 10_000 - one["range"]["start"]["character"]):
        start, end = ("".join(lines[: at["line"]]) for at in (edit["range"]["start"], edit["range"]["end"]))
        begin, stop = len(start) + edit["range"]["start"]["character"], len(end) + edit["range"]["end"]["character"]
        text = text[:begin] + edit["newText"] + text[stop:]
        lines = text.splitlines(keepends=True)
    return text


def test_a_fix_and_a_suppression(talk: Made) -> None:
    session = talk(requirements_txt="transformers==5.0.0\n")
    text = session.SFT + "evaluation_strategy: 'no'\n"
    actions = _actions(session, "sft.yaml", text, "evaluation_strategy")
    titles = [one["title"] for one in actions]
    assert any("eval_strategy" in title for title in titles)
    assert "allow evaluation-strategy-renamed here" in titles
    for action in actions:
        fixed = _applied(text, action)
        again = talk()
        again.open("sft.yaml", fixed)
        assert action["diagnostics"][0]["code"] not in again.codes(again.diagnostics().get("sft.yaml", []))


def test_only_what_is_wanted(talk: Made) -> None:
    session = talk()
    text = session.SFT + "evaluation_strategy: 'no'\n"
    assert _actions(session, "sft.yaml", text, "evaluation_strategy", only=["refactor"]) == []


def test_all_safe_fixes_at_once(talk: Made) -> None:
    session = talk(requirements_txt="transformers==5.0.0\n")
    text = session.SFT + "evaluation_strategy: 'no'\n"
    actions = _actions(session, "sft.yaml", text, "model", only=["source.fixAll"])
    assert [one["kind"] for one in actions] == ["source.fixAll.budgetlint"]
    assert "\neval_strategy: 'no'\n" in _applied(text, actions[0])


def test_what_another_run_reads_is_no_safe_fix(talk: Made) -> None:
    session = talk()
    for name, optimizer in (("a.sh", "adafactor"), ("b.sh", "adamw_torch")):
        (session.root / name).write_text(f"python examples/scripts/sft.py sft.yaml --optim {optimizer}\n", encoding="utf-8")
    text = session.SFT + "adam_beta2: 0.95\n"
    fixes = [one for one in _actions(session, "sft.yaml", text, "adam_beta2") if one["title"].startswith("delete")]
    assert [(one["title"], one["isPreferred"]) for one in fixes] == [("delete adam_beta2 (changes the run)", False)]


def test_nor_one_of_all_at_once(talk: Made) -> None:
    session = talk()
    for name, optimizer in (("a.sh", "adafactor"), ("b.sh", "adamw_torch")):
        (session.root / name).write_text(f"python examples/scripts/sft.py sft.yaml --optim {optimizer}\n", encoding="utf-8")
    assert _actions(session, "sft.yaml", session.SFT + "adam_beta2: 0.95\n", "model", only=["source.fixAll"]) == []


# -- the head of a config ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("device", "label"),
    [
        ("80GiB", r"fits, \d+\.\d\d GiB left: \d+\.\d\d of \d+\.\d\d"),
        ("1GiB", r"\d+\.\d\d GiB too much: \d+\.\d\d of \d\.\d\d"),
        ("", r"needs \d+\.\d\d GiB"),
    ],
)
def test_hints_tell_need_limit_and_headroom_in_the_room_that_vs_code_gives_them(device: str, label: str, talk: Made) -> None:
    session = talk(**({"team_budget": f"device {device}\n"} if device else {}))
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    (hint,) = session.answer("textDocument/inlayHint", {"textDocument": session.open("sft.yaml", session.SFT), "range": whole})
    assert re.fullmatch(label, hint["label"])
    assert len(hint["label"]) <= 43
    assert "needs " in hint["tooltip"]
    assert hint["position"]["line"] == 0


@pytest.mark.parametrize("hints", [True, False])
def test_lenses_are_for_editors_without_hints(hints: bool, talk: Made) -> None:
    session = talk({"textDocument": {"inlayHint": {}} if hints else {}})
    said, _ = session.run()
    capabilities = said[0]["result"]["capabilities"]
    assert ("inlayHintProvider" in capabilities, "codeLensProvider" in capabilities) == (hints, not hints)


def test_each_run_block_of_a_budget_has_its_own(talk: Made) -> None:
    session = talk()
    text = "device 24GiB\nmodel qwen2.5-1.5b\nrun a { batch 1; seq 512 }\nrun b { batch 64; seq 8192 }\n"
    lenses = session.answer("textDocument/codeLens", {"textDocument": session.open("team.budget", text)})
    assert [(one["range"]["start"]["line"], one["command"]["title"].split(":")[0]) for one in lenses] == [
        (2, "depends on torch"),
        (3, "does not fit"),
    ]


# -- budgets ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("dev", {"device", "reserve", "run"}),
        ("device ", {"rtx-4090", "h100-80gb", "usable="}),
        ("model qw", {"qwen2.5-1.5b"}),
        ("optimizer ", {"adamw8bit"}),
        ("device t4; recompute ", {"full", "selective"}),
        ("lora r=16 ", {"alpha=", "targets="}),
        ("deny ", {"does-not-fit"}),
        ("quant nf4 double=", {"on", "off"}),
    ],
)
def test_completion(text: str, labels: set[str], talk: Made) -> None:
    session = talk()
    place = {"textDocument": session.open("team.budget", text), "position": {"line": 0, "character": len(text)}}
    assert labels <= {one["label"] for one in session.answer("textDocument/completion", place)}


def test_a_reads_offers_settings_and_tells_what_they_are(talk: Made) -> None:
    session, text = talk(), 'device 24GiB\nreads sft.yaml {\n  shard="zero{z}"\n  ba\n}\n'
    document = session.open("run.budget", text)
    place = {"textDocument": document, "position": _at(text, "  ba", end=True)}
    labels = {one["label"] for one in session.answer("textDocument/completion", place)}
    assert {"batch=", "devices=", "lora.r="} <= labels
    assert "device" not in labels
    told = _hover(talk(), "two.budget", "device 24GiB\nreads sft.yaml { seq=max_length }\n", "seq=")
    assert "a whole number" in told
    session = talk(sft_yaml="max_length: 1\n")
    document = session.open("run.budget", text)
    (found,) = session.answer("textDocument/definition", {"textDocument": document, "position": _at(text, "sft.yaml")})
    assert found["uri"].endswith("sft.yaml")


@pytest.mark.parametrize(
    "line", ["launch tor", "launch torchrun train.py --config {config} --b", "run a { launch python t.py --x ${A} --de"]
)
def test_completion_stays_away_from_commands(line: str, talk: Made) -> None:
    session = talk()
    place = {"textDocument": session.open("team.budget", line), "position": {"line": 0, "character": len(line)}}
    assert session.answer("textDocument/completion", place) == []


def test_completion_goes_on_behind_a_command(talk: Made) -> None:
    for line in ("launch torchrun t.py --config {config}; dev", "run a { launch torchrun t.py }; dev"):
        session = talk()
        place = {"textDocument": session.open("team.budget", line), "position": {"line": 0, "character": len(line)}}
        assert "device" in {one["label"] for one in session.answer("textDocument/completion", place)}


def test_what_a_launch_is_and_where_its_file_lies(talk: Made) -> None:
    text = "device l4; stack trl@1.16 transformers@5.24 torch@2.13\nlaunch trl sft --config sft.yaml --max_length 512\n"
    assert "a training command that no script here has" in _hover(talk(), "run.budget", text, "launch")
    session = talk(sft_yaml="model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 1\n")
    place = {"textDocument": session.open("run.budget", text), "position": _at(text, "sft.yaml")}
    assert [one["uri"] for one in session.answer("textDocument/definition", place)] == [session.uri("sft.yaml")]


def test_completion_stays_away_from_comments_and_configs(talk: Made) -> None:
    session = talk()
    place = {"textDocument": session.open("team.budget", "# dev"), "position": {"line": 0, "character": 5}}
    assert session.answer("textDocument/completion", place) == []
    session = talk()
    place = {"textDocument": session.open("sft.yaml", session.SFT), "position": {"line": 0, "character": 5}}
    assert session.answer("textDocument/completion", place) is None


def test_formatting_changes_what_differs(talk: Made) -> None:
    session, text = talk(), "device   t4\nrun a {\nbatch 2\n}\n"
    edits = session.answer("textDocument/formatting", {"textDocument": session.open("team.budget", text), "options": {}})
    assert _applied(text, {"edit": {"changes": {"x": edits}}}) == "device t4\nrun a {\n  batch 2\n}\n"


def test_formatting_leaves_a_broken_budget_alone(talk: Made) -> None:
    session = talk()
    document = session.open("team.budget", "device   [\n")
    assert session.answer("textDocument/formatting", {"textDocument": document, "options": {}}) == []


# -- places ------------------------------------------------------------------------------------------------------------------------


def test_going_to_the_file_that_a_reference_names(talk: Made) -> None:
    session = talk(ds__zero2_json='{"zero_optimization": {"stage": 2}}')
    text = session.SFT + "deepspeed: ds/zero2.json\n"
    place = {"textDocument": session.open("sft.yaml", text), "position": _at(text, "zero2.json")}
    assert [one["uri"] for one in session.answer("textDocument/definition", place)] == [session.uri("ds/zero2.json")]


def test_going_to_the_line_that_overrides(talk: Made) -> None:
    session = talk(run_sh="accelerate launch --num_processes 1 examples/scripts/sft.py sft.yaml --per_device_train_batch_size 1\n")
    place = {"textDocument": session.open("sft.yaml", session.SFT), "position": _at(session.SFT, "4\n")}
    (found,) = session.answer("textDocument/definition", place)
    assert (found["uri"], found["range"]["start"]["line"]) == (session.uri("run.sh"), 0)


def test_going_to_the_configs_of_a_budget(talk: Made) -> None:
    session = talk(a_yaml=talk().SFT, b_yaml=talk().SFT)
    text = "device t4\nconfig *.yaml\n"
    place = {"textDocument": session.open("team.budget", text), "position": _at(text, "*.yaml")}
    assert [one["uri"] for one in session.answer("textDocument/definition", place)] == [session.uri("a.yaml"), session.uri("b.yaml")]


def test_symbols(talk: Made) -> None:
    session = talk()
    text = session.SFT + "gradient_checkpointing_kwargs:\n  use_reentrant: false\n"
    symbols = session.answer("textDocument/documentSymbol", {"textDocument": session.open("sft.yaml", text)})
    assert symbols[-1]["name"] == "gradient_checkpointing_kwargs"
    assert [one["name"] for one in symbols[-1]["children"]] == ["use_reentrant"]
    session = talk()
    document = session.open("team.budget", "device t4\nrun a {\n  batch 2\n}\n")
    symbols = session.answer("textDocument/documentSymbol", {"textDocument": document})
    assert [one["name"] for one in symbols] == ["device t4", "run a"]
    assert [one["name"] for one in symbols[1]["children"]] == ["batch 2"]
