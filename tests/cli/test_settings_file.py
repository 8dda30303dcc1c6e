"""``--settings-file``: settings that somebody else has resolved, under the budgets that hold; and the same run said in every way."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from budgetlint.base.limits import JUDGED
from budgetlint.resolve.handed import MOST

CARD = "device 8x h100-80gb; reserve 2GiB\n"


def document(*settings: tuple[str, Any], **run: Any) -> str:
    listed = [{"name": name, "value": value} for name, value in settings]
    return json.dumps({"version": 1, "runs": [{"settings": listed, **run}]}, indent=1)


RUN = (("model", "Qwen/Qwen2.5-1.5B"), ("micro_batch", 1), ("seq_len", 2048), ("precision", "bf16"), ("shard", "none"))


def test_a_run_is_judged_at_the_lines_of_the_document(shell) -> None:
    shell.write("card.budget", "device 24GiB\n")
    ran = shell("check", "--settings-file", "-", "--format", "json", stdin=document(*RUN, name="night"))
    (run,), (finding,) = ran.json["runs"], [one for one in ran.json["findings"] if one["code"] == "BL101"]
    assert (ran.code, run["name"], run["verdict"], finding["file"]) == (1, "night", "does-not-fit", "<stdin>")
    assert finding["line"] > 1
    assert shell("check", "--settings-file", "-", "--budget", CARD, stdin=document(*RUN)).code == 0


def test_what_is_printed_is_read_again_with_the_same_answer(project) -> None:
    project.write("ds.budget", "device 8x h100-80gb\nrun big { model qwen2.5-7b; batch 4; shard zero3; precision bf16; seq 2048 }\n")
    printed = project("estimate", "--settings", "--format", "json").out
    project.write("resolved.json", printed)
    first, again = (project("check", *more, "--format", "json", "--info").json for more in ((), ("--settings-file", "resolved.json")))
    assert first["runs"] == again["runs"]
    bills = [project("estimate", *more, "--format", "json").json["runs"] for more in ((), ("--settings-file", "resolved.json"))]
    assert [one["phases"] for one in bills[0]] == [one["phases"] for one in bills[1]]
    assert len(bills[0]) == 2
    told = project("estimate", "--settings", "--format", "json", "--settings-file", "resolved.json").json["runs"]
    assert [run["stack"] for run in told] == [run["stack"] for run in json.loads(printed)["runs"]] != [{}, {}]


EXAMPLES = sorted({path.parent for path in (Path(__file__).parents[2] / "examples").rglob("*.budget")})


@pytest.mark.slow
@pytest.mark.parametrize("folder", EXAMPLES, ids=[folder.name for folder in EXAMPLES])
def test_every_example_has_the_same_answer_from_its_settings_alone(shell, folder: Path) -> None:
    """With what its frameworks fill in, its versions and its models of numbers: nothing of the files is read again."""
    there = dataclasses.replace(shell, root=folder)
    shell.write("resolved.json", there("estimate", "--settings", "--format", "json").out)
    whole = there("check", "--no-cache", "--format", "json").json["runs"]
    again = there("check", "--settings-file", str(shell.root / "resolved.json"), ".", "--format", "json").json["runs"]
    assert [[one[name] for name in ANSWER] for one in again] == [[one[name] for name in ANSWER] for one in whole] != []


ANSWER = ("name", "target", "verdict", "need", "limit", "missing")


HOLDS = [
    ("device 24GiB\n", "does-not-fit", "the nearest that names no run"),
    ("device 24GiB\nrun night { device 8x h100-80gb }\nrun day { }\n", "fits", "the run of its name"),
    ("device 24GiB; config other.yaml\n", "unknown", "one that is about other files"),
    ("target a { device 24GiB }\ntarget b { device 8x h100-80gb }\n", "fits", "the target that it was resolved for"),
]


@pytest.mark.parametrize(("budget", "verdict", "why"), HOLDS, ids=[why for _, _, why in HOLDS])
def test_the_budget_that_holds(shell, budget: str, verdict: str, why: str) -> None:
    shell.write("card.budget", budget)
    ran = shell("check", "--settings-file", "-", "--format", "json", stdin=document(*RUN, name="night", target="b"))
    assert [one["verdict"] for one in ran.json["runs"]] == [verdict]


def test_the_budget_is_held_against_it(shell) -> None:
    shell.write("card.budget", CARD + "batch 4\n")
    ran = shell("check", "--settings-file", "-", "--format", "concise", stdin=document(*RUN))
    assert "BL104 budget-config-mismatch" in ran.out


WRONG = [
    ('{"name": "micro_bach", "value": 1}', "runs[0].settings[0].name: there is no setting 'micro_bach'; did you mean 'micro_batch'?"),
    ('{"name": "batch", "value": 1}', "runs[0].settings[0].name: there is no setting 'batch'"),
    ('{"name": "micro_batch", "value": "4"}', "runs[0].settings[0].value: '4' stands where micro_batch has a whole number"),
    ('{"name": "micro_batch", "value": 4.5}', "runs[0].settings[0].value: 4.5 stands where"),
    ('{"name": "micro_batch", "value": true}', "runs[0].settings[0].value: true stands where"),
    ('{"name": "micro_batch", "value": 0}', "runs[0].settings[0].value: 0 stands where"),
    ('{"name": "micro_batch", "value": 1e400}', "runs[0].settings[0].value"),
    ('{"name": "shard", "value": "zero7"}', "runs[0].settings[0].value: 'zero7' stands where shard has one of none, ddp"),
    ('{"name": "lora_targets", "value": "q_proj"}', "runs[0].settings[0].value: 'q_proj' stands where lora_targets has a list of texts"),
    ('{"name": "compile", "value": "on"}', "runs[0].settings[0].value: 'on' stands where compile has true or false"),
    ('{"name": "learning_rate", "value": "1e-4"}', "runs[0].settings[0].value: '1e-4' stands where learning_rate has a number"),
    ('{"name": "model", "value": {}}', "runs[0].settings[0].value: an object stands where model has a text"),
    ('{"name": "model", "value": null, "state": "known"}', "runs[0].settings[0].state: 'known' beside null"),
    ('{"name": "model", "value": "a", "state": "auto"}', "runs[0].settings[0].state: 'auto' beside 'a'"),
    ('{"name": "model", "vlaue": "a"}', "runs[0].settings[0]: value is missing; 'vlaue' is not read"),
    ('{"value": 1}', "runs[0].settings[0]: name is missing"),
    ('{"name": "model", "value": "a", "origin": "heaven"}', "runs[0].settings[0].origin: 'heaven' is none of file, budget"),
    ('{"name": "seq_len", "value": 1}, {"name": "seq_len", "value": 2}', "runs[0].settings[1].name: 'seq_len' is given twice"),
    ('{"name": "model_custom", "value": [["hidden", 64]]}', "model_custom lacks layers, heads, vocab, intermediate"),
    ('{"name": "model_custom", "value": [["hidden; device t4", 64]]}', "'hidden; device t4' is no field"),
    ('{"name": "model_custom", "value": [["hidden", "wide"]]}', "'wide' stands where hidden of model_custom has another kind"),
    ('{"name": "model_custom", "value": [["extra", [["a", "b"]]]]}', "a list stands where extra"),
    ('{"name": "model_custom", "value": [["name", "x"]]}', "'name' is no field"),
    ("3", "runs[0].settings[0]: an object with name and value belongs here, not 3"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG, ids=[settings[:50] for settings, _ in WRONG])
def test_a_mistake_has_its_line_and_its_path(shell, settings: str, message: str) -> None:
    text = f'{{"version": 1, "runs": [{{"settings": [\n{settings}]}}]}}'
    ran = shell("check", "--settings-file", "-", "--budget", CARD, stdin=text)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("budgetlint: <stdin>:2: ")
    assert message in ran.err
    assert "was not judged" in ran.err


DOCUMENTS = [
    ("", "no JSON"),
    ("[", "no JSON"),
    ("{} // done", "no JSON"),
    ("[" * 5000, "no JSON"),
    ("3", "an object with version and runs belongs here"),
    ("{}", "version: is missing; this budgetlint reads version 1"),
    ('{"version": 2, "runs": []}', "version: is 2"),
    ('{"version": 1}', "runs: is missing"),
    ('{"version": 1, "run": []}', "runs: is missing; 'run' is not read"),
    ('{"version": 1, "runs": {}}', "runs: a list belongs here"),
    ('{"version": 1, "runs": []}', "there is no run"),
    ('{"version": 1, "runs": [3]}', "runs[0]: an object with settings belongs here"),
    ('{"version": 1, "runs": [{"setting": []}]}', "runs[0].settings: is missing; 'setting' is not read"),
    ('{"version": 1, "runs": [{"name": 3, "settings": []}]}', "runs[0].name: a text belongs here, not 3"),
    ('{"version": 1, "runs": [{"settings": [], "stack": {"torch": "new"}}]}', "runs[0].stack.torch: 'new' is no version"),
    (f'{{"version": 1, "runs": [{", ".join(["{}"] * (JUDGED.most + 1))}]}}', "at most 512 are judged"),
]


@pytest.mark.parametrize(("text", "message"), DOCUMENTS, ids=[text[:60] for text, _ in DOCUMENTS])
def test_a_document_that_is_none(shell, text: str, message: str) -> None:
    ran = shell("check", "--settings-file", "-", stdin=text)
    assert ran.code == 2
    assert message in ran.err


def test_only_the_first_mistakes_are_told(shell) -> None:
    ran = shell("check", "--settings-file", "-", stdin=document(*[(f"nothing{number}", 1) for number in range(2000)]))
    assert ran.err.count("there is no setting") == MOST


@pytest.mark.parametrize("more", [["--fix"], ["--diff"], ["--compare-with", "HEAD"], ["--stdin-filename", "a.yaml"], ["-"]])
def test_what_does_not_go_with_it(shell, more: list[str]) -> None:
    shell.write("r.json", document(*RUN))
    ran = shell("check", "--settings-file", "r.json", *more)
    assert ran.code == 2
    assert "--settings-file" in ran.err or "standard input" in ran.err


def test_a_file_that_is_not_there(shell) -> None:
    ran = shell("check", "--settings-file", "none.json")
    assert (ran.code, "none.json" in ran.err) == (2, True)


# -- one run, said in every way ------------------------------------------------------------------------------------------

LAUNCH = """\
overrides:
  model: Qwen/Qwen2.5-1.5B
  mbs: 2
  accum: 4
  seq: 2048
  zero: 3
  gpus: 8
  dtype: bfloat16
  optim: adamw_torch_fused
  lora: {r: 16, alpha: 32, targets: [q_proj, v_proj]}
  quant: nf4
  gc: full
  attention: flash_attention_2
