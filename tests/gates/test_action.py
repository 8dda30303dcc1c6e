"""``action.yml``: its steps are run in bash with the environment that GitHub gives them."""

from __future__ import annotations

import json
import re
import shutil
import stat
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAMS = Path(sys.executable).parent
TOO_LARGE = ('"stage": 3', '"stage": 0')


def test_a_project_that_fits_passes(runner) -> None:
    run = runner(paths="train.yaml")
    ran = run.step("check")
    assert ran.code == 0, ran.out
    assert "::error" not in ran.out
    assert run.outputs()["exit-code"] == "0"
    assert "train.yaml" in run.summary.read_text(encoding="utf-8")


def test_a_project_that_does_not_fit_fails(runner, repo) -> None:
    repo.change("ds/zero3.json", *TOO_LARGE)
    run = runner(paths="train.yaml\nds\n")
    ran = run.step("check")
    assert ran.code == 1
    assert re.search(r"^::error file=ds/zero3\.json,line=4,.*does not fit", ran.out, re.MULTILINE)
    assert run.outputs()["exit-code"] == "1"
    sarif = json.loads(Path(run.outputs()["sarif"]).read_text(encoding="utf-8"))
    assert "BL101" in {found["ruleId"] for found in sarif["runs"][0]["results"]}
    assert "does not fit" in Path(run.outputs()["bill"]).read_text(encoding="utf-8")


WHOLE = [
    ("the whole repository", {}, 1),
    ("never fails", {"fail_on": "never"}, 0),
    ("never fails, but for wrong use", {"fail_on": "never", "paths": "no-such.yaml"}, 2),
    ("a folder of its own", {"working_directory": "other", "sarif_file": "found.sarif"}, 1),
    ("an option", {"options": "--ignore=BL1\n", "paths": "other"}, 0),
    ("no verdict", {"working_directory": "ds"}, 0),
    ("no verdict, where one is required", {"working_directory": "ds", "require_verdict": "true"}, 1),
    ("a budget of its own", {"budget": "device 8x 12GiB; reserve 1GiB", "paths": "train.yaml"}, 1),
]


@pytest.mark.parametrize(("inputs", "code"), [row[1:] for row in WHOLE], ids=[row[0] for row in WHOLE])
def test_inputs(runner, repo, inputs: dict[str, str], code: int) -> None:
    if "budget" in inputs:
        (repo.root / "node.budget").unlink()
    run = runner(**inputs)
    ran = run.step("check")
    assert ran.code == code, ran.out
    assert code == 2 or Path(run.outputs()["sarif"]).exists()


def test_an_input_is_never_a_command(runner, repo) -> None:
    run = runner(paths="$(touch pwned)\n; touch pwned", budget='device 8GiB"; touch pwned; "')
    assert run.step("check").code == 2
    assert not (repo.root / "pwned").exists()


def test_scripts_hold_no_expression(action) -> None:
    assert [step["id"] for step in action["runs"]["steps"] if "${{" in step.get("run", "")] == []


@pytest.fixture
def pull_request(repo, tmp_path: Path) -> str:
    """A checkout of a change as actions/checkout makes it, of one commit; returns the base, which only the origin has."""
    repo.write("ds/own.yaml", repo.read("train.yaml").replace("deepspeed: ds/zero3.json\n", ""))
    repo.commit("--no-verify")
    base = repo("git", "rev-parse", "HEAD").out.strip()
    repo.change("train.yaml", "Llama-3.1-8B", "Llama-3.1-70B")
    repo.change("ds/own.yaml", "Llama-3.1-8B", "Llama-3.1-70B")
    repo.commit("--no-verify")
    repo("git", "clone", "-q", "--bare", ".", str(tmp_path / "origin.git"))
    repo("git", "-C", str(tmp_path / "origin.git"), "config", "uploadpack.allowAnySHA1InWant", "true")
    shutil.rmtree(repo.root)
    repo.root.mkdir()
    assert repo("git", "clone", "-q", "--depth=1", f"file://{tmp_path}/origin.git", ".").code == 0
    return base


