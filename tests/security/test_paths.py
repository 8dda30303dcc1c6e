"""A path that the repository names stays inside it, links resolved first; one that the user names may lie anywhere."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

SECRET = "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG"
TRAIN = "model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 1\nnum_train_epochs: 1\noutput_dir: x\nlearning_rate: 2e-5\n"


@dataclass(frozen=True)
class World:
    """A repository, and beside it a folder of the user's that it must not reach."""

    shell: Callable
    root: Path
    home: Path

    def write(self, path: str, text: str) -> Path:
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text)
        return whole

    def link(self, path: str, target: str | Path) -> None:
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.symlink_to(target)

    def before(self) -> dict[str, str]:
        return {str(path.relative_to(self.home)): path.read_text() for path in sorted(self.home.rglob("*")) if path.is_file()}


@pytest.fixture
def world(shell, tmp_path: Path) -> World:
    root, home = tmp_path / "repository", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    home.mkdir()
    (home / "credentials").write_text(f"[default]\n{SECRET}\n")
    (home / "team.budget").write_text(f"device 24GiB # {SECRET}\nnonsense {SECRET}\n")
    (home / "ds.json").write_text('{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 7}')
    (home / "config.json").write_text(json.dumps({"model_type": "qwen2", "hidden_size": SECRET}))
    return World(replace(shell, root=root), root, home)


# -- reading -----------------------------------------------------------------------------------------------------------------

READS: dict[str, Callable[[World], None]] = {
    "a budget that is a link": lambda w: w.link("x.budget", "../home/credentials"),
    "a budget that is a link, absolute": lambda w: w.link("x.budget", w.home / "credentials"),
    "a link over a link": lambda w: (w.link("a.budget", "b.lnk"), w.link("b.lnk", "../home/credentials")),
    "an include that is a link": lambda w: (w.link("team.budget", "../home/credentials"), w.write("b.budget", 'include "team.budget"\n')),
    "an include below a linked folder": lambda w: (w.link("shared", "../home"), w.write("b.budget", 'include "shared/team.budget"\n')),
    "an include above": lambda w: w.write("b.budget", 'include "../home/team.budget"\n'),
    "a config that is a link": lambda w: w.link("train.yaml", "../home/credentials"),
    "a config of a budget above": lambda w: w.write("b.budget", "device 24GiB\nconfig ../home/credentials\n"),
    "a config of a budget, absolute": lambda w: w.write("b.budget", f'device 24GiB\nconfig "{w.home}/credentials"\n'),
    "a glob of a budget above": lambda w: w.write("b.budget", "device 24GiB\nconfig ../home/*\n"),
    "a glob below a linked folder": lambda w: (w.link("shared", "../home"), w.write("b.budget", "device 24GiB\nconfig shared/*\n")),
    "a model's config.json above": lambda w: w.write("b.budget", 'device 24GiB\nmodel "../home/config.json"\n'),
    "an engine's file": lambda w: w.write("t.yaml", f"{TRAIN}deepspeed: ../home/team.budget\n"),
    "an engine's file below a linked folder": lambda w: (w.link("ds", "../home"), w.write("t.yaml", f"{TRAIN}deepspeed: ds/team.budget\n")),
    "a script's config": lambda w: w.write("run.sh", f"accelerate launch --config_file {w.home}/credentials train.py\n"),
    "a script that is a link": lambda w: w.link("run.sh", "../home/credentials"),
    "a settings file that is a link": lambda w: w.link("pyproject.toml", "../home/credentials"),
    "a baseline that is a link": lambda w: (
        w.link("known.json", "../home/credentials"),
        w.write("pyproject.toml", '[tool.budgetlint]\nbaseline = "known.json"\n'),
    ),
    "requirements that are a link": lambda w: (w.link("requirements.txt", "../home/credentials"), w.write("t.yaml", TRAIN)),
    "a lock that is a link": lambda w: (w.link("budget.lock", "../home/credentials"), w.write("b.budget", "device 24GiB\n")),
    "a folder that is a link": lambda w: w.link("configs", "../home"),
}


@pytest.mark.parametrize("lay", READS.values(), ids=READS)
@pytest.mark.parametrize(
    "words", [("check", "--info"), ("check", "--format", "sarif"), ("files",), ("estimate",), ("solve",)], ids=" ".join
)
def test_nothing_outside_is_read(world: World, lay: Callable[[World], None], words: tuple[str, ...]) -> None:
    lay(world)
    ran = world.shell(*words)
    assert "wJalr" not in ran.out + ran.err
    assert "Traceback" not in ran.err
    if words[0] == "check":
        assert "budgetlint.internal" not in ran.out and "BL998" not in ran.out


@pytest.mark.parametrize("lay", [READS[name] for name in ("a budget that is a link", "a script that is a link", "a folder that is a link")])
def test_a_link_that_leads_out_is_passed_over_with_a_word(world: World, lay: Callable[[World], None]) -> None:
    lay(world)
    assert "leads out of the project); name one on the command line to check it." in world.shell("check").last


def test_a_link_that_a_hook_names_is_refused(world: World) -> None:
    """A hook hands over the names that git knows."""
    world.link("x.budget", "../home/team.budget")
    ran = world.shell("check", "x.budget")
    assert ran.code == 1
    assert "x.budget leads out of the project" in ran.out
    assert world.shell("fmt", "x.budget").code == 2


def test_what_leads_out_is_named_where_it_stands(world: World) -> None:
    world.write("t.yaml", TRAIN + "deepspeed: ../home/ds.json\n")
    world.write("b.budget", "device 24GiB\nconfig ../home/train.yaml\n")
    (world.home / "train.yaml").write_text(TRAIN)
    told = world.shell("check", "--info", "--format", "concise").out
    assert "t.yaml:6:12: info BL913" in told and "../home/ds.json leads out of the project" in told
    assert "b.budget:2:8: error BL914" in told and "config ../home/train.yaml leads out of the project" in told


