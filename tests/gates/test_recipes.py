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


@pytest.mark.parametrize("broken", [False, True], ids=["fits", "does not fit"])
def test_what_a_branch_changed(recipes, repo, broken: bool) -> None:
    repo("git", "update-ref", "refs/remotes/origin/main", "HEAD")
    repo.write("README.md", "# words\n")
    repo.change("train.yaml", "num_train_epochs: 2", "num_train_epochs: 3")
    if broken:
        repo.change("ds/zero3.json", *TOO_LARGE)
    repo.commit("--no-verify")
    ran = repo("sh", "-c", recipes["In any shell"][1])
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
    shim = executable(tmp_path / "bin" / "sbatch", text)
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


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(
    ("inputs", "code"),
    [({}, 1), ({"paths": "train.yaml ds"}, 0), ({"paths": "other", "options": "--ignore BL1"}, 0), ({"budget": "device 8GiB"}, 1)],
    ids=["everything", "paths", "options", "a budget"],
)
def test_the_gitlab_component(repo, repository: Path, tmp_path: Path, shell: str, inputs: dict[str, str], code: int) -> None:
    head, jobs = yaml.safe_load_all((repository / "docs" / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
    known = {name: one["default"] for name, one in head["spec"]["inputs"].items()} | inputs
    job = jobs["budgetlint"]
    environ = {name: re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: known[found[1]], text) for name, text in job["variables"].items()}
    pip = executable(tmp_path / "bin" / "pip", "#!/bin/sh\nexit 0\n")
    executable(tmp_path / "bin" / "python3", '#!/bin/sh\nmkdir -p "$3/bin" && echo "echo active" >"$3/bin/activate"\n')
    path = f"{pip.parent}:{repo.environ['PATH']}"
    ran = repo(shell, "-ec", "\n".join(job["script"]), PATH=path, TMPDIR=str(tmp_path), **environ)
    assert ran.code == code, ran.out
    assert ran.out.startswith("active\n"), ran.out
    issues = json.loads(repo.read(job["artifacts"]["reports"]["codequality"]))
    assert bool([issue for issue in issues if issue["check_name"] == "does-not-fit"]) is bool(code)
    assert (repo.root / job["artifacts"]["reports"]["junit"]).exists()