@pytest.mark.parametrize("folder", [".", "ds"])
def test_the_summary_has_the_bill_before_and_after(runner, repo, pull_request: str, folder: str) -> None:
    run = runner(working_directory=folder, paths="train.yaml" if folder == "." else "own.yaml", compare="false")
    run.known["github.event.pull_request.base.sha"] = pull_request
    ran = run.step("before")
    assert ran.code == 0, ran.out
    assert run.step("check").code == (1 if folder == "." else 0)  # in ds/ no budget names a device
    report, _, change = run.summary.read_text(encoding="utf-8").partition("### What this change costs")
    assert "Llama-3.1-70B" in report
    assert "| `meta-llama/Llama-3.1-8B` | `meta-llama/Llama-3.1-70B` |" in change
    assert ("→ **does not fit**" in change) is (folder == ".")
    assert repo("git", "status", "--porcelain", "--untracked-files=no").out == ""


@pytest.mark.parametrize(
    ("inputs", "code"), [({}, 0), ({"compare": "false"}, 1), ({"only_new": "true"}, 0), ({"only_new": "false"}, 1)], ids=str
)
def test_only_what_a_pull_request_brings_counts(runner, repo, pull_request: str, inputs: dict[str, str], code: int) -> None:
    run = runner(paths="other", **inputs)
    run.known["github.event.pull_request.base.sha"] = pull_request
    said = run.step("before")
    assert ("is called compare" in said.out) is ("only_new" in inputs)
    ran = run.step("check")
    assert ran.code == code, ran.out
    assert "### What this change costs" in run.summary.read_text(encoding="utf-8")


@pytest.mark.parametrize(("compare", "code", "told"), [("true", 2, "::error"), ("false", 0, "::notice")])
def test_a_base_that_cannot_be_had(runner, repo, compare: str, code: int, told: str) -> None:
    """No change is judged by its own gate without a word."""
    run = runner(paths="train.yaml", compare=compare)
    run.known["github.event.pull_request.base.sha"] = "0" * 40
    ran = run.step("before")
    assert (ran.code, told in ran.out) == (code, True)
    if not code:
        assert run.step("check").code == 0
        assert "What this change costs" not in run.summary.read_text(encoding="utf-8")


# -- who judges the judge ------------------------------------------------------------------------------------------------------

PULLS = [
    ("a line that fits", {"train.yaml": ("num_train_epochs: 2", "num_train_epochs: 3")}, {}, 0, ""),
    ("a line that does not", {"ds/zero3.json": TOO_LARGE}, {}, 1, "does not fit"),
    (
        "with a larger card",
        {"ds/zero3.json": TOO_LARGE, "node.budget": ("device 8x a100-80gb", "device 8x b300")},
        {},
        1,
        "loosens the gate",
    ),
    (
        "a larger card, with the label",
        {"train.yaml": ("num_train_epochs: 2", "num_train_epochs: 3"), "node.budget": ("device 8x a100-80gb", "device 8x b300")},
        {"accept_loosening": "true"},
        0,
        "loosens the gate",
    ),
    (
        "a waiver",
        {"ds/zero3.json": TOO_LARGE, "node.budget": ("device", "allow does-not-fit\ndevice")},
        {"policy": "strict"},
        1,
        "does not fit",
    ),
]


@pytest.fixture
def merged(repo, tmp_path: Path):
    """A fresh checkout of the merge commit that GitHub makes of a pull request, of one commit; ``main`` has gone on."""

    def made(edits, shown: str = "HEAD") -> dict[str, str]:
        began = repo("git", "rev-parse", "HEAD").out.strip()
        repo("git", "checkout", "-q", "-b", "theirs")
        for path, edit in edits.items():
            repo.change(path, *edit)
        assert repo.commit("--no-verify").code == 0
        repo("git", "checkout", "-q", "main")
        repo.write("NOTES.txt", "main has gone on\n")
        assert repo.commit("--no-verify").code == 0
        assert repo("git", "merge", "-q", "--no-ff", "-m", "merge", "theirs").code == 0
        known = {"github.sha": repo("git", "rev-parse", shown).out.strip(), "github.event.pull_request.base.sha": began}
        repo("git", "clone", "-q", "--bare", ".", str(tmp_path / "origin.git"))
        repo("git", "-C", str(tmp_path / "origin.git"), "config", "uploadpack.allowAnySHA1InWant", "true")
        shutil.rmtree(repo.root)
        repo.root.mkdir()
        assert repo("git", "clone", "-q", "--depth=1", f"file://{tmp_path}/origin.git", ".").code == 0
        return known

    return made


