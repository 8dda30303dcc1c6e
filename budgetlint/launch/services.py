"""Services of a Compose file, and steps of a GitHub workflow: texts and words that are started, with the variables that they find set.

Sources: Compose Specification (``command``, ``entrypoint``, ``environment``, ``deploy.resources.reservations.devices``; ``$$`` is a dollar
sign); GitHub Actions workflow syntax (``env`` of workflow, job and step; ``jobs.<id>.steps[*].run``).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.documents import Document, Mapping, Node, Scalar, Sequence
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.launch.blocks import word_of_scalar
from budgetlint.launch.jobs import count_of, variables_of, words_of
from budgetlint.launch.launch import Request
from budgetlint.settings.run import Origin, OriginKind


@record
class Service:
    """Something that is started: ``text`` for a shell, or ``words`` as they are."""

    text: Word | None
    words: tuple[Word, ...]
    environment: dict[str, Word]
    request: Request | None = None


def services(document: Document) -> Iterator[Service]:
    """Of a Compose file."""
    node = document.get("services")
    for entry in node.entries if isinstance(node, Mapping) else ():
        if not isinstance(entry.value, Mapping):
            continue
        environment = dict(variables_of(entry.value.get("environment"), document))
        request = _request(document, entry.value, f"services.{entry.key.text}")
        command, entrypoint = entry.value.get("command"), entry.value.get("entrypoint")
        if isinstance(command, Sequence):
            words = (
                (*words_of(entrypoint, document), *words_of(command, document))
                if isinstance(entrypoint, Sequence)
                else words_of(command, document)
            )
            yield Service(None, tuple(map(_without_doubles, words)), environment, request)
        elif isinstance(command, Scalar) and command.text:
            yield Service(_without_doubles(word_of_scalar(command, document.source.text)), (), environment, request)


def _without_doubles(word: Word) -> Word:
    """``$$`` is how Compose writes ``$``."""
    if "$$" not in word.text:
        return word
    atoms: list[Atom] = []
    for atom in word.atoms:
        at = 0
        for piece in atom.text.split("$$"):
            if at:
                atoms.append(Atom("$", atom.start + (at - 1 if atom.known else 0), atom.known, told=atom.told))
            if piece:
                atoms.append(Atom(piece, atom.start + (at if atom.known else 0), atom.known, told=atom.told))
            at += len(piece) + 2
    return Word("".join(atom.text for atom in atoms), word.span, word.known, tuple(atoms))


def _request(document: Document, service: Mapping, path: str) -> Request | None:
    devices = _at(service, "deploy", "resources", "reservations", "devices")
    for item in devices.items if isinstance(devices, Sequence) else ():
        if isinstance(item, Mapping):
            node, listed = item.get("count"), item.get("device_ids")
            if (count := count_of(node)) and node is not None:
                return Request("", count, 1, Origin(OriginKind.FLAG, document.source, node.span, f"{path}.count"))
            if isinstance(listed, Sequence) and listed.items:
                return Request("", len(listed.items), 1, Origin(OriginKind.FLAG, document.source, listed.span, f"{path}.device_ids"))
    return None


def _at(node: Node | None, *keys: str) -> Node | None:
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node


HOSTED = ("ubuntu-", "windows-", "macos-")
"""GitHub's own runners (about ``runs-on``): they have no GPU, so what they start is a test of the program, not a training."""


def steps(document: Document) -> Iterator[Service]:
    """Of the jobs of a workflow that run on machines of somebody's own; what a matrix or an expression gives is not known."""
    jobs = document.get("jobs")
    around = dict(variables_of(document.get("env"), document))
    for entry in jobs.entries if isinstance(jobs, Mapping) else ():
        if not isinstance(entry.value, Mapping) or not _is_of_ones_own(entry.value.get("runs-on")):
            continue
        listed = entry.value.get("steps")
        held = {**around, **dict(variables_of(entry.value.get("env"), document))}
        for item in listed.items if isinstance(listed, Sequence) else ():
            run = item.get("run") if isinstance(item, Mapping) else None
            if isinstance(item, Mapping) and isinstance(run, Scalar) and run.text:
                yield Service(word_of_scalar(run, document.source.text), (), {**held, **dict(variables_of(item.get("env"), document))})


def _is_of_ones_own(runner: Node | None) -> bool:
    """Is the machine named, and none of GitHub's?"""
    if isinstance(runner, Mapping):
        runner = runner.get("labels") or runner.get("group")
    labels = runner.items if isinstance(runner, Sequence) else (runner,)
    texts = [one.text for one in labels if isinstance(one, Scalar)]
    return bool(texts) and not any("${{" in text or text.startswith(HOSTED) for text in texts)
