"""Judges what a Kubernetes object would run, on the cards that it asks for, before it is created or admitted.

    kubectl create --dry-run=client -o json -f job.yaml | python3 kubernetes.py --policy /etc/budgetlint/policy.toml
    python3 kubernetes.py --kueue budgetlint --policy /etc/budgetlint/policy.toml

Run it in a checkout of what the image was built from: there lie the configs that the command names. Each container that asks for GPUs
becomes ``budgetlint check OPTIONS -- COMMAND`` on the machine that it asks for (``device 8x NAME; nodes 2``); the others pass. That machine
is added to the policy, so that it binds whatever a budget in the checkout says. The name of the card stands in a node selector, or comes
from the flavor that Kueue has assigned; where it is not known, the budgets of the policy or the checkout name the machine. Exit codes are
those of budgetlint: 0 clean, 1 findings, 2 what could not be judged, and both refuse.

With ``--kueue NAME`` every workload that waits for the admission check NAME is judged once, and told Ready or Rejected in its status; one
that could not be judged waits on. Call it again and again, by a CronJob or a loop.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

PROGRAM = os.environ.get("BUDGETLINT", "budgetlint")
KUBECTL = os.environ.get("KUBECTL", "kubectl")
GPUS = ("nvidia.com/gpu", "amd.com/gpu")
PRODUCTS = ("nvidia.com/gpu.product", "cloud.google.com/gke-accelerator", "k8s.amazonaws.com/accelerator", "amd.com/gpu.product-name")
LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
"""What the value of a label may be (Kubernetes, "Labels and Selectors"): it becomes part of a budget, and nothing else."""
MOST_WORDS = 30_000
"""Characters of a message: Kueue takes 32,768 (``AdmissionCheckState``)."""


class Refused(Exception):
    """What cannot be judged, and why."""


STRICT = "settings = []\nlevels = false\nmeasured = false\n[waivers]\nallowed = false\n"
"""``--policy strict`` as a file (docs/policy.md)."""
BUDGET = re.compile(r'^budget[ \t]*=[ \t]*"([^"\\\n]*)"[^\n]*\n?', re.MULTILINE)
TABLE = re.compile(r"^\[", re.MULTILINE)


class PodSet(NamedTuple):
    """Pods that are alike: ``flavors`` gives the name of what Kueue assigned for a resource."""

    name: str
    size: int
    spec: Mapping[str, Any]
    flavors: Mapping[str, str]


def pod_sets(thing: Any) -> Iterator[PodSet]:
    """Of a Workload those that it names; of any other object every pod that it holds, as often as its replicas say."""
    spec = thing.get("spec") or {}
    if thing.get("kind") == "Workload":
        admission = (thing.get("status") or {}).get("admission") or {}
        flavors = {one["name"]: one.get("flavors") or {} for one in admission.get("podSetAssignments") or []}
        for one in spec.get("podSets") or []:
            yield PodSet(one["name"], int(one.get("count", 1)), one["template"]["spec"], flavors.get(one["name"], {}))
    else:
        yield from _below(spec, thing.get("kind", "object"), 1)


def _below(node: Any, name: str, count: int) -> Iterator[PodSet]:
    if isinstance(node, Mapping):
        if isinstance(node.get("containers"), Sequence):
            yield PodSet(name, count, node, {})
            return
        own = int(node.get("replicas") or 1)
        if node.get("completionMode") == "Indexed":  # else the pods of a Job know nothing of each other
            own *= int(node.get("parallelism") or 1)
        for key, value in node.items():
            yield from _below(value, name if key in ("spec", "template") else key, count * own)
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for value in node:
            yield from _below(value, value.get("name", name) if isinstance(value, Mapping) else name, count)


def gpus_of(container: Mapping[str, Any]) -> tuple[str, int]:
    resources = container.get("resources") or {}
    for bound in ("limits", "requests"):
        for name in GPUS:
            count = (resources.get(bound) or {}).get(name)
            if count is not None and int(count) > 0:
                return name, int(count)
    return "", 0


def product_of(pods: PodSet, resource: str, labels: Mapping[str, Mapping[str, str]]) -> str:
    selected = {**(pods.spec.get("nodeSelector") or {}), **labels.get(pods.flavors.get(resource, ""), {})}
    found = {selected[name] for name in PRODUCTS if name in selected}
    if len(found) > 1 or not all(LABEL.fullmatch(one) for one in found):
        raise Refused(f"{pods.name}: these name no card: {', '.join(sorted(found))}")
    return found.pop() if found else ""


def commands(thing: Any, labels: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str, list[str]]]:
    """Of each container that asks for GPUs: where it stands, its budget (empty where its card is not known), its command."""
    sets = list(pod_sets(thing))
    asking = [(pods, one) for pods in sets for one in pods.spec["containers"] if gpus_of(one)[1] and pods.size]
    nodes = sum(pods.size for pods in {pods.name: pods for pods, _ in asking}.values())  # a master and its workers train together
    for pods, container in asking:
        resource, count = gpus_of(container)
        words = [str(word) for word in (*(container.get("command") or ()), *(container.get("args") or ()))]
        where = f"{thing.get('kind', 'object')}/{(thing.get('metadata') or {}).get('name', '')}, container {container.get('name', '')}"
        if not words:
            raise Refused(f"{where}: its image says what it runs: write the command into the object")
        product = product_of(pods, resource, labels)
        yield where, f"device {count}x {product}; nodes {nodes}" if product else "", words


@contextmanager
def on_machine(options: Sequence[str], budget: str) -> Iterator[list[str]]:
    """The options with a policy that names the machine, beside what the owners' policy says."""
    if not budget:
        yield list(options)
        return
    text, rest = policy_of(options)
    top = TABLE.split(text, maxsplit=1)[0]
    said = BUDGET.search(top)
    if said is None and re.search(r"^budget\b", top, re.MULTILINE):
        raise Refused("the budget of the policy is to stand on one line, between double quotes")
    if said is not None:
        text, budget = text[: said.start()] + text[said.end() :], f"{budget}; {said[1]}"
    version = "" if re.search(r"^version\b", top, re.MULTILINE) else "version = 1\n"
    with TemporaryDirectory() as folder:
        place = Path(folder, "policy.toml")
        place.write_text(f'budget = "{budget}"\n{version}{text}', encoding="utf-8")
        yield [*rest, "--policy", str(place)]


