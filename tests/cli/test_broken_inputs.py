"""Broken budgets and configs, through ``check``: what is wrong, where, and what to write; never a traceback, never much work.

A row is the files, the finding that must come first in importance (``path:line:column code``), and a part of its message. Each
finding has a cure; the exit code is 1 for an error, 0 for a warning.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

CALLS = 2_500_000
"""Functions entered by two checks, also where they import what they need; the most is 0.8 million, and most rows come to a tenth of it."""

HF = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 4
gradient_accumulation_steps: 8
learning_rate: 0.0001
num_train_epochs: 1
output_dir: out
"""
AXOLOTL = """\
base_model: Qwen/Qwen2.5-7B
adapter: lora
lora_r: 8
lora_alpha: 16
lora_target_linear: true
sequence_len: 2048
micro_batch_size: 2
gradient_accumulation_steps: 4
num_epochs: 1
optimizer: adamw_torch
learning_rate: 0.0001
"""
FACTORY = """\
model_name_or_path: Qwen/Qwen2.5-7B
stage: sft
do_train: true
finetuning_type: lora
lora_target: all
cutoff_len: 2048
template: qwen
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
output_dir: out
"""
ACCELERATE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
mixed_precision: bf16
num_machines: 1
num_processes: 8
"""
DEEPSPEED = """\
{
  "train_micro_batch_size_per_gpu": 4,
  "gradient_accumulation_steps": 2,
  "zero_optimization": {"stage": 2, "reduce_bucket_size": 5e8}
}
"""
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefghijkl", "bcdefghijklm", strict=True)
)

Content = str | bytes | Callable[[Path], object]
BUDGETS: dict[str, tuple[Mapping[str, Content], str, str]] = {
    "a misspelt keyword": ({"a.budget": "devcie 24GiB\n"}, "a.budget:1:1 BL002", "unknown statement 'devcie'"),
    "a unit that means two things": ({"a.budget": "device 24g\n"}, "a.budget:1:8 BL005", "'g' is not a unit"),
    "no unit": ({"a.budget": "device 24GiB; reserve 3\n"}, "a.budget:1:23 BL005", "3"),
    "a word where a number belongs": ({"a.budget": "device 24GiB; batch two\n"}, "a.budget:1:21 BL003", "whole number"),
    "a block that is not closed": ({"a.budget": "run a {\n  model qwen2.5-7b\n"}, "a.budget:1:7 BL001", "never closed"),
    "an unknown model": ({"a.budget": "device 24GiB; model qwen2.5-7\n"}, "a.budget:1:21 BL010", "no model that is known"),
    "an unknown device": ({"a.budget": "device rtx-4091\n"}, "a.budget:1:8 BL010", "no card that is known"),
    "an unknown optimizer": ({"a.budget": "device 24GiB; optimizer adamww\n"}, "a.budget:1:25 BL010", "no optimizer"),
    "an unknown option": ({"a.budget": "device 24GiB; lora rank=8\n"}, "a.budget:1:20 BL004", "rank"),
    "a negative size": ({"a.budget": "device -24GiB\n"}, "a.budget:1:8 BL001", "-24GiB"),
    "a size beyond all machines": ({"a.budget": f"device {'9' * 26}TiB\n"}, "a.budget:1:8 BL005", "more than 1 PiB"),
    "a batch beyond all runs": ({"a.budget": f"device 24GiB; batch {'9' * 30}\n"}, "a.budget:1:21 BL003", "more than any run has"),
    "an include that leads in a circle": (
        {"a.budget": 'include "b.budget"\n', "b.budget": 'include "a.budget"\n'},
        "a.budget:1:9 BL009",
        "leads in a circle",
    ),
    "an include that is not there": ({"a.budget": 'include "team.budget"\n'}, "a.budget:1:9 BL009", "team.budget"),
    "a glob that matches nothing": ({"a.budget": "device 24GiB\nconfig configs/*.yaml\n"}, "a.budget:2:8 BL914", "matches no file"),
    "a config that is not there": ({"a.budget": "device 24GiB\nconfig sft.yaml\n"}, "a.budget:2:8 BL914", "does not exist"),
    "a config that is none": ({"a.budget": "config notes.yaml\n", "notes.yaml": "a: 1\n"}, "a.budget:1:8 BL914", "no training config"),
    "ten thousand blocks": ({"a.budget": "run a { " * 10_000}, "a.budget:1:7 BL001", "never closed"),
    "a budget of megabytes": ({"a.budget": "device 24GiB\n" * 200_000}, "a.budget:1:1 BL015", "at most"),
    "a binary budget": ({"a.budget": bytes(range(256)) * 8}, "a.budget:1:1 BL910", "NUL"),
    "a broken budget in a comment": ({"t.yaml": "# budget: device 24g\n" + HF}, "t.yaml:1:18 BL005", "'g' is not a unit"),
    "a broken budget in pyproject.toml": (
        {"pyproject.toml": '[tool.budgetlint]\nbudget = "devcie 24GiB"\n', "t.yaml": HF},
        "pyproject.toml:1:1 BL002",
        "devcie",
    ),
    "settings that are no TOML": ({"pyproject.toml": "[tool.budgetlint\n"}, "pyproject.toml:1:17 BL905", "]"),
    "a misspelt setting": ({"pyproject.toml": '[tool.budgetlint]\nselct = ["BL1"]\n'}, "pyproject.toml:2:1 BL905", "selct"),
}

CONFIGS: dict[str, tuple[Mapping[str, Content], str, str]] = {
    "a YAML list that is not closed": ({"t.yaml": HF + "x: [1, 2\n"}, "t.yaml:7:9 BL911", "not closed"),
    "a tab": ({"t.yaml": HF + "lora:\n\tr: 8\n"}, "t.yaml:8:1 BL911", "a tab"),
    "a second colon": ({"t.yaml": HF + "note: a: b\n"}, "t.yaml:7:8 BL911", "': '"),
    "a template": ({"t.yaml": HF.replace("size: 4", "size: {{ batch }}")}, "t.yaml:2:30 BL911", "a template"),
    "a key twice": ({"t.yaml": HF + "output_dir: other\n"}, "t.yaml:6:1 BL922", "stands twice"),
    "text where a number belongs (HF)": ({"t.yaml": HF.replace("size: 4", "size: four")}, "t.yaml:2:30 BL907", "'four' is not a number"),
    "text where a number belongs (axolotl)": ({"t.yaml": AXOLOTL.replace("2048", "2k")}, "t.yaml:6:15 BL907", "'2k' is not a number"),
    "text where a number belongs (LLaMA-Factory)": ({"t.yaml": FACTORY.replace("2048", "long")}, "t.yaml:6:13 BL907", "is not a number"),
    "text where a number belongs (accelerate)": ({"t.yaml": ACCELERATE.replace("8", "eight")}, "t.yaml:5:16 BL907", "is not a number"),
    "text where a number belongs (DeepSpeed)": ({"t.json": DEEPSPEED.replace(": 4", ': "four"')}, "t.json:2:37 BL907", "'four' is not"),
    "a list where a number belongs": ({"t.yaml": HF.replace("size: 4", "size: [4]")}, "t.yaml:2:30 BL907", "a list is not a number"),
    "half a sequence": ({"t.yaml": HF.replace("size: 4", "size: 0.5")}, "t.yaml:2:30 BL907", "not a whole number"),
    "infinity": ({"t.yaml": HF.replace("size: 4", "size: .inf")}, "t.yaml:2:30 BL907", "not a finite number"),
    "neither true nor false": ({"t.yaml": HF + "bf16: maybe\n"}, "t.yaml:7:7 BL907", "neither true nor false"),
    "a negative batch": ({"t.yaml": HF.replace("size: 4", "size: -4")}, "t.yaml:2:30 BL907", "not a positive count"),
    "a negative length": ({"t.yaml": AXOLOTL.replace("2048", "-2048")}, "t.yaml:6:15 BL907", "not a positive count"),
    "a negative buffer": ({"t.json": DEEPSPEED.replace("5e8", "-5")}, "t.json:4:59 BL907", "negative"),
    "a buffer beyond a pebibyte": ({"t.json": DEEPSPEED.replace("5e8", "5e18")}, "t.json:4:59 BL907", "more than any run has"),
    "a number of thirty digits": ({"t.yaml": HF.replace("size: 4", f"size: {'9' * 30}")}, "t.yaml:2:30 BL907", "more than any run has"),
    "a number of ten thousand digits": ({"t.yaml": HF.replace("size: 4", f"size: {'9' * 10_000}")}, "t.yaml:2:30 BL907", "number"),
    "a ZeRO stage that does not exist": ({"t.json": DEEPSPEED.replace('"stage": 2', '"stage": 7')}, "t.json:4:34 BL907", "no ZeRO stage"),
    "a misspelt key": ({"t.yaml": AXOLOTL.replace("micro_batch_size", "micro_batch_szie")}, "t.yaml:7:1 BL920", "micro_batch_szie"),
    "two commas": ({"t.json": DEEPSPEED.replace(": 4,", ": 4,,")}, "t.json:2:39 BL911", "a comma without a value"),
    "half a JSON file": ({"t.json": DEEPSPEED[:70]}, "t.json:3:3 BL911", "not closed"),
    "aliases that multiply": ({"t.yaml": HF + BOMB}, "t.yaml:12:8 BL911", "more than 100,000 values"),
    "an alias of itself": ({"t.yaml": HF + "a: &a [*a]\n"}, "t.yaml:7:8 BL911", "inside its own anchor"),
    "ten thousand lists (YAML)": ({"t.yaml": HF + f"x: {'[' * 10_000}{']' * 10_000}\n"}, "t.yaml:7:67 BL911", "64 levels"),
    "ten thousand lists (JSON)": ({"t.json": DEEPSPEED[:-3] + f', "x": {"[" * 10_000}\n'}, "t.json:4:133 BL911", "64 levels"),
    "ten thousand lists (TOML)": ({"t.toml": f"num_train_epochs = 1\nx = {'[' * 10_000}\n"}, "t.toml:1:1 BL911", "64 levels"),
    "ten thousand tables in one key": ({"t.yaml": HF + "".join(f"{' ' * n}a:\n" for n in range(900))}, "t.yaml:71:65 BL911", "64 levels"),
    "a lone NUL": ({"t.yaml": HF + "a: \0\n"}, "t.yaml:1:1 BL910", "NUL"),
    "Latin-1": ({"t.yaml": HF.encode() + "run_name: caf\u00e9\n".encode("latin-1")}, "t.yaml:1:1 BL910", "line 7"),
    "UTF-16 without a mark": ({"t.yaml": HF.encode("utf-16-le")}, "t.yaml:1:1 BL910", "UTF-16 without a byte order mark"),
    "UTF-16, and text for a number": ({"t.yaml": HF.replace("size: 4", "size: four").encode("utf-16")}, "t.yaml:2:30 BL907", "'four'"),
    "UTF-8 with a mark, and text for a number": (
        {"t.yaml": HF.replace("size: 4", "size: four").encode("utf-8-sig")},
        "t.yaml:2:30 BL907",
        "'four'",
    ),
    "CRLF, and text for a number": ({"t.yaml": HF.replace("size: 4", "size: four").replace("\n", "\r\n")}, "t.yaml:2:30 BL907", "'four'"),
    "a pipe": ({"t.yaml": lambda path: os.mkfifo(path)}, "t.yaml:1:1 BL910", "not a regular file"),
    "a link to itself": ({"t.yaml": lambda path: path.symlink_to(path.name)}, "t.yaml:1:1 BL910", "Too many levels of symbolic links"),
    "a link to nothing": ({"t.yaml": lambda path: path.symlink_to("gone")}, "t.yaml:1:1 BL910", "cannot be read"),
}

WARNINGS: dict[str, tuple[Mapping[str, Content], str, str]] = {
    "the keys of two trainers": (
        {"t.yaml": AXOLOTL + FACTORY},
        "t.yaml:13:1 BL912",
        "keys of axolotl (base_model, lora_target_linear, sequence_len)",
    ),
    "a hub id that is not in the catalog": ({"a.budget": "device 24GiB; model a/b-7b\n"}, "a.budget:1:21 BL010", "not in the catalog"),
    "a referenced file that is not there": ({"t.yaml": HF + "deepspeed: ds/zero3.json\n"}, "t.yaml:7:12 BL913", "does not exist here"),
}

SILENT: dict[str, Mapping[str, Content]] = {
    "nothing": {},
    "empty files": {"a.budget": "", "t.yaml": "", "t.json": "", "t.toml": ""},
    "a lone byte order mark": {"t.yaml": b"\xef\xbb\xbf", "a.budget": b"\xef\xbb\xbf"},
    "a folder named like a config": {"x.yaml/readme.txt": "nothing\n"},
    "a folder that links to its parent": {"a/up": lambda path: path.symlink_to("..")},
    "a broken file that is no training config": {"t.yaml": "- [a, b\n", "t.json": "{,}"},
    "a list": {"t.json": "[1, 2, 3]", "t.yaml": "- 1\n"},
    "a secret": {".env": "TOKEN=1\n"},
}


def lay(shell, files: Mapping[str, Content]) -> None:
    for name, content in files.items():
        if callable(content):
            (shell.root / name).parent.mkdir(parents=True, exist_ok=True)
            content(shell.root / name)
        else:
            shell.write(name, content)


def checked(shell, calls, files: Mapping[str, Content]):
    """The findings of a check, after what holds for every input."""
    lay(shell, files)
    with calls:
        as_json, as_text = shell("check", "--format", "json"), shell("check", "--info")
    assert calls.count < CALLS
    assert (as_json.err, as_text.err) == ("", "")
    assert as_json.code == as_text.code
    assert "Traceback" not in as_text.out
    assert max(map(len, as_text.out.splitlines()), default=0) < 12_000
    assert all(finding["help"] for finding in as_json.json["findings"]), "every finding has a cure"
    return as_json


def brief(finding) -> str:
    return f"{finding['file']}:{finding['line']}:{finding['column']} {finding['code']}"


ERRORS = BUDGETS | CONFIGS


def test_there_are_thirty_kinds() -> None:
    assert len(ERRORS) >= 30


@pytest.mark.parametrize(("files", "place", "said"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_located_and_has_a_cure(shell, calls, files: Mapping[str, Content], place: str, said: str) -> None:
    ran = checked(shell, calls, files)
    found = {brief(finding): finding for finding in ran.json["findings"]}
    assert place in found, list(found)
    assert said in found[place]["message"]
    assert (found[place]["severity"], ran.code) == ("error", 1)


@pytest.mark.parametrize(("files", "place", "said"), WARNINGS.values(), ids=WARNINGS)
def test_what_may_be_meant_is_told_and_passes(shell, calls, files: Mapping[str, Content], place: str, said: str) -> None:
    ran = checked(shell, calls, files)
    found = {brief(finding): finding for finding in ran.json["findings"]}
    assert place in found, list(found)
    assert said in found[place]["message"]
    assert ran.code == 0


@pytest.mark.parametrize("files", SILENT.values(), ids=SILENT)
def test_what_is_no_config_is_none_of_our_business(shell, calls, files: Mapping[str, Content]) -> None:
    ran = checked(shell, calls, files)
    assert (ran.code, ran.json["findings"]) == (0, [])
    assert shell("check").last.startswith("No run was judged: ")
    assert shell("check", "--require-verdict").code == 1


def test_one_broken_file_does_not_hide_the_others(shell, calls) -> None:
    for name, (files, *_) in CONFIGS.items():
        if not any(callable(content) for content in files.values()):
            lay(shell, {f"{len(name)}-{name[:20].replace(' ', '-')}/{path}": content for path, content in files.items()})
    lay(shell, {"good/t.yaml": HF, "good/card.budget": "device 24GiB; seq 512\nstack transformers@5.24 torch@2.13\nattention sdpa\n"})
    ran = checked(shell, calls, {})
    assert ran.code == 1
    assert "good/t.yaml" in {run["name"] for run in ran.json["runs"] if run["verdict"] != "unknown"}
    assert ran.json["summary"]["errors"] > 20


NAMED = [
    ("gone.yaml", {}, 2, "gone.yaml does not exist"),
    ("x.yaml", {"x.yaml/t.yaml": HF.replace("size: 4", "size: four")}, 1, "x.yaml/t.yaml:2:30: error BL907"),
    ("data.bin", {"data.bin": bytes(range(256))}, 1, "data.bin:1:1: error BL910"),
    ("a/../t.yaml", {"t.yaml": HF.replace("size: 4", "size: four"), "a/b.txt": ""}, 1, "t.yaml:2:30: error BL907"),
    ("/dev/null", {}, 1, "/dev/null:1:1: error BL910"),
    ("loop.yaml", {"loop.yaml": lambda path: path.symlink_to(path.name)}, 1, "loop.yaml:1:1: error BL910"),
]


@pytest.mark.parametrize(("path", "files", "code", "said"), NAMED, ids=[row[0] for row in NAMED])
def test_a_path_that_was_named(shell, path: str, files: Mapping[str, Content], code: int, said: str) -> None:
    lay(shell, files)
    ran = shell("check", path, "--format", "concise")
    assert (ran.code, said in ran.out + ran.err) == (code, True), ran.out + ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(shell) -> None:
    shell.write("t.yaml", HF).chmod(0)
    ran = shell("check", "--format", "concise")
    assert (ran.code, "t.yaml:1:1: error BL910" in ran.out) == (1, True)
