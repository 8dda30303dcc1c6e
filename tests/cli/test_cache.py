"""The cache of ``check``: it says what a check without it says, at once where nothing has changed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from budgetlint.engine.cache import FOLDER

FILES = {
    "train.yaml": "model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: out\nper_device_train_batch_size: 4\nlearning_rate: 0.0001\n"
    "num_train_epochs: 1\nmax_length: 1024\nbf16: true\nfp16: true\ndeepspeed: ds.json\n",
    "ds.json": '{"zero_optimization": {"stage": 2}, "bf16": {"enabled": true}}',
    "card.budget": "device 2x rtx-4090\n",
    "run.sh": "torchrun --nproc_per_node 2 -m trl.scripts.sft --config train.yaml\n",
    "requirements.txt": "transformers==5.24.0\n",
    "pyproject.toml": "[tool.budgetlint]\nignore = ['BL3']\n",
}


@pytest.fixture
def project(shell, tmp_path_factory: pytest.TempPathFactory):
    shell = replace(shell, environ={"HOME": str(tmp_path_factory.mktemp("home"))})
    for path, text in FILES.items():
        shell.write(path, text)
    return shell


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the checks that really ran."""
    import budgetlint.engine.check

    ran: list[int] = []
    real = budgetlint.engine.check.check
    monkeypatch.setattr("budgetlint.commands.checking.check", lambda *args, **more: (ran.append(1), real(*args, **more))[1])
    return ran


def same(one, other) -> bool:
    return (one.code, one.out, one.err) == (other.code, other.out, other.err)


def test_a_second_check_of_the_same_is_not_run_again(project, checks) -> None:
    first, second = project("check"), project("check")
    assert same(first, second)
    assert first.code == 1
    assert len(checks) == 1
    assert (project.root / FOLDER / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("path", [*FILES, "new.yaml", "gone"])
def test_whatever_is_edited_is_seen(project, checks, path: str) -> None:
    project("check")
    if path == "gone":
        (project.root / "ds.json").unlink()
    else:
        project.write(path, FILES.get(path, FILES["train.yaml"]) + "\n")
    assert same(project("check"), project("check", "--no-cache"))
    assert len(checks) == 3


@pytest.mark.parametrize("words", [["--info"], ["--select", "BL2"], ["train.yaml"], ["--format", "json"], ["--budget", "device t4"]])
def test_another_question_has_another_answer(project, checks, words: list[str]) -> None:
    project("check")
    assert same(project("check", *words), project("check", *words, "--no-cache"))
    assert len(checks) == 3


@pytest.mark.parametrize("words", [["--fix"], ["--diff"], ["--format", "json=out.json"], ["--no-cache"], ["--baseline", "known.json"]])
def test_what_writes_is_never_remembered(project, checks, words: list[str]) -> None:
    project("check", *words)
    project("check", *words)
    assert not (project.root / FOLDER).exists()
    assert len(checks) >= 2


def test_a_broken_cache_is_no_error(project) -> None:
    first = project("check")
    for entry in (project.root / FOLDER).glob("*.json"):
        entry.write_text('{"seen": {"read": []}, "out": "", "err": "", "code": 0}')
    assert same(project("check"), first)


def test_it_never_says_anything_but_what_a_check_without_it_says(project) -> None:
    chance = random.Random(3)
    edits = ["", "bf16: false\n", "max_steps: 10\n", "warmup_steps: 100\n", "{", "# budgetlint: allow-file BL2 here\n", "seed: 1\n"]
    for _ in range(40):
        path = chance.choice(list(FILES))
        project.write(path, FILES[path] + (chance.choice(edits) if path == "train.yaml" else chance.choice(["", "\n", "  \n"])))
        if chance.random() < 0.2:
            (project.root / chance.choice(list(FILES))).unlink(missing_ok=True)
        assert same(project("check", "--info"), project("check", "--info", "--no-cache"))
