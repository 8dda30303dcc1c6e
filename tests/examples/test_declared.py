"""Worlds in which nobody can infer what trains (``examples/declared/``): each is declared; without that, nothing is guessed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from budgetlint.base.finding import Severity
from budgetlint.base.limits import FINDINGS
from budgetlint.engine.check import check
from budgetlint.files.disk import DiskFiles
from budgetlint.language import format_text
from budgetlint.measured.watched import Seal
from budgetlint.registry import installed
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge
from budgetlint.rules_api.context import Judged

WORLDS = Path(__file__).parents[2] / "examples" / "declared"
PAGE = Path(__file__).parents[2] / "docs" / "declaring.md"
BUDGET = "gpu.budget"
LINES = 5

EXPECTED = {
    "bazel": {"recipes/a.yaml": ("fits", 7.7), "recipes/b.yaml": ("fits", 13.7)},
    "company-launcher": {"gpu.budget": ("fits", 21.6)},
    "config-server": {"gpu.budget": ("fits", 39.1)},
    "gin": {"gpu.budget": ("fits", 10.4)},
    "hydra-sweep": {"experiment/large.yaml": ("fits", 47.2), "experiment/small.yaml": ("fits", 31.8)},
    "kubeflow": {"trainjob.yaml": ("fits", 22.1)},
    "metaflow": {"gpu.budget": ("fits", 7.6)},
    "patched-fork": {"gpu.budget": ("fits", 10.5)},
    "ray-jobs": {"cluster.toml": ("fits", 8.0)},
    "sagemaker": {"gpu.budget": ("fits", 29.7)},
    "sbatch-template": {"values/llama.yaml": ("fits", 24.0)},
    "skypilot": {"gpu.budget": ("fits", 24.2)},
    "submitit": {"gpu.budget": ("fits", 14.5)},
}
"""Each run with its verdict and its need, GiB."""
MACHINE = ("device", "nodes", "stack", "let", "#")
"""What is left of a budget without its declaration: the first words of lines."""


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a world, in a checkout of its own."""
    found = tmp_path / request.param
    shutil.copytree(WORLDS / request.param, found)
    (found / ".git").mkdir()
    return found


def judged(world: Path) -> Judged:
    return judge(open_project(DiskFiles(world), ["."]))


def answers(result: Judged) -> dict[str, tuple[str, float]]:
    return {
        one.run.name: (one.estimate.verdict.value, round(one.estimate.need.bytes / 2**30, 1))
        for one in result.runs
        if one.estimate is not None
    }


def told(result: Judged) -> list[str]:
    return [
        f"{one.location.file}:{one.location.line} {one.name}" for one in check(result, installed()).findings if one.severity > Severity.INFO
    ]


every = pytest.mark.parametrize("world", sorted(EXPECTED), indirect=True)


def test_there_are_twelve_worlds_or_more() -> None:
    assert sorted(EXPECTED) == sorted(folder.name for folder in WORLDS.iterdir())
    assert len(EXPECTED) >= 12


@every
def test_a_declared_world_gets_its_verdict(world: Path) -> None:
    result = judged(world)
    assert answers(result) == EXPECTED[world.name]
    assert told(result) == []
    assert len(result.findings) < FINDINGS.most


@every
def test_without_its_declaration_nothing_is_guessed(world: Path) -> None:
    budget = world / BUDGET
    lines = budget.read_text(encoding="utf-8").splitlines()
    budget.write_text("\n".join(line for line in lines if line.startswith(MACHINE)) + "\n", encoding="utf-8")
    assert {verdict for verdict, _ in answers(judged(world)).values()} <= {"unknown"}


@every
def test_a_declaration_is_short_and_as_fmt_writes_it(world: Path) -> None:
    text = (world / BUDGET).read_text(encoding="utf-8")
    assert format_text(text) == text
    assert len([line for line in text.splitlines() if not line.startswith("#")]) <= LINES


@every
def test_what_a_world_watches_is_sealed_and_a_change_takes_the_verdict(world: Path) -> None:
    watched = [one for run in judged(world).runs for one in run.watched]
    assert {one.seal for one in watched} <= {Seal.FRESH}
    for path in sorted({path for one in watched for path in one.files}):
        before = (world / path).read_text(encoding="utf-8")
        (world / path).write_text(before + "# another day\n", encoding="utf-8")
        result = judged(world)
        assert {verdict for verdict, _ in answers(result).values()} == {"unknown"}
        assert {one.rpartition(" ")[2] for one in told(result)} == {"declaration-stale"}
        (world / path).write_text(before, encoding="utf-8")


READ = [
    ("company-launcher", "job.yaml", "batch: 2", "batch: 512", "job.yaml:7 does-not-fit"),
    ("sbatch-template", "values/llama.yaml", "micro_batch: 1", "micro_batch: 64", "values/llama.yaml:4 does-not-fit"),
    ("kubeflow", "trainjob.yaml", 'value: "4"', 'value: "400"', "trainjob.yaml:16 does-not-fit"),
    ("ray-jobs", "cluster.toml", "rows = 16", "rows = 256", "cluster.toml:6 does-not-fit"),
    ("patched-fork", "sft.yaml", "size: 4", "size: 8", "gpu.budget:4 budget-config-mismatch"),
    ("bazel", "recipes/a.yaml", "size: 1", "size: 256", "recipes/a.yaml:3 does-not-fit"),
]


@pytest.mark.parametrize(("world", "file", "old", "new", "place"), READ, indirect=["world"])
def test_a_change_of_the_foreign_file_is_judged_at_its_own_line(world: Path, file: str, old: str, new: str, place: str) -> None:
    text = (world / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (world / file).write_text(text.replace(old, new), encoding="utf-8")
    assert place in told(judged(world))


def test_the_manual_shows_every_world_as_it_is() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = dict(re.findall(r"^### ([\w-]+).*?^```budget\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    assert shown == {name: (WORLDS / name / BUDGET).read_text(encoding="utf-8") for name in EXPECTED}