def test_an_include_that_leads_out_is_an_error(world: World) -> None:
    world.write("sub/b.budget", "device 24GiB\n")
    world.write("sub/a.budget", 'include "../../home/team.budget"\n')
    told = world.shell("check", "--format", "concise").out
    assert "sub/a.budget:1:9: error BL009 bad-include: '../../home/team.budget' leads out of the project" in told


def test_an_include_above_the_working_directory_but_in_the_checkout(world: World) -> None:
    world.write("team.budget", "device 24GiB\n")
    world.write("sub/a.budget", 'include "../team.budget"\nmodel qwen2.5-0.5b; lora r=8; batch 1; seq 128\n')
    ran = replace(world.shell, root=world.root / "sub")("check")
    assert (ran.code, "1 run judged: 1 fits." in ran.out) == (0, True), ran.out


def test_the_user_may_name_what_lies_anywhere(world: World) -> None:
    (world.home / "project").mkdir()
    (world.home / "project" / "a.budget").write_text('include "b.budget"\nmodel qwen2.5-0.5b; lora r=8; batch 1; seq 128\n')
    (world.home / "project" / "b.budget").write_text("device 24GiB\n")
    for path in ("../home/project", str(world.home / "project"), "../home/project/a.budget"):
        ran = world.shell("check", path)
        assert (ran.code, "1 run judged: 1 fits." in ran.out) == (0, True), ran.out


def test_links_inside_the_project_are_followed(world: World) -> None:
    world.write("shared/ds.json", '{"zero_optimization": {"stage": 3}}')
    world.link("ds", "shared")
    world.write("t.yaml", TRAIN + "deepspeed: ds/ds.json\n")
    assert "BL913" not in world.shell("check", "--info").out


# -- writing -----------------------------------------------------------------------------------------------------------------

UNFIXED = TRAIN + "fp16: false\nfp16: false\n"
WRITES: dict[str, tuple[Callable[[World], None], tuple[str, ...]]] = {
    "a report, below a linked folder": (lambda w: w.link("out", "../home"), ("check", "--format", "json=out/r.json")),
    "a fix": (lambda w: w.link("t.yaml", "../home/t.yaml"), ("check", "--fix", "t.yaml")),
    "a budget that is formatted": (lambda w: w.link("t.budget", "../home/team.budget"), ("fmt", "t.budget")),
    "a baseline of the settings above": (
        lambda w: w.write("pyproject.toml", '[tool.budgetlint]\nbaseline = "../home/known.json"\n'),
        ("check",),
    ),
    "a baseline of the settings, absolute": (
        lambda w: w.write("pyproject.toml", f'[tool.budgetlint]\nbaseline = "{w.home}/known.json"\n'),
        ("check",),
    ),
    "a baseline at a link": (lambda w: w.link("known.json", "../home/known.json"), ("check", "--baseline", "known.json")),
    "a baseline that shrinks": (
        lambda w: ((w.home / "old.json").write_text('{"version": 1, "findings": []}'), w.link("known.json", "../home/old.json")),
        ("check", "--baseline", "known.json"),
    ),
    "a first budget": (lambda w: w.link("training.budget", "../home/new.budget"), ("init",)),
    "a hook": (lambda w: w.link(".pre-commit-config.yaml", "../home/hook.yaml"), ("init", "--hook")),
    "a CI step below a linked folder": (lambda w: w.link(".github", "../home"), ("init", "--ci")),
    "a remedy": (
        lambda w: (w.link("t.yaml", "../home/t.yaml"), w.write("b.budget", "device t4; seq 32768; batch 64\n")),
        ("solve", "t.yaml", "--apply", "1"),
    ),
}


@pytest.mark.parametrize(("lay", "words"), WRITES.values(), ids=WRITES)
def test_nothing_outside_is_written(world: World, lay: Callable[[World], None], words: tuple[str, ...]) -> None:
    (world.home / "t.yaml").write_text(UNFIXED)
    lay(world)
    before = world.before()
    ran = world.shell(*words)
    assert world.before() == before
    assert ran.code == 2 or (words[0] == "check" and "--fix" in words and ran.code == 1), (ran.out, ran.err)
    assert "Traceback" not in ran.err
    assert not any(path.name.endswith(".tmp") for path in world.root.rglob("*"))


@pytest.mark.parametrize("target", ["../home/credentials", "../home/new.json", "/proc/self/mem"])
def test_a_report_takes_the_place_of_a_link_that_leads_out(world: World, target: str) -> None:
    world.link("r.json", target)
    before = world.before()
    assert world.shell("check", "--format", "json=r.json").code == 0
    assert world.before() == before
    assert not (world.root / "r.json").is_symlink() and (world.root / "r.json").read_text().startswith("{")


def test_a_report_goes_where_the_user_says(world: World) -> None:
    world.write("b.budget", "device 24GiB\n")
    (world.home / "link.json").symlink_to("real.json")
    for path, real in (("../home/r.json", "r.json"), (str(world.home / "s.json"), "s.json"), ("../home/link.json", "real.json")):
        assert world.shell("check", "--format", f"json={path}").code == 0
        assert (world.home / real).read_text().startswith("{")
    assert (world.home / "link.json").is_symlink()


def test_a_report_into_a_pipe(world: World) -> None:
    world.write("b.budget", "device 24GiB\n")
    reading, writing = os.pipe()
    with os.fdopen(reading) as pipe:
        assert world.shell("check", "--format", f"concise=/dev/fd/{writing}").code == 0
        os.close(writing)
        assert "No problem" in pipe.read()
