"""``budgetlint check FILE…``: the runs that the files take part in, with the rest of each run found in the repository."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.resolve.project import open_project
from budgetlint.resolve.related_files import related_files
from budgetlint.resolve.runs import judge

TRAIN = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: a/b
per_device_train_batch_size: 1
gradient_accumulation_steps: 1
learning_rate: 1.0e-5
num_train_epochs: 1
max_length: 512
bf16: true
"""
ZERO = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}\n'
FSDP = "distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: ds/zero.json\nnum_machines: 1\nnum_processes: 2\n"

REPOSITORY = {
    "a.yaml": TRAIN + "deepspeed: ds/zero.json\n",
    "b.yaml": TRAIN.replace("1.5B", "7B"),
    "c.yaml": TRAIN.replace("1.5B", "3B"),
    "d/small.yaml": TRAIN.replace("1.5B", "0.5B"),
    "d/e/deep.yaml": TRAIN,
    "d/card.budget": "device 24GiB\n",
    "ds/zero.json": ZERO,
    "acc.yaml": FSDP,
    "own.yaml": TRAIN.replace("Qwen/Qwen2.5-1.5B", "models/own"),
    "models/own/config.json": '{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,'
    ' "intermediate_size": 128, "vocab_size": 1000, "architectures": ["LlamaForCausalLM"]}\n',
    "run_b.sh": "accelerate launch --config_file acc.yaml examples/scripts/sft.py --config b.yaml\n",
    "run_c.sh": 'SIZE=c\ntrl sft --config "$SIZE.yaml"\n',
    "all.sh": "bash take.sh e.yaml\n",
    "take.sh": 'trl sft --config "$1"\n',
    "e.yaml": TRAIN.replace("1.5B", "0.5B"),
    "base.budget": "device 40GiB\n",
    "bound/f.budget": "include ../base.budget\nconfig f.yaml\n",
    "bound/f.yaml": TRAIN,
}

TAKES_PART = [
    ("a trainer's own file", ["a.yaml"], ["a.yaml"]),
    ("a DeepSpeed file: the config that names it, and the script whose launcher does", ["ds/zero.json"], ["a.yaml", "run_b.sh"]),
    ("the launcher's file", ["acc.yaml"], ["run_b.sh"]),
    ("a config that a script starts", ["b.yaml"], ["run_b.sh"]),
    ("a config behind a variable", ["c.yaml"], ["run_c.sh"]),
    ("a script", ["run_b.sh"], ["run_b.sh"]),
    ("a script that starts a script", ["all.sh"], ["take.sh"]),
    ("the config that it passes on", ["e.yaml"], ["take.sh"]),
    ("a budget of a folder", ["d/card.budget"], ["d/e/deep.yaml", "d/small.yaml"]),
    ("a budget that another includes", ["bound/f.budget"], ["bound/f.yaml"]),
    ("the shape of a model", ["models/own/config.json"], ["own.yaml"]),
    ("a file and a folder", ["a.yaml", "d/e"], ["a.yaml", "d/e/deep.yaml"]),
    ("two files", ["a.yaml", "d/small.yaml"], ["a.yaml", "d/small.yaml"]),
]


def names(repository, *paths: str) -> list[str]:
    return sorted(run["name"] for run in repository("check", *paths, "--format", "json").json["runs"])


@pytest.fixture
def repository(shell):
    for path, text in REPOSITORY.items():
        shell.write(path, text)
    return shell


@pytest.mark.parametrize(("named", "runs"), [row[1:] for row in TAKES_PART], ids=[row[0] for row in TAKES_PART])
def test_the_runs_of_named_files(repository, named: list[str], runs: list[str]) -> None:
    assert names(repository, *named) == runs


def judged(texts: Mapping[str, str], path: str, *, all_read: bool) -> tuple[list[object], list[object]]:
    """Labels, verdicts and needs of the runs of a file, with every text read or only its neighbours."""
    files = TextFiles(texts)
    found = related_files(files, tuple(texts), [path])
    read = tuple(texts) if all_read else found.paths
    result = judge(open_project(files, read, tuple(texts)), taken=found.taken)
    runs = [(run.label, run.estimate and (run.estimate.verdict, run.estimate.need)) for run in result.runs]
    documents = [context.reading.document.path for context in result.documents]
    return sorted(runs, key=str), sorted(documents)


