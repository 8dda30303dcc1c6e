"""The recipes of ``docs/ci.md`` and the GitLab component, run as they are printed."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

pytestmark = pytest.mark.slow

TOO_LARGE = ('"stage": 3', '"stage": 0')


@pytest.fixture(scope="module")
def recipes(repository: Path) -> dict[str, list[str]]:
    """The shell blocks of the page under the heading that they stand below."""
    page = (repository / "docs" / "ci.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    return {text.partition("\n")[0]: re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for text in sections}


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("broken", [False, True], ids=["fits", "does not fit"])
def test_the_whole_repository(recipes, repo, broken: bool) -> None:
    repo("git", "rm", "-qr", "other")
    if broken:
        repo.change("ds/zero3.json", *TOO_LARGE)
    ran = repo("sh", "-c", recipes["In any shell"][0])
    assert ran.code == broken, ran.out
    assert ("does not fit" in ran.out) is broken
    assert len(json.loads(repo.read("budgetlint.sarif"))["runs"]) == 1
    assert ElementTree.parse(repo.root / "budgetlint.xml").getroot().tag == "testsuites"


CARD = ("device 8x a100-80gb", "device 8x b300")
EPOCHS = ("num_train_epochs: 2", "num_train_epochs: 3")

# what a branch changes, whether an owner agrees, exit code
BRANCHES = [
    ("fits", {"train.yaml": EPOCHS}, False, 0),
    ("does not fit", {"ds/zero3.json": TOO_LARGE}, False, 1),
    ("does not fit, on a larger card of its own", {"ds/zero3.json": TOO_LARGE, "node.budget": CARD}, False, 1),
    ("a larger card", {"train.yaml": EPOCHS, "node.budget": CARD}, False, 1),
    ("a larger card, and an owner agrees", {"train.yaml": EPOCHS, "node.budget": CARD}, True, 0),
]
BRANCH = pytest.mark.parametrize(("edits", "accepted", "code"), [row[1:] for row in BRANCHES], ids=[row[0] for row in BRANCHES])


@BRANCH
def test_what_a_branch_brings(recipes, cloned, edits, accepted: bool, code: int) -> None:
    clone = cloned(edits)
    ran = clone("sh", "-c", recipes["In any shell"][1], **({"ACCEPTED": "yes"} if accepted else {}))
    assert ran.code == code, ran.out
    assert ("loosens the gate" in ran.out) is ("node.budget" in edits)
    assert "large.yaml" not in ran.out


@pytest.mark.parametrize("broken", [False, True], ids=["fits", "does not fit"])
def test_the_runs_of_what_a_branch_changed(recipes, cloned, broken: bool) -> None:
    clone = cloned({"ds/zero3.json": TOO_LARGE} if broken else {"train.yaml": EPOCHS})
    ran = clone("sh", "-c", recipes["In any shell"][2])
    assert (ran.code != 0) is broken, ran.out
    assert "large.yaml" not in ran.out


JOBS = [
    ("a job that fits", "train.slurm", "", {}, True),
    ("a job that does not", "train.slurm", "does not fit", {}, False),
    ("a job that does not, and must", "train.slurm", "", {"BUDGETLINT_SKIP": "1"}, True),
    ("a job that trains nothing", "prepare.slurm", "", {}, True),
    ("a command in place of a job", "--wrap=hostname", "", {}, True),
]


@pytest.mark.parametrize(("job", "told", "environ", "submitted"), [row[1:] for row in JOBS], ids=[row[0] for row in JOBS])
def test_the_submit_filter(recipes, repo, tmp_path: Path, job: str, told: str, environ: dict[str, str], submitted: bool) -> None:
    (text,) = recipes["At the cluster's door"]
    shim = executable(tmp_path / "bin" / "sbatch", text.replace("/etc/budgetlint", str(tmp_path)))
    real = executable(tmp_path / "real" / "sbatch", '#!/bin/sh\necho "Submitted: $*"\n')
    head = "#!/bin/bash\n#SBATCH --gres=gpu:a100:8\n"
    repo.write("train.slurm", head + "srun torchrun --nproc_per_node 8 examples/pytorch/language-modeling/run_clm.py train.yaml\n")
    repo.write("prepare.slurm", head + "tar xf data.tar\n")
    if told or environ:
        repo.change("ds/zero3.json", *TOO_LARGE)
    ran = repo(str(shim), "-p", "gpu", "--job-name", "x", job, REAL_SBATCH=str(real), **environ)
    assert ran.code == (0 if submitted else 1), ran.out
    assert (f"Submitted: -p gpu --job-name x {job}" in ran.out) is submitted
    assert told in ran.out
    assert ("not submitted" in ran.out) is not submitted


WAIVED = ("config train.yaml", 'config train.yaml\nallow does-not-fit reason="we know"')


@pytest.mark.parametrize(
    ("policy", "submitted"),
    [(None, False), ("version = 1\n", True), ("version = 1\n[waivers]\nallowed = false\n", False), ("not a policy", False)],
    ids=["none is strict", "one that lets waivers count", "one that does not", "a mistake in it"],
)
def test_the_policy_of_the_cluster(recipes, cloned, tmp_path: Path, policy: str | None, submitted: bool) -> None:
    """Whether a waiver of the user's repository counts is for the cluster's owners to say."""
    clone = cloned({"ds/zero3.json": TOO_LARGE, "node.budget": WAIVED})
    shim = executable(tmp_path / "bin" / "sbatch", recipes["At the cluster's door"][0].replace("/etc/budgetlint", str(tmp_path)))
    real = executable(tmp_path / "real" / "sbatch", '#!/bin/sh\necho "Submitted: $*"\n')
    if policy is not None:
        (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    clone.write("t.slurm", "#!/bin/bash\n#SBATCH --gres=gpu:a100:8\nsrun torchrun --nproc_per_node 8 run_clm.py train.yaml\n")
    ran = clone(str(shim), "t.slurm", REAL_SBATCH=str(real))
    assert (ran.code == 0) is submitted, ran.out
    assert ("Submitted: t.slurm" in ran.out) is submitted


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(
    ("inputs", "code"),
    [({}, 1), ({"paths": "train.yaml ds"}, 0), ({"paths": "other", "options": "--ignore BL1"}, 0), ({"budget": "device 8GiB"}, 1)],
    ids=["everything", "paths", "options", "a budget"],
)
def test_the_gitlab_component(repo, repository: Path, tmp_path: Path, shell: str, inputs: dict[str, str], code: int) -> None:
    ran, job = in_gitlab(repo, repository, tmp_path, shell, inputs)
    assert ran.code == code, ran.out
    assert ran.out.startswith("active\n"), ran.out
    issues = json.loads(repo.read(job["artifacts"]["reports"]["codequality"]))
    assert bool([issue for issue in issues if issue["check_name"] == "does-not-fit"]) is bool(code)
    assert (repo.root / job["artifacts"]["reports"]["junit"]).exists()


@BRANCH
def test_a_merge_request(cloned, repository: Path, tmp_path: Path, edits, accepted: bool, code: int) -> None:
    clone = cloned(edits)
    base = clone("git", "rev-parse", "origin/main").out.strip()
    labels = "bug,budgetlint::accept,more" if accepted else "bug,budgetlint::accepted"
    ran, _ = in_gitlab(clone, repository, tmp_path, "sh", {}, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, CI_MERGE_REQUEST_LABELS=labels)
    assert ran.code == code, ran.out
    assert "large.yaml" not in ran.out
    assert clone.read("budgetlint.md").startswith("<!-- budgetlint -->\n")


@pytest.mark.parametrize(("label", "labels"), [("", ""), ("", "bug"), ("bug", "bugs"), ("a,b", "a")])
def test_no_label_is_not_the_label(cloned, repository: Path, tmp_path: Path, label: str, labels: str) -> None:
    clone = cloned({"train.yaml": EPOCHS, "node.budget": CARD})
    base = clone("git", "rev-parse", "origin/main").out.strip()
    given = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_MERGE_REQUEST_LABELS": labels}
    assert in_gitlab(clone, repository, tmp_path, "sh", {"accept-label": label}, **given)[0].code == 1


@pytest.mark.parametrize(
    ("inputs", "code"),
    [({"policy": "strict"}, 0), ({"policy": "none.toml"}, 2), ({"require-verdict": "true"}, 0), ({"compare": "false"}, 1)],
    ids=str,
)
def test_inputs_of_the_gitlab_component(cloned, repository: Path, tmp_path: Path, inputs: dict[str, str], code: int) -> None:
    clone = cloned({"train.yaml": EPOCHS})
    base = clone("git", "rev-parse", "origin/main").out.strip()
    assert in_gitlab(clone, repository, tmp_path, "sh", inputs, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)[0].code == code


def in_gitlab(repo, repository: Path, tmp_path: Path, shell: str, inputs: dict[str, str], **given: str):
    """The component as a runner runs it: inputs filled in, the script in one shell that stops at the first failure."""
    head, jobs = yaml.safe_load_all((repository / "docs" / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
    known = {name: one["default"] for name, one in head["spec"]["inputs"].items()} | inputs
    job = jobs["budgetlint"]
    environ = {
        name: re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda found: known[found[1]], text) for name, text in job["variables"].items()
    }
    pip = executable(tmp_path / "bin" / "pip", "#!/bin/sh\nexit 0\n")
    executable(tmp_path / "bin" / "python3", '#!/bin/sh\nmkdir -p "$3/bin" && echo "echo active" >"$3/bin/activate"\n')
    path = f"{pip.parent}:{repo.environ['PATH']}"
    return repo(shell, "-ec", "\n".join(job["script"]), PATH=path, TMPDIR=str(tmp_path), **environ, **given), job
