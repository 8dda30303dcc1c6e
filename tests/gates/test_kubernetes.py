"""``docs/ci/kubernetes.py`` and the recipes around it, against a stand-in of kubectl that keeps objects as files."""

from __future__ import annotations

import json
import stat
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.gates.test_recipes import TOO_LARGE, recipes  # noqa: F401 the fixture

pytestmark = pytest.mark.slow

A100, T4 = "NVIDIA-A100-SXM4-80GB", "Tesla-T4"
COMMAND = ["torchrun", "--nproc_per_node", "8", "examples/pytorch/language-modeling/run_clm.py", "train.yaml"]
STRICT = "version = 1\nsettings = []\nlevels = false\n[waivers]\nallowed = false\n"


def pod(product: str = A100, gpus: int = 8, command: list[str] = COMMAND) -> dict[str, Any]:
    train = {
        "name": "train",
        "image": "x",
        "command": command[:1],
        "args": command[1:],
        "resources": {"limits": {"nvidia.com/gpu": str(gpus)}},
    }
    side = {"name": "logs", "image": "x", "command": ["sh", "-c", "tail -f log"]}
    return {"nodeSelector": {"nvidia.com/gpu.product": product} if product else {}, "containers": [side, train]}


def job(spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sft"}, "spec": {**more, "template": {"spec": spec}}}


def workload(spec: dict[str, Any], flavor: str = "", state: str = "Pending", count: int = 1) -> dict[str, Any]:
    status: dict[str, Any] = {"admissionChecks": [{"name": "other", "state": "Ready"}, {"name": "budgetlint", "state": state}]}
    if flavor:
        status["admission"] = {"podSetAssignments": [{"name": "main", "flavors": {"nvidia.com/gpu": flavor}}]}
    sets = [{"name": "main", "count": count, "template": {"spec": spec}}]
    return {"kind": "Workload", "metadata": {"name": "sft", "namespace": "ml"}, "spec": {"podSets": sets}, "status": status}


def group(**replicas: int) -> dict[str, Any]:
    specs = {name: {"replicas": count, "template": {"spec": pod()}} for name, count in replicas.items()}
    return {"kind": "PyTorchJob", "metadata": {"name": "sft"}, "spec": {"pytorchReplicaSpecs": specs}}


@pytest.fixture
def script(repository: Path) -> str:
    return str(repository / "docs" / "ci" / "kubernetes.py")


@pytest.fixture
def judge(cloned, script: str, tmp_path: Path):
    """Runs the script in a fresh clone on some objects."""

    def judged(*objects: Any, edits=None, options=("--require-verdict",), policy: str = STRICT):
        clone = cloned(edits or {})
        place = tmp_path / "policy.toml"
        place.write_text(policy, encoding="utf-8")
        (tmp_path / "objects.json").write_text("\n".join(map(json.dumps, objects)), encoding="utf-8")
        words = f"{sys.executable} {script} --policy {place} {' '.join(options)} < {tmp_path / 'objects.json'}"
        return clone("sh", "-c", words)

    return judged


LARGE = {"ds/zero3.json": TOO_LARGE}
FOUR = {"node.budget": ("host 1TiB", "nodes 4\nhost 1TiB")}
# objects, the change of the clone, exit code, what is told
OBJECTS: dict[str, tuple[Any, dict[str, tuple[str, str]], int, str]] = {
    "a job that fits": (job(pod()), {}, 0, "device 8x NVIDIA-A100-SXM4-80GB; nodes 1"),
    "a job that does not": (job(pod()), LARGE, 1, "does not fit"),
    "on a card that the budget does not name": (job(pod(T4)), {}, 1, "does not fit"),
    "a budget of its own changes nothing": (job(pod(T4)), {"node.budget": ("device 8x a100-80gb", "device 8x b300")}, 1, "does not fit"),
    "a waiver of its own changes nothing": (
        job(pod()), {**LARGE, "node.budget": ("config train.yaml", "config train.yaml\nallow does-not-fit")}, 1, "does not fit",
    ),
    "no card is named: that of the budget": (job(pod("")), {}, 0, "container train:"),
    "indexed pods are one run": (job(pod(), completionMode="Indexed", parallelism=4), FOUR, 0, "nodes 4"),
    "pods that know nothing of each other": (job(pod(), parallelism=4), {}, 0, "nodes 1"),
    "replicas of a group": (group(master=1, worker=3), FOUR, 0, "nodes 4"),
    "a pod": ({"kind": "Pod", "metadata": {"name": "p"}, "spec": pod()}, {}, 0, "Pod/p, container train"),
    "a list": ({"kind": "List", "items": [job(pod()), job(pod(T4))]}, {}, 1, "Tesla-T4"),
    "under review": ({"kind": "AdmissionReview", "request": {"object": job(pod(T4))}}, {}, 1, "does not fit"),
    "a workload": (workload(pod(), count=4), FOUR, 0, "nodes 4"),
    "nothing that trains": (job(pod(command=["python", "-c", "print(1)"])), {}, 1, "No run was judged"),
    "no GPU": (job({"containers": [{"name": "x", "command": ["true"]}]}), {}, 0, "no container asks for a GPU"),
    "a command that stands in the image": (job(pod(command=[])), {}, 2, "write the command into the object"),
    "a label that is more than a card": (job(pod("t4; allow BL1")), {}, 2, "these name no card"),
    "a card that nobody knows": (job(pod("NVIDIA-NONE")), {}, 2, "is no card that is known"),
    "no object": ([], {}, 2, "not judged"),
}  # fmt: skip


@pytest.mark.parametrize(("thing", "edits", "code", "told"), OBJECTS.values(), ids=OBJECTS)
def test_objects(judge, thing, edits, code: int, told: str) -> None:
    ran = judge(deepcopy(thing), edits=edits)
    assert (ran.code, told in ran.out) == (code, True), ran.out


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        (STRICT, 0),
        ('version = 1\nbudget = "assert learning_rate <= 5e-6"\n', 1),
        ("version = 1\nbudget = 'assert learning_rate <= 5e-6'\n", 2),
        ("version = 1\nno such key\n", 2),
    ],
    ids=["none of its own", "the owners' asserts hold beside it", "one that cannot be joined", "a mistake"],
)
def test_the_machine_joins_the_policy(judge, policy: str, code: int) -> None:
    ran = judge(job(pod()), policy=policy)
    assert ran.code == code, ran.out