@pytest.mark.parametrize(("edits", "inputs", "code", "told"), [row[1:] for row in PULLS], ids=[row[0] for row in PULLS])
def test_a_pull_request(runner, repo, merged, edits, inputs: dict[str, str], code: int, told: str) -> None:
    known = merged(edits)
    run = runner(require_verdict="true", **inputs)
    run.known |= known
    assert run.step("before").code == 0
    ran = run.step("check")
    assert ran.code == code, ran.out
    summary = run.summary.read_text(encoding="utf-8")
    assert told in ran.out + summary
    assert summary.startswith("<!-- budgetlint -->\n## budgetlint: ")
    assert "large.yaml" not in ran.out  # it never did fit, and is none of this change's business


def test_the_base_is_that_of_the_merge_commit(runner, repo, merged) -> None:
    """The first parent of the commit that GitHub made; where another one is checked out, its author chose the parents."""
    known = merged({"train.yaml": ("num_train_epochs: 2", "num_train_epochs: 3")})
    parents = re.findall("^parent (.*)$", repo("git", "cat-file", "commit", "HEAD").out, flags=re.MULTILINE)
    for sha, base in ((known["github.sha"], parents[0]), ("f" * 40, known["github.event.pull_request.base.sha"])):
        run = runner()
        run.known |= {**known, "github.sha": sha}
        assert run.step("before").code == 0
        assert run.known["steps.before.outputs.revision"] == base
        shutil.rmtree(run.folder)


def test_an_empty_report_is_no_comment(runner, repo) -> None:
    run = runner(paths="no-such.yaml", comment_bill="true")
    assert run.step("check").code == 2
    assert run.step("comment", PATH=repo.environ["PATH"]).code == 0


COMMENTS = [("", "--method POST repos/a/b/issues/7/comments"), ("99", "--method PATCH repos/a/b/issues/comments/99")]


@pytest.mark.parametrize(("known", "call"), COMMENTS, ids=["the first time", "later"])
def test_one_comment_is_kept(runner, tmp_path: Path, known: str, call: str) -> None:
    program = tmp_path / "bin" / "gh"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\ncase "$*" in *--paginate*) echo "{known}";; esac\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    run = runner(paths="train.yaml", comment_bill="true")
    run.step("check")
    ran = run.step("comment", PATH=f"{program.parent}:{run.repo.environ['PATH']}")
    assert ran.code == 0, ran.out
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert len(calls) == 2
    assert 'select(.user.login == "github-actions[bot]" and (.body | startswith("<!-- budgetlint -->")))' in calls[0]
    assert call in calls[1]
    told = Path(calls[1].partition("body=@")[2]).read_text(encoding="utf-8")
    assert told.startswith("<!-- budgetlint -->\n")
    assert "train.yaml" in told


def test_the_page_names_every_input_and_output(action, repository: Path) -> None:
    page = (repository / "docs" / "ci.md").read_text(encoding="utf-8")
    assert [name for name in (*action["inputs"], *action["outputs"]) if f"`{name}`" not in page] == []


def test_it_installs_itself(runner, published: Path) -> None:
    run = runner()
    run.known["github.action_path"] = str(published)
    ran = run.step("install")
    if ran.code and re.search(r"No matching distribution|Connection|Network|resolve", ran.out):
        pytest.skip(f"no package index can be reached from here: {ran.out.splitlines()[-1]}")
    assert ran.code == 0, ran.out
    program = run.known["steps.install.outputs.program"]
    assert Path(program).is_relative_to(run.folder)
    assert run.repo(program, "check", "train.yaml").code == 0
