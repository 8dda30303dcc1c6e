"""Scripts read these: every field of version 1 is there, of its type, in every situation a run can be in."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"
SCHEMAS = {path.name.partition(".")[0]: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}

MODEL = "model qwen2.5-1.5b"
SITUATIONS = {
    "fits": f"device 24GiB; {MODEL}; lora r=8; batch 1; seq 512; recompute full; attention sdpa; stack transformers@5.24 torch@2.13",
    "does not fit": f"device 8GiB; {MODEL}; batch 8; seq 4096",
    "no batch, no length": f"device 32GiB; {MODEL}; optimizer adamw8bit; lora r=16",
    "no device": f"{MODEL}; batch 1; seq 128",
    "no model in the catalog": "device 24GiB; model some-lab/nothing-9b; batch 1; seq 128",
    "sharded over an unknown number": f"device 24GiB; {MODEL}; shard zero3; batch 1; seq 128",
    "several targets and cells": "target a { device t4 }\ntarget b { device 2x l4 }\n"
    f"run r {{ on a b; matrix seq=[128, 256]; {MODEL}; batch 1 }}",
    "a broken line": f"device 24g\n{MODEL}; batch 1; seq 128",
    "offload": f"device 24GiB; host 64GiB; {MODEL}; shard zero3 offload=[optimizer, params]; batch 1; seq 128",
}


def errors(name: str, document: object) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMAS[name]).iter_errors(document)]


@pytest.mark.parametrize("budget", SITUATIONS.values(), ids=SITUATIONS)
def test_estimate(shell, budget: str) -> None:
    ran = shell("estimate", "-", "--format", "json", stdin=budget)
    assert errors("estimate", ran.json) == []


@pytest.mark.parametrize("budget", SITUATIONS.values(), ids=SITUATIONS)
def test_check(shell, budget: str) -> None:
    assert errors("check", shell("check", "--budget", budget, "--format", "json").json) == []


@pytest.mark.parametrize("budget", SITUATIONS.values(), ids=SITUATIONS)
def test_solve(shell, budget: str) -> None:
    assert errors("solve", shell("solve", "-", "--format", "json", stdin=budget).json) == []


@pytest.mark.parametrize("command", ["check", "estimate", "solve"])
def test_the_examples(shell, repository: Path, command: str) -> None:
    ran = shell(command, str(repository / "examples"), "--format", "json")
    assert errors(command, ran.json) == []
    assert ran.json["runs"]


def test_findings_of_every_kind(project) -> None:
    project.write("broken.yaml", "per_device_train_batch_size: [1, 2\n")
    project.write("bad.budget", "devcie 24GiB\n")
    project.write("ds.json", '{"zero_optimization": {"stage": 9}, "train_micro_batch_size_per_gpu": 1}')
    document = project("check", "--format", "json").json
    assert errors("check", document) == []
    assert {"BL922", "BL911", "BL002", "BL907"} <= {finding["code"] for finding in document["findings"]}
    assert document["summary"]["errors"] == sum(finding["severity"] == "error" for finding in document["findings"])


def test_information_is_always_in_it(shell) -> None:
    line = "device 32GiB; reserve 3GB; model qwen2.5-1.5b; optimizer adamw8bit; lora r=16"
    findings = shell("check", "--budget", line, "--format", "json").json["findings"]
    assert "info" in {finding["severity"] for finding in findings}


def test_rule_all(shell) -> None:
    rules = shell("rule", "--all", "--format", "json").json
    assert errors("rule", rules) == []
    codes = [rule["code"] for rule in rules["rules"]]
    assert codes == sorted(set(codes))
    assert {"BL001", "BL101", "BL907"} <= set(codes)


def test_files(project) -> None:
    project.write("notes.json", "{}")
    project.write("torn.yaml", "per_device_train_batch_size: [1, 2\n")
    document = project("files", "--format", "json").json
    assert errors("files", document) == []
    rows = {row["path"]: row for row in document["files"]}
    assert rows["sft.yaml"]["runs"] == rows["card.budget"]["runs"] == ["sft.yaml"]
    assert (rows["notes.json"]["format"], rows["notes.json"]["problem"]) == (None, None)
    assert rows["torn.yaml"]["format"] is None
    assert "list that is not closed" in rows["torn.yaml"]["problem"]


def test_files_gives_paths_as_they_were_given(project) -> None:
    project.write("sub/more.yaml", "a: 1\n")
    assert [row["path"] for row in project("files", "sub", "--format", "json").json["files"]] == ["sub/more.yaml"]
    absolute = str(project.root / "sub" / "more.yaml")
    assert [row["path"] for row in project("files", absolute, "--format", "json").json["files"]] == [absolute]


def test_the_bill_adds_up_to_the_need(shell) -> None:
    for name, budget in SITUATIONS.items():
        for run in shell("estimate", "-", "--format", "json", stdin=budget).json["runs"]:
            if run["terms"]:
                assert sum(term["bytes"] for term in run["terms"]) == run["peak"]["bytes"], name


def test_fmt_exports_what_its_schema_says(shell) -> None:
    schema = shell("fmt", "--schema").json
    shell.write("run.budget", SITUATIONS["several targets and cells"])
    exported = shell("fmt", "--format", "json", "run.budget").json
    assert [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(exported)] == []


@pytest.mark.parametrize(("command", "name"), [("devices", "t4"), ("models", "qwen2.5-7b"), ("optimizers", "adamw8bit")])
def test_the_catalogs(shell, command: str, name: str) -> None:
    every = shell(command, "--format", "json").json
    one = shell(command, name, "--format", "json").json
    assert every["version"] == one["version"] == 1
    assert name in {row["name"] for row in every[command]}


def test_settings(project) -> None:
    (run,) = project("estimate", "--settings", "--format", "json").json["runs"]
    batch = next(setting for setting in run["settings"] if setting["name"] == "micro_batch")
    assert (batch["value"], batch["file"], batch["line"], batch["key"]) == (1, "sft.yaml", 13, "per_device_train_batch_size")
