"""``budgetlint files``: who reads each file, how that is known, and what would tell of nobody's."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from budgetlint.base.limits import FILE_BYTES

SFT = "model_name_or_path: Qwen/Qwen2.5-0.5B\ndataset_name: a/b\nper_device_train_batch_size: 1\nmax_length: 512\n"
AXOLOTL = "base_model: Qwen/Qwen2.5-0.5B\nsequence_len: 512\nmicro_batch_size: 1\ndatasets: [{path: a/b, type: alpaca}]\n"
ZERO = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 1}\n'
TRAIN = "from trl import SFTConfig, SFTTrainer\nSFTTrainer(args=SFTConfig(**read())).train()\n"
OPENS = (
    "import yaml\nfrom trl import SFTConfig, SFTTrainer\n"
    'args = yaml.safe_load(open("conf/a.yaml"))\nSFTTrainer(args=SFTConfig(**args)).train()\n'
)
README = "# Ours\n\nTrain:\n\n```bash\n$ trl sft \\\n    --config a.yaml\n```\n"


def consumer(program: str, evidence: str, file: str | None = None, line: int | None = None) -> dict[str, object]:
    return {"program": program, "evidence": evidence, "file": file, "line": line}


CASES = {
    "a launch names it": (
        {"a.yaml": SFT, "run.sh": "trl sft --config a.yaml\n"},
        "a.yaml",
        consumer("trl sft", "launch", "run.sh", 1),
        None,
    ),
    "a script of the project's own": (
        {"a.yaml": SFT, "run.sh": "\npython mine.py --config a.yaml\n"},
        "a.yaml",
        consumer("mine.py", "launch", "run.sh", 2),
        None,
    ),
    "a README shows the command": ({"a.yaml": SFT, "README.md": README}, "a.yaml", consumer("trl sft", "launch", "README.md", 6), None),
    "a program opens it": ({"conf/a.yaml": SFT, "t.py": OPENS}, "conf/a.yaml", consumer("t.py", "opened", "t.py", 3), None),
    "an official script that lies here is its own": (
        {"a.yaml": SFT, "run_clm.py": TRAIN, "run.sh": "python run_clm.py a.yaml\n"},
        "a.yaml",
        consumer("run_clm.py", "launch", "run.sh", 1),
        None,
    ),
    "the command is started for another file": (
        {"a.yaml": SFT, "b.yaml": SFT, "run.sh": "trl sft --config b.yaml\n"},
        "a.yaml",
        consumer("trl sft", "accepted", "run.sh", 1),
        None,
    ),
    "one program's own keys": ({"a.yaml": AXOLOTL, "t.py": TRAIN}, "a.yaml", consumer("axolotl", "format"), None),
    "an engine's file": ({"ds.json": ZERO, "t.py": TRAIN}, "ds.json", consumer("deepspeed", "format"), None),
    "nothing else is here": ({"a.yaml": SFT}, "a.yaml", consumer("trl", "lone"), None),
    "a misspelt key is a finding, no stranger": (
        {"a.yaml": SFT + "gradient_acumulation_steps: 8\n"},
        "a.yaml",
        consumer("trl", "lone"),
        None,
    ),
    "a program is here that could read it": ({"a.yaml": SFT, "t.py": TRAIN}, "a.yaml", None, "config a.yaml kind=trl"),
    "a notebook too": (
        {"a.yaml": SFT, "t.ipynb": json.dumps({"cells": [{"source": [TRAIN]}]})},
        "a.yaml",
        None,
        "config a.yaml kind=trl",
    ),
    "another loader's words": (
        {"a.yaml": "defaults: [b]\n" + SFT + "num_train_epochs: 1\n"},
        "a.yaml",
        None,
        "python train.py --config a.yaml",
    ),
    "a budget says its format": (
        {"a.yaml": SFT, "t.py": TRAIN, "x.budget": "device 24GiB\nconfig a.yaml kind=trl\n"},
        "a.yaml",
        consumer("trl", "lone"),
        None,
    ),
}


@pytest.mark.parametrize(("files", "path", "wanted", "settles"), CASES.values(), ids=CASES)
def test_who_reads_it(shell, repository: Path, files, path, wanted, settles) -> None:
    for name, text in files.items():
        shell.write(name, text)
    document = shell("files", "--format", "json").json
    schema = json.loads((repository / "docs/schemas/files.schema.json").read_text(encoding="utf-8"))
    assert [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)] == []
    row = next(row for row in document["files"] if row["path"] == path)
    assert (row["consumer"], row["settles"]) == (wanted, settles)
    assert not {row["path"] for row in document["files"]} & {"t.py", "t.ipynb", "README.md"}


def test_in_words(shell) -> None:
    shell.write("a.yaml", SFT)
    shell.write("b.yaml", SFT)
    shell.write("run.sh", "python mine.py --config b.yaml\n")
    assert shell("files").out.splitlines() == [
        "a.yaml  trl                    no program here is known to read it; 'config a.yaml kind=trl' in a budget would tell",
        "b.yaml  trl                    run run.sh; read by mine.py (run.sh:1)",
        "run.sh  -                      run run.sh",
    ]


def test_only_what_is_wrong_for_everybody_is_told_of_nobodys_file(shell) -> None:
    shell.write("t.py", TRAIN)
    shell.write("a.yaml", SFT + "fp16: true\nbf16: true\nevaluation_strategy: steps\nseed: 1\nseed: 2\n")
    assert {one["name"] for one in shell("check", "--budget", "device 2GiB", "--format", "json", "--info").json["findings"]} == {
        "duplicate-key"
    }


def test_of_a_script_that_is_not_followed_nothing_is_an_error(shell) -> None:
    """Two precisions at once stop ``TrainingArguments``; whether the script makes them of its keys is not known."""
    shell.write("a.yaml", SFT + "fp16: true\nbf16: true\nmax_seq_lenght: 8\n")
    levels = {}
    for program in ("trl sft", "python mine.py"):
        shell.write("run.sh", f"{program} --config a.yaml\n")
        found = shell("check", "--no-cache", "--format", "json").json["findings"]
        levels[program] = {one["name"]: one["severity"] for one in found if one["name"] in ("fp16-bf16-both", "unknown-key")}
    assert levels["trl sft"] == {"fp16-bf16-both": "error", "unknown-key": "warning"}
    assert levels["python mine.py"] in ({"fp16-bf16-both": "warning"}, {})


def test_a_readme_starts_no_run(shell) -> None:
    shell.write("README.md", README)
    shell.write("a.yaml", SFT)
    assert [row["runs"] for row in shell("files", "--format", "json").json["files"]] == [["a.yaml"]]


def test_the_words_of_certainty(shell) -> None:
    shell.write("a.yaml", SFT)
    shell.write("run.sh", "python mine.py --config a.yaml --optim $OPTIM\n")
    shell.write("lone/b.yaml", SFT)
    own = {one["name"]: one["certainty"] for one in shell("estimate", "--settings", "--format", "json").json["runs"][0]["settings"]}
    assert (own["micro_batch"], own["optimizer"], own["adapter"]) == ("stated", "unresolved", "unresolved")
    (shell.root / "run.sh").unlink()
    alone = {
        one["name"]: one["certainty"] for one in shell("estimate", "a.yaml", "--settings", "--format", "json").json["runs"][0]["settings"]
    }
    assert (alone["micro_batch"], alone["adapter"], alone["optimizer"]) == ("stated", "default", "varies")


def test_the_manual_shows_these_lines(repository: Path, shell) -> None:
    """The console of the page is what is printed."""
    shell.write("a.yaml", SFT)
    shell.write("b.yaml", SFT)
    shell.write("run.sh", "python mine.py --config b.yaml\n")
    page = (repository / "docs/who-reads.md").read_text(encoding="utf-8")
    assert f"```console\n$ budgetlint files\n{shell('files').out}```" in page


def test_the_manual_names_every_evidence_and_certainty(repository: Path) -> None:
    page = (repository / "docs/who-reads.md").read_text(encoding="utf-8")
    from budgetlint.settings.consumer import WORDS

    assert all(f"`{word}`" in page for word in WORDS.values() if word != "several")
    assert all(f"*{word}*" in page for word in ("stated", "default", "varies", "unresolved"))


def test_a_file_that_a_budget_reads_keys_of(shell) -> None:
    shell.write("launch.yaml", "o: {model: qwen2.5-1.5b, mbs: 2}\n")
    shell.write("run.budget", "device 24GiB; lora r=8; seq 512\nreads launch.yaml { model=o.model; batch=o.mbs }\n")
    row = next(row for row in shell("files", "--format", "json").json["files"] if row["path"] == "launch.yaml")
    assert row["consumer"] == {"program": "run.budget", "evidence": "budget", "file": "run.budget", "line": 2}
    assert (row["format"], row["runs"], row["problem"]) == (None, ["launch.yaml"], None)
    assert [(one["file"], one["line"], one["rule"]) for one in row["because"]] == [("run.budget", 2, "keys that a budget reads")]
    assert "because run.budget:2 names launch.yaml (keys that a budget reads, sure)" in shell("files", "--why").out
    assert "launch.yaml:1:31  o.mbs" in shell("estimate", "--settings").out


OUTSIDE = [
    ("link.yaml", "leads out of the project"),
    ("../secret.yaml", "leads out of the project"),
    ("../*.yaml", "leads out of the project"),
    ("large.yaml", "a training config is at most"),
]


@pytest.mark.parametrize(("path", "why"), OUTSIDE)
def test_what_a_budget_may_not_read_is_told_and_not_read(shell, path: str, why: str) -> None:
    (shell.root.parent / "secret.yaml").write_text("token: 4242\n", encoding="utf-8")
    (shell.root / "link.yaml").symlink_to(shell.root.parent / "secret.yaml")
    shell.write("large.yaml", "token: 4242\n" + "#" * FILE_BYTES.most)
    shell.write("run.budget", f"device 24GiB; model qwen2.5-1.5b; lora r=8; seq 512\nreads {path} {{ batch=token }}\n")
    found = [one for one in shell("check", "--format", "json").json["findings"] if one["severity"] == "error"]
    assert [(one["code"], one["file"], one["line"]) for one in found] == [("BL914", "run.budget", 2)]
    assert why in found[0]["message"]
    assert "4242" not in shell("estimate", "--settings").out


@pytest.mark.parametrize("named", [["launch.yaml"], ["run.budget"], []])
def test_a_change_of_such_a_file_is_judged_at_its_own_line(shell, named: list[str]) -> None:
    shell.write("launch.yaml", "o:\n  model: qwen2.5-1.5b\n  mbs: 512\n")
    shell.write("run.budget", "device 24GiB; lora r=8; seq 512\nreads launch.yaml { model=o.model; batch=o.mbs }\n")
    found = [(one["file"], one["line"], one["code"]) for one in shell("check", *named, "--format", "json").json["findings"]]
    assert ("launch.yaml", 3, "BL101") in found
