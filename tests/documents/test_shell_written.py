"""Files that a script writes with a here-document are read as the files that they become."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Loader, plain
from budgetlint.documents.shell import read_shell
from budgetlint.documents.shell_written import FACT, Copied, written_documents
from budgetlint.launch.build import Builder
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Settings

JSON = '{\n  "train_micro_batch_size_per_gpu": $MB,\n  "zero_optimization": {"stage": $STAGE}\n}\n'
FLAGS = "--model_name_or_path Qwen/Qwen2.5-0.5B --output_dir o --per_device_train_batch_size 4 --bf16"


def contents(script: str) -> dict[str, object]:
    source = SourceFile("run.sh", script)
    found = written_documents(source, read_shell(script).written)
    return {name: plain(one.root, Loader.JSON) if isinstance(one, Document) else one for name, one in found.items()}


CASES = {
    "known": ("MB=4\nSTAGE=2\ncat <<EOT > ds.json\n" + JSON + "EOT\n", {"ds.json": (4, 2)}),
    "the file first": ("MB=4\nSTAGE=2\ncat > ds.json <<EOT\n" + JSON + "EOT\n", {"ds.json": (4, 2)}),
    "a name in a variable": ("MB=4\nSTAGE=2\nF=out/ds.json\ncat <<EOT > $F\n" + JSON + "EOT\n", {"out/ds.json": (4, 2)}),
    "one is the script's argument": ("MB=$1\nSTAGE=2\ncat <<EOT > ds.json\n" + JSON + "EOT\n", {"ds.json": ("${1}", 2)}),
    "escaped": ('STAGE=2\nMB=4\ncat <<EOT > ds.json\n{"a": "\\$MB"}\nEOT\n', {"ds.json": "$MB"}),
    "assigned only afterwards": ("STAGE=2\ncat <<EOT > ds.json\n" + JSON + "EOT\nMB=4\n", {"ds.json": ("${MB}", 2)}),
    "a mark in quotes": ('cat <<\'EOT\' > ds.json\n{"a": "$MB"}\nEOT\n', {"ds.json": "$MB"}),
    "in a branch": ("MB=4\nSTAGE=2\nif test -f x; then\ncat <<EOT > ds.json\n" + JSON + "EOT\nfi\n", {"ds.json": None}),
    "in a function": ("MB=4\nSTAGE=2\nf() {\ncat <<EOT > ds.json\n" + JSON + "EOT\n}\n", {}),
    "written twice": ('cat <<A > d.json\n{}\nA\ncat <<A > d.json\n{"a": 1}\nA\n', {"d.json": 1}),
    "appended to": ("cat <<A >> d.json\n{}\nA\n", {"d.json": None}),
    "no config": ("cat <<A > hosts.txt\nhost\nA\n", {}),
    "no JSON": ("cat <<A > d.json\n{,\nA\n", {"d.json": None}),
    "another command": ("tr a b <<A > d.json\n{}\nA\n", {"d.json": None}),
}


@pytest.mark.parametrize(("script", "wanted"), CASES.values(), ids=CASES)
def test_what_is_written(script: str, wanted: dict[str, object]) -> None:
    def figures(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return (
            value["a"] if "a" in value else (value.get("train_micro_batch_size_per_gpu"), value.get("zero_optimization", {}).get("stage"))
        )

    assert {name: figures(value) for name, value in contents(script).items()} == wanted


def settings(script: str, **files: str) -> Settings:
    (context,) = judge_texts({"run.sh": script, **files}).runs
    return context.run.settings


def test_the_run_is_sharded_as_the_script_writes_it() -> None:
    head = "STAGE=2\nDS=ds.json\nMB=$1\ncat <<EOT > $DS\n" + JSON + "EOT\n"
    found = settings(f"{head}deepspeed --num_gpus 4 train.py --deepspeed $DS {FLAGS}\n")
    assert found.value("shard") == "zero2"
    assert str(found["shard"].origin).startswith("run.sh:1:")
    assert found.value("micro_batch") == 4


def test_a_file_of_that_name_in_the_repository_is_overwritten() -> None:
    head = 'cat <<EOT > ds.json\n{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 4}\nEOT\n'
    files = {"ds.json": '{"zero_optimization": {"stage": 1}, "train_micro_batch_size_per_gpu": 4}\n'}
    found = settings(f"{head}deepspeed --num_gpus 4 train.py --deepspeed ds.json {FLAGS}\n", **files)
    assert (found.value("shard"), str(found["shard"].origin)) == ("zero3", "run.sh:2:33")


def test_a_value_of_a_variable_leaves_the_sharding_open() -> None:
    head = "STAGE=$1\nMB=4\ncat <<EOT > ds.json\n" + JSON + "EOT\n"
    found = settings(f"{head}deepspeed --num_gpus 4 train.py --deepspeed ds.json {FLAGS}\n")
    assert not found["shard"].known


def test_comments_of_the_script_still_suppress(shell) -> None:
    """The file that is written is JSON; what surrounds it is a shell's."""
    written = 'cat <<EOT > ds.json\n{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 1}\nEOT\n'
    start = f"python run_clm.py --do_train --deepspeed ds.json {FLAGS}\n"
    names = []
    for comment in ("", "# budgetlint: allow-file ds-hf-batch-mismatch (tried)\n"):
        shell.write("run.sh", comment + written + start)
        names.append([one["name"] for one in shell("check", "--format", "json", "--no-cache").json["findings"]])
    assert ("ds-hf-batch-mismatch" in names[0], "ds-hf-batch-mismatch" in names[1]) == (True, False)


