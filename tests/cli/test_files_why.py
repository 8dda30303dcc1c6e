"""``budgetlint files --why``: each file because of which line, by which rule, how sure; the same in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from budgetlint.commands.why import SHOWN
from budgetlint.resolve.edges import CERTAINTY

SFT = "model_name_or_path: Qwen/Qwen2.5-0.5B\ndataset_name: a/b\nper_device_train_batch_size: 1\nmax_length: 512\ndeepspeed: zero.json\n"
ZERO = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 1}\n'


def project(shell) -> None:
    shell.write("all.sh", "bash run.sh conf/a.yaml\n")
    shell.write("run.sh", "trl sft \\\n  --config $1\n")
    shell.write("conf/a.yaml", SFT)
    shell.write("engines/zero.json", ZERO)
    shell.write("lone/b.yaml", SFT.replace("zero.json", "null"))
    shell.write("README.md", "```bash\ntrl sft --config lone/b.yaml\n```\n")


def test_the_chain_of_each_file(shell) -> None:
    project(shell)
    assert shell("files", "--why").out.splitlines() == [
        "all.sh             -",
        "conf/a.yaml        trl                    run run.sh; read by trl sft (run.sh:1)",
        "  because run.sh:2 names conf/a.yaml (path as written, sure)",
        "    because all.sh:1 names run.sh (call of a script, sure)",
        "engines/zero.json  deepspeed              run run.sh",
        "  because conf/a.yaml:5 names zero.json (only file of that name, assumed)",
        "    because run.sh:2 names conf/a.yaml (path as written, sure)",
        "      because all.sh:1 names run.sh (call of a script, sure)",
        "lone/b.yaml        trl                    run lone/b.yaml; read by trl sft (README.md:2)",
        "  because README.md:2 names lone/b.yaml (file of a command, sure)",
        "run.sh             trl                    run run.sh",
        "  because all.sh:1 names run.sh (call of a script, sure)",
    ]


def test_the_same_as_data(shell, repository: Path) -> None:
    project(shell)
    document = shell("files", "--format", "json").json
    schema = json.loads((repository / "docs/schemas/files.schema.json").read_text(encoding="utf-8"))
    assert [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)] == []
    because = {row["path"]: row["because"] for row in document["files"]}
    assert because["engines/zero.json"] == [
        {"file": "conf/a.yaml", "line": 5, "text": "zero.json", "rule": "only file of that name", "certainty": "assumed"}
    ]
    assert because["all.sh"] == []


def test_the_schema_knows_every_rule(repository: Path) -> None:
    schema = json.loads((repository / "docs/schemas/files.schema.json").read_text(encoding="utf-8"))
    edge = schema["properties"]["files"]["items"]["properties"]["because"]["items"]["properties"]
    assert edge["rule"]["enum"] == list(CERTAINTY)
    assert set(edge["certainty"]["enum"]) == set(CERTAINTY.values())


def test_a_file_that_many_name_is_told_by_some(shell) -> None:
    shell.write("zero.json", ZERO)
    for number in range(SHOWN + 3):
        shell.write(f"c{number:02}.yaml", SFT)
    everything = shell("files", "--why").out
    assert everything.count("because c") == SHOWN
    assert "... and more" in everything