def policy_of(options: Sequence[str]) -> tuple[str, list[str]]:
    """The text of the policy that the options name, and the other options."""
    rest, name, words = [], "", iter(options)
    for word in words:
        if word == "--policy":
            name = next(words, "")
        elif word.startswith("--policy="):
            name = word.partition("=")[2]
        else:
            rest.append(word)
    if name and name != "strict" and not Path(name).is_file():
        raise Refused(f"--policy {name}: name the file of the policy")
    return STRICT if name == "strict" else Path(name).read_text(encoding="utf-8") if name else "", rest


def judged(thing: Any, options: Sequence[str], labels: Mapping[str, Mapping[str, str]]) -> tuple[int, str]:
    """The worst exit code, and everything that was said."""
    codes, told = [0], []
    try:
        for where, budget, words in commands(thing, labels):
            with on_machine(options, budget) as given:
                ran = subprocess.run([PROGRAM, "check", *given, "--", *words], capture_output=True, text=True, check=False)
            codes.append(ran.returncode if ran.returncode in (0, 1) else 2)
            told.append(f"{where}{f' on {budget}' if budget else ''}:\n{ran.stdout}{ran.stderr}")
    except (Refused, KeyError, TypeError, ValueError, AttributeError, OSError) as wrong:
        return 2, f"not judged: {wrong}\n"
    return max(codes), "\n".join(told) or "no container asks for a GPU\n"


def objects(text: str) -> Iterator[Any]:
    """One JSON text after the other, as kubectl writes them; a list of objects, and what is under review."""
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        found, at = decoder.raw_decode(text, at)
        if found.get("kind") == "AdmissionReview":
            yield found["request"]["object"]
        else:
            yield from found["items"] if str(found.get("kind", "")).endswith("List") else [found]


def kueue(name: str, options: Sequence[str]) -> int:
    """One round: what waits for the check is judged, and told."""
    labels = {one["metadata"]["name"]: (one.get("spec") or {}).get("nodeLabels") or {} for one in _get("resourceflavors.kueue.x-k8s.io")}
    waits = 0
    for workload in _get("workloads.kueue.x-k8s.io", "--all-namespaces"):
        checks = (workload.get("status") or {}).get("admissionChecks") or []
        if any(one["name"] == name and one["state"] == "Pending" for one in checks):
            code, said = judged(workload, options, labels)
            waits |= code == 2
            _tell(workload, checks, name, code, said)
    return 2 if waits else 0


def _get(kind: str, *options: str) -> Iterator[Any]:
    ran = subprocess.run([KUBECTL, "get", kind, *options, "-o", "json"], stdout=subprocess.PIPE, text=True, check=True)
    return objects(ran.stdout)


def _tell(workload: Any, checks: Sequence[Any], name: str, code: int, said: str) -> None:
    state = ("Ready", "Rejected", "Pending")[code]
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    mine = {"name": name, "state": state, "lastTransitionTime": now, "message": said[-MOST_WORDS:]}
    patch = {"status": {"admissionChecks": [mine if one["name"] == name else one for one in checks]}}
    where, which = workload["metadata"]["namespace"], workload["metadata"]["name"]
    print(f"{where}/{which}: {state}")
    command = [KUBECTL, "patch", "workloads.kueue.x-k8s.io", which, "--namespace", where, "--subresource=status", "--type=merge"]
    subprocess.run([*command, "--patch", json.dumps(patch)], stdout=subprocess.DEVNULL, check=True)


def main(argv: Sequence[str]) -> int:
    if argv[:1] == ["--kueue"]:
        return kueue(argv[1], argv[2:])
    codes = []
    try:
        for thing in objects(sys.stdin.read()):
            code, said = judged(thing, argv, {})
            codes.append(code)
            print(said, end="")
    except (ValueError, KeyError, AttributeError) as wrong:
        print(f"not judged: no object of Kubernetes in JSON: {wrong}")
        return 2
    return max(codes, default=2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
