"""Job files in YAML: SkyPilot, Kubernetes and Kubeflow, Ray, and others that hold a command and ask for devices.

Sources: SkyPilot 0.10 task YAML reference, Kubernetes 1.33 ``core/v1`` Container, Kubeflow trainer ``v2alpha1`` TrainJob and
training-operator ``v1`` PyTorchJob, Ray 2.50 ``ray job`` and KubeRay ``RayJob``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.numerals import small
from budgetlint.base.source import Span
from budgetlint.documents import Document, Mapping, Node, Scalar, Sequence
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.launch.blocks import word_of_scalar
from budgetlint.launch.launch import Request
from budgetlint.settings.run import Origin, OriginKind

SKYPILOT, KUBERNETES, COMPOSE, WORKFLOW, JOB = "skypilot", "kubernetes", "compose", "workflow", "job"
PIPELINE = "dvc"
_SKY = frozenset(("resources", "setup", "workdir", "working_dir", "envs", "num_nodes", "file_mounts", "service"))
_COMMANDS = ("command", "entrypoint")
_COUNT = expression(r"([A-Za-z][\w.-]*)(?::([0-9]+))?")
_PRODUCTS = ("cloud.google.com/gke-accelerator", "nvidia.com/gpu.product", "k8s.amazonaws.com/accelerator")
_GPUS = ("nvidia.com/gpu", "amd.com/gpu")


def kind_of(document: Document) -> str:
    """Which kind of job file a document is, or empty."""
    mapping = document.mapping
    if mapping is None:
        return ""
    keys = frozenset(mapping.keys())
    if {"apiVersion", "kind"} <= keys:
        return KUBERNETES
    if _is_sky(mapping, keys):
        return SKYPILOT
    if _is_compose(mapping):
        return COMPOSE
    if document.source.path.rpartition("/")[2] == "dvc.yaml" and isinstance(mapping.get("stages"), Mapping):
        return PIPELINE
    if document.source.path.rpartition("/")[0].endswith(".github/workflows") and isinstance(mapping.get("jobs"), Mapping):
        return WORKFLOW
    return JOB if any(isinstance(mapping.get(name), Scalar) for name in _COMMANDS) and not keys & _NO_JOB else ""


_NO_JOB = frozenset(("on", "jobs", "services", "steps", "stages", "repos", "pipeline"))


def _is_compose(mapping: Mapping) -> bool:
    services = mapping.get("services")
    every = [entry.value for entry in services.entries] if isinstance(services, Mapping) else []
    return any(isinstance(one, Mapping) and ("image" in one or "build" in one) and "command" in one for one in every)


def _is_sky(mapping: Mapping, keys: frozenset[str]) -> bool:
    resources = mapping.get("resources")
    if isinstance(resources, Mapping) and "accelerators" in resources and not keys & _NO_JOB:
        return True
    run = mapping.get("run")
    return isinstance(run, Scalar) and bool(keys & _SKY) and not keys & _NO_JOB


def texts(document: Document) -> Iterator[Word]:
    """The shell texts of a job file: of a Kubernetes one KubeRay's ``entrypoint``, beside its containers."""
    for name in ("run", *_COMMANDS) if kind_of(document) != KUBERNETES else ("spec.entrypoint",):
        node = document.get(name)
        if isinstance(node, Scalar):
            yield word_of_scalar(node, document.source.text)


def variables(document: Document, request: Request) -> dict[str, Word]:
    """``envs``, and what SkyPilot sets itself from the request."""
    held: dict[str, Word] = {}
    for section in ("envs", "env"):
        node = document.get(section)
        for entry in node.entries if isinstance(node, Mapping) else ():
            if isinstance(entry.value, Scalar) and entry.value.text:
                held[entry.key.text] = word_of_scalar(entry.value, document.source.text)
    span = request.origin.span if request.origin else None
    for name, number in (("SKYPILOT_NUM_GPUS_PER_NODE", request.gpus), ("SKYPILOT_NUM_NODES", request.nodes)):
        if number is not None and span is not None:
            held[name] = Word(str(number), span, True, (Atom(str(number), span.start, known=False, told=True),))
    return held


def request_of(document: Document) -> Request | None:
    """Cards, how many on each machine, and machines."""
    return _sky_request(document) if kind_of(document) == SKYPILOT else _plain_request(document)


