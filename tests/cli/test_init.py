"""``budgetlint init``: what it writes, what it never touches, and that the result is what `check` then reads."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from budgetlint.commands.ci_texts import CI, CI_FILE, HOOK, HOOK_FILE

BUDGET = "training.budget"
JOB = (
    "#!/bin/bash\n#SBATCH --gres=gpu:{card}:{count}\n#SBATCH --nodes={nodes}\n"
    + "srun torchrun --nproc_per_node {count} train.py --config {file}\n"
)


@pytest.fixture
def repo(shell, sft):
    shell.write("configs/sft.yaml", sft.replace("output_dir: tmp\n", ""))
    return shell


def written(repo) -> str:
    return (repo.root / BUDGET).read_text(encoding="utf-8")


def tree(repo) -> set[str]:
    return {str(path.relative_to(repo.root)) for path in repo.root.rglob("*") if path.is_file()}


def test_the_device_of_the_command_line(repo) -> None:
    ran = repo("init", "--device", "2x rtx-4090")
    assert (ran.code, ran.err) == (0, "")
    assert "\ndevice 2x rtx-4090\nreserve 1GiB" in written(repo)
    assert "1 run judged: 1 fits." in ran.out
    assert repo("check", "--require-verdict").code == 0
    assert repo("fmt", "--check", BUDGET).code == 0


def test_no_device_is_asked_for_with_the_card_that_would_do(repo) -> None:
    assert repo("init").code == 0
    device = next(line for line in written(repo).splitlines() if line.startswith("# device "))
    card = device.split()[2]
    assert repo("fmt", "--check", BUDGET).code == 0
    assert "No run was judged" in repo("check").out
    (repo.root / BUDGET).write_text(written(repo).replace("# device", "device"), encoding="utf-8")
    assert "1 run judged: 1 fits." in repo("check").out, card


@pytest.mark.parametrize(("count", "nodes", "told"), [(8, 2, "8x a100-80gb; nodes 2"), (1, 1, "a100-80gb")])
def test_the_device_that_a_job_asks_for(repo, count: int, nodes: int, told: str) -> None:
    repo.write("jobs/a.slurm", JOB.format(card="a100-80gb", count=count, nodes=nodes, file="configs/sft.yaml"))
    repo("init")
    assert f"\n# asked for in jobs/a.slurm\ndevice {told}\n" in written(repo)


def test_jobs_that_ask_for_several_keep_their_own(repo, sft) -> None:
    repo.write("configs/b.yaml", sft)
    repo.write("jobs/a.slurm", JOB.format(card="a100-80gb", count=1, nodes=1, file="configs/sft.yaml"))
    repo.write("jobs/b.slurm", JOB.format(card="h100-80gb", count=1, nodes=1, file="configs/b.yaml"))
    ran = repo("init")
    assert "judged by it: a100-80gb | h100-80gb\n" in written(repo)
    assert not any(line.startswith("device") for line in written(repo).splitlines())
    assert "2 runs judged" in ran.out


STACKS = [
    (
        {"requirements.txt": "transformers==4.57.6\ntorch>=2.4\n"},
        "# versions, read from requirements.txt each time: transformers 4.57.6, torch >= 2.4",
    ),
    ({"pins/requirements.txt": "torch==2.5.1+cu121\ntransformers==4.57.6\n"}, "stack transformers@4.57.6 torch@2.5.1"),
    (
        {"requirements.txt": "trl==0.24.0\n", "pins/requirements.txt": "torch==2.5.1\n"},
        "# also pinned, in other folders: torch@2.5.1",
    ),
    ({}, "# stack transformers@5.24 torch@2.13  # no pin was found"),
]


@pytest.mark.parametrize(("files", "line"), STACKS, ids=["beside", "elsewhere", "both", "nowhere"])
def test_the_stack(repo, files: dict[str, str], line: str) -> None:
    for name, text in files.items():
        repo.write(name, text)
    assert repo("init", "--device", "rtx-4090").code == 0
    assert [text for text in written(repo).splitlines() if text.startswith(line)] != [], written(repo)
    assert repo("check", "--format", "json").json["summary"]["errors"] == 0


def test_dry_run_writes_nothing(repo) -> None:
    before = tree(repo)
    ran = repo("init", "--dry-run", "--hook", "--ci")
    assert ran.code == 0
    assert tree(repo) == before
    assert all(f"{name} (would be written)" in ran.out for name in (BUDGET, HOOK_FILE, CI_FILE))


def test_hook_and_ci_are_shown_unless_they_are_written(repo) -> None:
    shown = repo("init", "--dry-run").out
    assert "entry: budgetlint check" in shown
    assert "run: budgetlint check" in shown
    assert repo("init", "--hook", "--ci").code == 0
    assert (repo.root / HOOK_FILE).read_text(encoding="utf-8") == HOOK
    assert (repo.root / CI_FILE).read_text(encoding="utf-8") == CI


@pytest.mark.parametrize("name", [BUDGET, HOOK_FILE, CI_FILE])
def test_a_file_that_exists_is_left_and_nothing_else_is_written(repo, name: str) -> None:
    repo.write(name, "# mine\n")
    before = tree(repo)
    ran = repo("init", "--hook", "--ci")
    assert ran.code == 2
    assert f"{name} exists" in ran.err
    assert tree(repo) == before
    assert (repo.root / name).read_text(encoding="utf-8") == "# mine\n"


@pytest.mark.parametrize(("device", "told"), [("rtx-4900", "rtx-4090"), ("24g", "GiB"), ("t4; reserve 1GiB", "one device is meant")])
def test_a_device_that_is_none(repo, device: str, told: str) -> None:
    ran = repo("init", "--device", device)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert BUDGET not in tree(repo)


def test_an_empty_repository(shell) -> None:
    ran = shell("init", "--device", "t4")
    assert ran.code == 0
    assert "no training config" in ran.out


def test_the_commands_of_hook_and_ci_are_real(repo) -> None:
    for text in (YAML(typ="safe").load(HOOK)["repos"][0]["hooks"][0]["entry"], CI.rpartition("run: ")[2].strip()):
        assert repo(*text.split()[1:], *(["configs/sft.yaml"] if "--force-exclude" in text else [])).code == 0


def test_the_texts_are_yaml_that_means_what_it_should(repository) -> None:
    hook = YAML(typ="safe").load(HOOK)["repos"][0]["hooks"][0]
    published = YAML(typ="safe").load((repository / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
    assert {name: hook[name] for name in ("id", "entry", "files", "require_serial")} == {
        name: published[name] for name in ("id", "entry", "files", "require_serial")
    }
    assert hook["language"] == "system"
    steps = YAML(typ="safe").load(CI)["jobs"]["budgetlint"]["steps"]
    assert steps[-1] == {"run": "budgetlint check --format full --format github"}