OTHERS: dict[str, tuple[str, dict[str, object]]] = {
    "echo": ("MB=4\necho '{\"a\": '$MB'}' > d.json", {"d.json": {"a": 4}}),
    "printf": ("MB=4\nprintf '{\"a\": %d}\\n' $MB > d.json", {"d.json": {"a": 4}}),
    "line by line": ("echo 'a: 1' > d.yaml\necho 'b: 2' >> d.yaml", {"d.yaml": {"a": 1, "b": 2}}),
    "a group": ("{ echo 'a: 1'; echo 'b: 2'; } > d.yaml", {"d.yaml": {"a": 1, "b": 2}}),
    "a group with an answer": ("{ echo 'a: 1'; date; } > d.yaml", {"d.yaml": None}),
    "tee": ("tee d.yaml <<E\na: 1\nE", {"d.yaml": {"a": 1}}),
    "behind a pipe": ("cat <<E | tee d.yaml > /dev/null\na: 1\nE", {"d.yaml": {"a": 1}}),
    "a copy": ("cp c/e.json d.json", {"d.json": Copied("c/e.json")}),
    "moved": ("mv e.json d.json", {"d.json": None}),
    "in place": ("sed -i 's/a/b/' d.yaml\nyq -i '.a = 1' e.yaml", {"d.yaml": None, "e.yaml": None}),
    "in place behind a text": ("cat > d.yaml <<E\na: 1\nE\nsed -i 's/a/b/' d.yaml", {"d.yaml": None}),
    "other programs": ("jq . x > d.json\nenvsubst < t > e.yaml", {"d.json": None, "e.yaml": None}),
    "twice, read between": ("echo 'a: 1' > d.yaml\nrun d.yaml\necho 'a: 2' > d.yaml", {"d.yaml": None}),
    "a Python text": ("python - <<'E'\nimport json\nc = {'a': [1]}\njson.dump(c, open('d.json', 'w'))\nE", {"d.json": {"a": [1]}}),
    "with": ("python3 <<'E'\nimport json\nwith open('d.json', 'w') as f:\n    json.dump({'a': 1}, f, indent=2)\nE", {"d.json": {"a": 1}}),
    "python -c": ("python -c \"import json; json.dump({'a': 1}, open('d.json', 'w'))\"", {"d.json": {"a": 1}}),
    "a Python text that changes it": (
        "python - <<'E'\nimport json\nc = {'a': 1}\nc['a'] = 2\njson.dump(c, open('d.json', 'w'))\nE", {"d.json": None},
    ),
    "a Python text that may": (
        "python - <<'E'\nimport json\nif x():\n    json.dump({'a': 1}, open('d.json', 'w'))\nE", {"d.json": None},
    ),
    "a branch that somebody may take": ("if [ -n \"$Q\" ]; then echo 'a: 1' > d.yaml; else echo 'a: 2' > d.yaml; fi", {"d.yaml": None}),
    "a branch that runs": ("Q=1\nif [ -n \"$Q\" ]; then echo 'a: 1' > d.yaml; else echo 'a: 2' > d.yaml; fi", {"d.yaml": {"a": 1}}),
    "in a loop and a function": (
        "w() { echo \"a: $1\" > $1.yaml; }\nfor x in 1 2; do w $x; done", {"1.yaml": {"a": 1}, "2.yaml": {"a": 2}},
    ),
    "a Python text that reads": ("python -c \"import json; json.load(open('d.json'))\"", {}),
    "a Python text that is none": ("python - <<'E'\nopen('d.json', 'w'\nE", {}),
}  # fmt: skip


@pytest.mark.parametrize(("script", "wanted"), OTHERS.values(), ids=OTHERS)
def test_what_other_commands_write(script: str, wanted: dict[str, object]) -> None:
    source = SourceFile("run.sh", f"{script}\npython train.py\n")
    Builder(source).script(source.text)
    found = source.facts.get(FACT, {})
    assert {name: plain(one.root, Loader.JSON) if isinstance(one, Document) else one for name, one in found.items()} == wanted


def test_a_config_that_is_changed_in_place_is_not_known() -> None:
    config = "model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\nfinetuning_type: lora\ncutoff_len: 1024\nper_device_train_batch_size: 2\n"
    script = "sed -i 's/1024/2048/' sft.yaml\nllamafactory-cli train sft.yaml\n"
    found = settings(script, **{"sft.yaml": config})
    assert not found["seq_len"].known and not found["micro_batch"].known