"""
WAYS = [
    (
        "model=overrides.model; batch=overrides.mbs; seq=overrides.seq; precision=overrides.dtype; optimizer=overrides.optim",
        "model Qwen/Qwen2.5-1.5B; batch 2; seq 2048; precision bf16; optimizer adamw_torch_fused",
        (("model", "Qwen/Qwen2.5-1.5B"), ("micro_batch", 2), ("seq_len", 2048), ("precision", "bf16"), ("optimizer", "adamw_torch_fused")),
    ),
    (
        'model=overrides.model; batch=overrides.mbs; batch.accum=overrides.accum; seq=overrides.seq; shard="zero{overrides.zero}"; '
        "recompute=overrides.gc; attention=overrides.attention",
        "model Qwen/Qwen2.5-1.5B; batch 2 accum=4; seq 2048; shard zero3; recompute full; attention flash",
        (
            ("model", "Qwen/Qwen2.5-1.5B"), ("micro_batch", 2), ("grad_accum", 4), ("seq_len", 2048), ("shard", "zero3"),
            ("recompute", "full"), ("attention", "flash"),
        ),
    ),
    (
        "model=overrides.model; batch=overrides.mbs; seq=overrides.seq; quant=overrides.quant; lora.r=overrides.lora.r; "
        "lora.alpha=overrides.lora.alpha; lora.targets=overrides.lora.targets",
        "model Qwen/Qwen2.5-1.5B; batch 2; seq 2048; quant nf4; lora r=16 alpha=32 targets=[q_proj, v_proj]",
        (
            ("model", "Qwen/Qwen2.5-1.5B"), ("micro_batch", 2), ("seq_len", 2048), ("quant", "nf4"), ("lora_r", 16), ("lora_alpha", 32),
            ("lora_targets", ["q_proj", "v_proj"]),
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize("stack", ["", "stack transformers@5.24 torch@2.13 peft@0.21\n"], ids=["no stack", "stack"])
@pytest.mark.parametrize(("keys", "statements", "settings"), WAYS, ids=["full", "sharded", "adapter"])
def test_one_run_has_one_bill_and_one_verdict(shell, keys: str, statements: str, settings: Any, stack: str) -> None:
    shell.write("launch.yaml", LAUNCH)
    shell.write("resolved.json", document(*settings, name="run"))
    base = f"device 8x h100-80gb; reserve 2GiB\n{stack}"
    read = ("--budget", f"{base}run run {{ reads launch.yaml {{ {keys} }} }}")
    said = ("--budget", f"{base}run run {{ {statements} }}")
    handed = ("--settings-file", "resolved.json", "--budget", base)
    bills = [shell("estimate", *way, "--format", "json").json["runs"] for way in (said, read, handed)]
    answers = [[{name: run[name] for name in SAME} for run in runs] for runs in bills]
    assert answers[0] == answers[1] == answers[2]
    terms = [[(term["id"], term["bytes"]) for term in runs[0]["terms"]] for runs in bills]
    assert terms[0] == terms[1] == terms[2]
    checks = [shell("check", *way, "--format", "json", "--info").json for way in (said, read, handed)]
    told = [[(one["code"], one["severity"]) for one in check["findings"]] for check in checks]
    assert sorted(told[0]) == sorted(told[1]) == sorted(told[2])


SAME = (
    "verdict",
    "limit_bytes",
    "missing",
    "params",
    "trainable_params",
    "peak",
    "allocated",
    "reserved",
    "buckets",
    "phases",
    "assumptions",
)