def _sky_request(document: Document) -> Request | None:
    node = document.get("resources.accelerators")
    nodes = count_of(document.get("num_nodes")) or 1
    if isinstance(node, Scalar):
        found = _COUNT.fullmatch(node.text.strip())
        return Request(found[1], small(found[2] or "1"), nodes, _origin(document, "resources.accelerators", node)) if found else None
    if isinstance(node, Mapping) and len(node.entries) == 1:
        entry = node.entries[0]
        count = count_of(entry.value)
        return Request(entry.key.text, count or 1, nodes, _origin(document, "resources.accelerators", entry.key))
    return Request("", None, nodes) if node is None and document.get("num_nodes") is not None else None


def _plain_request(document: Document) -> Request | None:
    for path in ("compute.gpus", "gpus", "resources.slots_per_trial", "resources.gpus"):
        node = document.get(path)
        count = count_of(node)
        if count and node is not None:
            return Request("", count, None, _origin(document, path, node))
    return None


def count_of(node: Node | None) -> int | None:
    return small(node.text) if isinstance(node, Scalar) and len(node.text) < 6 else None


def _origin(document: Document, key: str, node: Node) -> Origin:
    return Origin(OriginKind.FLAG, document.source, node.span, key)


def containers(document: Document) -> Iterator[tuple[tuple[Word, ...], Request | None, dict[str, Word]]]:
    """The command line of every container, what it asks for, and the variables that it finds set."""
    for path, mapping in _with_command(document.root, ""):
        words = tuple(words_of(mapping.get("command"), document)) + tuple(words_of(mapping.get("args"), document))
        if words:
            yield words, _kube_request(document, mapping, path), dict(variables_of(mapping.get("env"), document))


def variables_of(node: Node | None, document: Document) -> Iterator[tuple[str, Word]]:
    """``env``: pairs of ``name`` and ``value`` (Kubernetes), a mapping or a list of ``NAME=value`` (Compose). What another object holds is
    not known."""
    for entry in node.entries if isinstance(node, Mapping) else ():
        if isinstance(entry.value, Scalar) and entry.value.text:
            yield entry.key.text, word_of_scalar(entry.value, document.source.text)
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping):
            name, value = item.get("name"), item.get("value")
            if isinstance(name, Scalar) and isinstance(value, Scalar):
                yield name.text, word_of_scalar(value, document.source.text)
        elif isinstance(item, Scalar) and "=" in item.text:
            yield item.text.partition("=")[0], word_of_scalar(item, document.source.text).after(item.text.index("=") + 1)


def _with_command(node: Node | None, path: str) -> Iterator[tuple[str, Mapping]]:
    if isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            yield from _with_command(item, f"{path}.{index}" if path else str(index))
    elif isinstance(node, Mapping):
        if "command" in node or "args" in node:
            yield path, node
        for entry in node.entries:
            yield from _with_command(entry.value, f"{path}.{entry.key.text}" if path else entry.key.text)


def words_of(node: Node | None, document: Document) -> Iterator[Word]:
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar):
                yield word_of_scalar(item, document.source.text)
    elif isinstance(node, Scalar) and node.text:
        yield word_of_scalar(node, document.source.text)


def _kube_request(document: Document, container: Mapping, path: str) -> Request | None:
    for section in ("resources", "resourcesPerNode"):
        resources = container.get(section)
        for bound in ("limits", "requests"):
            limits = resources.get(bound) if isinstance(resources, Mapping) else None
            for name in _GPUS:
                node = limits.get(name) if isinstance(limits, Mapping) else None
                count = count_of(node)
                if count and node is not None:
                    nodes = count_of(container.get("numNodes")) or _replicas(document, path)
                    return Request(_product(document), count, nodes, _origin(document, f"{path}.{section}.{bound}.{name}", node))
    return None


def _replicas(document: Document, path: str) -> int | None:
    """Kubeflow's replica groups train together: their sum is the number of machines."""
    at = path.find("ReplicaSpecs.")
    if at < 0:
        return 1
    groups = document.get(path[: at + len("ReplicaSpecs")])
    counts = [count_of(entry.value.get("replicas")) or 1 for entry in groups.entries if isinstance(entry.value, Mapping)] if isinstance(
        groups, Mapping) else []  # fmt: skip
    return sum(counts) or None


def _product(document: Document) -> str:
    """The card that a node selector names."""
    names = set(_selected(document.root))
    return names.pop() if len(names) == 1 else ""


def _selected(node: Node | None) -> Iterator[str]:
    if isinstance(node, Sequence):
        for item in node.items:
            yield from _selected(item)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            if entry.key.text in _PRODUCTS and isinstance(entry.value, Scalar):
                yield entry.value.text
            else:
                yield from _selected(entry.value)


def span_of(words: tuple[Word, ...]) -> Span:
    return Span(words[0].span.start, max(words[0].span.start, words[-1].span.end))