KUBECTL = """\
#!{python}
import json, pathlib, sys
folder, words = pathlib.Path({folder!r}), sys.argv[1:]
with (folder / "calls").open("a") as calls:
    calls.write(json.dumps(words) + "\\n")
if words[:1] == ["get"]:
    print((folder / f"{{words[1]}}.json").read_text())
elif "--dry-run=client" in words:
    print(pathlib.Path(words[-1]).read_text())
elif words[:1] == ["create"]:
    print("created", json.load(sys.stdin)["metadata"]["name"])
"""


@pytest.fixture
def kubectl(tmp_path: Path) -> Path:
    """A folder with a kubectl that answers with the files beside it, and notes how it was called."""
    place = tmp_path / "kubectl" / "kubectl"
    place.parent.mkdir()
    place.write_text(KUBECTL.format(python=sys.executable, folder=str(place.parent)), encoding="utf-8")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)
    return place.parent


def calls(kubectl: Path) -> list[list[str]]:
    return [json.loads(line) for line in (kubectl / "calls").read_text(encoding="utf-8").splitlines()]


def as_printed(text: str, script: str, policy: Path) -> str:
    text = text.replace("/usr/local/lib/budgetlint/kubernetes.py", script).replace("python3", sys.executable)
    return text.replace("/etc/budgetlint/policy.toml", str(policy))


@pytest.mark.parametrize(("product", "code"), [(A100, 0), (T4, 1)])
def test_kubectl_train(recipes, cloned, kubectl: Path, script: str, tmp_path: Path, product: str, code: int) -> None:  # noqa: F811
    (tmp_path / "policy.toml").write_text(STRICT, encoding="utf-8")
    clone = cloned({})
    clone.write("job.json", json.dumps(job(pod(product))))
    (text,) = recipes["On Kubernetes"]
    path = f"{kubectl}:{clone.environ['PATH']}"
    ran = clone("sh", "-c", as_printed(text, script, tmp_path / "policy.toml"), "kubectl-train", "-f", "job.json", PATH=path)
    assert ran.code == code, ran.out
    assert ("created sft" in ran.out, "kubectl train: not created" in ran.out) == (code == 0, code != 0)


@pytest.mark.parametrize(
    ("waiting", "states", "code"),
    [
        ([workload(pod())], ["Ready"], 0),
        ([workload(pod(T4))], ["Rejected"], 0),
        ([workload(pod(""), flavor="small")], ["Rejected"], 0),
        ([workload(pod(""), flavor="large")], ["Ready"], 0),
        ([workload(pod(command=[]))], ["Pending"], 2),
        ([workload(pod(T4), state="Ready"), workload(pod())], ["Ready"], 0),
        ([], [], 0),
    ],
    ids=["fits", "does not", "not on its flavor", "on its flavor", "cannot be judged", "one that does not wait", "nothing waits"],
)
def test_a_round_of_kueue(recipes, cloned, kubectl: Path, script: str, tmp_path: Path, waiting, states: list[str], code: int) -> None:  # noqa: F811
    (tmp_path / "policy.toml").write_text(STRICT, encoding="utf-8")
    flavors = [
        {"metadata": {"name": name}, "spec": {"nodeLabels": {"nvidia.com/gpu.product": card}}}
        for name, card in (("small", T4), ("large", A100))
    ]
    for name, items in (("resourceflavors", flavors), ("workloads", waiting)):
        (kubectl / f"{name}.kueue.x-k8s.io.json").write_text(json.dumps({"kind": "List", "items": items}), encoding="utf-8")
    clone = cloned({})
    (text,) = recipes["In a Kueue queue"]
    ran = clone("sh", "-c", as_printed(text, script, tmp_path / "policy.toml"), PATH=f"{kubectl}:{clone.environ['PATH']}")
    assert ran.code == code, ran.out
    active, *rest = calls(kubectl)
    assert json.loads(active[-1])["status"]["conditions"][0]["status"] == "True"
    told = [json.loads(call[-1])["status"]["admissionChecks"] for call in rest if call[0] == "patch"]
    assert [[one["state"] for one in checks if one["name"] == "budgetlint"] for checks in told] == [[state] for state in states]
    assert all({"name": "other", "state": "Ready"} in checks for checks in told)