@pytest.mark.parametrize("path", REPOSITORY)
def test_reading_the_neighbours_is_as_good_as_reading_everything(path: str) -> None:
    assert judged(REPOSITORY, path, all_read=False) == judged(REPOSITORY, path, all_read=True)


def test_only_the_neighbours_are_read() -> None:
    found = related_files(TextFiles(REPOSITORY), tuple(REPOSITORY), ["d/small.yaml"])
    assert "d/card.budget" in found.paths
    assert not {"b.yaml", "own.yaml", "take.sh", "ds/zero.json"} & set(found.paths)


def test_findings_are_those_of_the_runs(repository) -> None:
    repository.write("other.yaml", TRAIN + "bf16: false\n")
    repository.write("ds/zero.json", ZERO.replace('"auto"', "4"))
    found = repository("check", "ds/zero.json", "--format", "json").json["findings"]
    assert "ds/zero.json" in {one["file"] for one in found}
    assert {one["file"] for one in found} <= {"ds/zero.json", "a.yaml", "acc.yaml", "run_b.sh", "b.yaml"}


def test_a_suppression_for_another_run_of_the_file_is_no_finding(repository) -> None:
    repository.write("d/card.budget", "device 24GiB\nallow duplicate-key kept for the old trainer\n")
    repository.write("d/e/deep.yaml", TRAIN + "bf16: true\n")
    assert "suppresses nothing" not in repository("check", "d/small.yaml", "--info").out
    repository.write("d/e/deep.yaml", TRAIN)
    assert "suppresses nothing" in repository("check", "d/card.budget", "--info").out


def test_a_budget_on_the_command_line_is_asked_about_the_files(repository) -> None:
    (run,) = repository("check", "d/small.yaml", "--budget", "device 8GiB; reserve 0", "--format", "json").json["runs"]
    assert run["limit"] == 8 * 1024**3


def test_outside_a_repository_only_the_files_are_read(tmp_path, shell) -> None:
    (tmp_path / ".git").rmdir()
    shell.write("a.yaml", REPOSITORY["a.yaml"])
    shell.write("ds/zero.json", ZERO)
    assert names(shell, "ds/zero.json") == []


def test_force_exclude_leaves_out_what_a_folder_would(repository) -> None:
    repository.write("pyproject.toml", '[tool.budgetlint]\nexclude = ["d/*"]\n')
    repository.write("tests/test_it.py", "from transformers import TrainingArguments\nTrainingArguments(output_dir='x')\n")
    assert names(repository, "d/small.yaml") == ["d/small.yaml"]
    assert names(repository, "d/small.yaml", "tests/test_it.py", "--force-exclude") == []
    assert names(repository, "a.yaml", "d/small.yaml", "--force-exclude") == ["a.yaml"]


def test_a_fix_stays_in_the_runs_of_the_files(repository) -> None:
    twice = TRAIN + "output_dir: x\noutput_dir: out\n"
    for path in ("a.yaml", "b.yaml"):
        repository.write(path, twice)
    repository("check", "a.yaml", "--fix")
    assert "output_dir: x" not in (repository.root / "a.yaml").read_text()
    assert "output_dir: x" in (repository.root / "b.yaml").read_text()


REQUIRED = [
    ("a hook whose files belong to no run", ["notes.json", "--force-exclude"], 0),
    ("a gate whose files are no configs", ["notes.json"], 1),
    ("a hook with a run that is judged", ["d/small.yaml", "--force-exclude"], 0),
    ("a hook with a run that nobody can judge", ["odd.yaml", "--force-exclude"], 1),
]


@pytest.mark.parametrize(("options", "code"), [row[1:] for row in REQUIRED], ids=[row[0] for row in REQUIRED])
def test_a_verdict_is_required_of_the_runs_there_are(repository, options: list[str], code: int) -> None:
    repository.write("notes.json", "{}\n")
    repository.write("odd.yaml", TRAIN.replace("Qwen/Qwen2.5-1.5B", "nobody/knows"))
    ran = repository("check", "--require-verdict", *options)
    assert ran.code == code, ran.out
    if "notes.json" in options or "odd.yaml" in options:
        assert "No run was judged" in ran.out
