"""What ``#SBATCH`` lines and the options of ``sbatch`` ask for. Source: Slurm 24.11 ``sbatch(1)``; only lines before the first command
count, and options of the command line come before them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from budgetlint.base.expression import expression
from budgetlint.base.limits import ROUNDS
from budgetlint.base.numerals import small
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Document, Entry, Scalar
from budgetlint.documents import Mapping as Block
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.launch.launch import Request
from budgetlint.settings.run import Origin, OriginKind

_DIRECTIVE = expression(r"^#SBATCH[ \t]+(--?[A-Za-z][\w-]*)(?:[ \t]*=[ \t]*|[ \t]+)?([^\s#]*)", re.MULTILINE)
_SHORT = {"-N": "nodes", "-n": "ntasks", "-G": "gpus", "-C": "constraint", "-p": "partition", "-c": "cpus-per-task"}
_GPU = expression(r"(?:gpu|gpus|gres/gpu)(?::([A-Za-z][\w.-]*))?(?:[:=]([0-9]+))?\b")
_COUNT = expression(r"(?:([A-Za-z][\w.-]*):)?([0-9]+)")
_NODES = expression(r"([0-9]+)(?:-\1)?")


_COMMAND = expression(r"^[ \t]*[^#\s]", re.MULTILINE)
_Asked = Mapping[str, tuple[str, Span]]


def is_slurm(source: SourceFile) -> bool:
    return "#SBATCH" in source.text and next(_directives(source, 0, len(source.text)), None) is not None


def read_slurm(
    source: SourceFile, start: int = 0, end: int | None = None, command: Sequence[Word] = ()
) -> tuple[Request, Document, Mapping[str, Word]]:
    """The request, the same as a document of kind ``job``, and the variables that Slurm sets from it. The script is ``text[start:end]``;
    ``command`` are the words of the ``sbatch`` that submits it."""
    written = _directives(source, start, len(source.text) if end is None else end)
    return _read(source, {name: (value, span) for name, value, span in (*written, *_options(command[1:]))})


ASKED = "SLURM_JOB_NUM_NODES", "SLURM_GPUS_ON_NODE"
"""What tells a script, of all that Slurm sets, how many machines and devices of each the ``sbatch`` before it asks for."""


def submitted(command: Sequence[Word]) -> dict[str, str]:
    """What a script finds set whose ``sbatch`` has options of its own, which beat those in the script."""
    found = {name: (value, span) for name, value, span in _options(command[1:])}
    _, gpus, _ = _gpus(found)
    nodes = _NODES.fullmatch(found["nodes"][0]) if "nodes" in found else None
    said = (("SLURM_NNODES", nodes and nodes[1]), (ASKED[0], nodes and nodes[1]), (ASKED[1], None if gpus is None else str(gpus)))
    return {name: str(value) for name, value in said if value}


def over_lines(
    source: SourceFile, asked: Mapping[str, str], request: Request | None, job: Document | None
) -> tuple[Request | None, Document | None]:
    """Request and job of a script whose ``sbatch`` asked for something (`submitted`)."""
    nodes, gpus = (small(asked.get(name, "")) for name in ASKED)
    if nodes is None and gpus is None:
        return request, job
    whole, span = request or Request(), Span(0, 0)
    if nodes is not None:
        job = _document(source, {"nodes": (str(nodes), span)})
    origin = whole.origin or Origin(OriginKind.FLAG, source, span, ASKED[1])
    return Request(whole.device, whole.gpus if gpus is None else gpus, whole.nodes if nodes is None else nodes, origin), job


def of_step(
    source: SourceFile, request: Request | None, job: Document | None, words: Sequence[Word]
) -> tuple[Request | None, Document | None]:
    """Request and job of what ``srun`` starts with these options of its own: its devices come before the job's, its machines count
    where the job names none (a step on fewer may be one of several beside each other)."""
    asked = {name: (value, span) for name, value, span in _options(words)}
    own, document, _ = _read(source, asked)
    whole = request or Request()
    nodes = own.nodes if whole.nodes is None else whole.nodes
    if whole.nodes is None and own.nodes is not None:
        job = document
    if own.gpus is None and nodes == whole.nodes:
        return request, job
    gpus, device = (whole.gpus, whole.device) if own.gpus is None else (own.gpus, own.device or whole.device)
    return Request(device, gpus, nodes, own.origin or whole.origin), job


def _read(source: SourceFile, found: _Asked) -> tuple[Request, Document, Mapping[str, Word]]:
    device, gpus, where = _gpus(found)
    nodes_text, nodes_span = found.get("nodes", ("", None))
    match = _NODES.fullmatch(nodes_text)
    nodes = small(match[1]) if match else None
    origin = Origin(OriginKind.FLAG, source, where, "gres") if where else None
    given = [(name, nodes_text, nodes_span) for name in ("SLURM_NNODES", "SLURM_JOB_NUM_NODES")] if nodes and nodes_span else []
    if gpus is not None and where is not None:
        given += [(name, str(gpus), where) for name in ("SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE")]
    for key, name in (("ntasks", "SLURM_NTASKS"), ("ntasks-per-node", "SLURM_NTASKS_PER_NODE")):
        if key in found and small(found[key][0]) is not None:
            given.append((name, *found[key]))
    return Request(device, gpus, nodes, origin), _document(source, found), {name: _word(text, span) for name, text, span in given}


def array_tasks(source: SourceFile) -> Iterator[dict[str, Word]]:
    """The tasks of ``#SBATCH --array=0-3``, each with its number; one of which nothing is known where the script does not ask which it is,
    or where they are too many."""
    found = {name: (value, span) for name, value, span in _directives(source, 0, len(source.text))} if _TASK in source.text else {}
    text, span = found.get("array", found.get("a", ("", Span(0, 0))))
    numbers = list(dict.fromkeys(_numbers(text.partition("%")[0])))
    if not 1 <= len(numbers) <= ROUNDS.most:
        yield {}
    else:
        yield from ({_TASK: Word(str(number), span, True, (Atom(str(number), span.start, known=False, told=True),))} for number in numbers)


_TASK = "SLURM_ARRAY_TASK_ID"
_TASKS = expression(r"([0-9]{1,6})(?:-([0-9]{1,6})(?::([0-9]{1,6}))?)?")


def _numbers(text: str) -> Iterator[int]:
    """``0-3``, ``1,5``, ``0-8:4``; nothing for anything else."""
    every = [_TASKS.fullmatch(one) for one in text.split(",")]
    for one in every if all(every) else ():
        if one is not None:
            first, last, step = (small(part or "") for part in one.groups())
            yield from list(range(first or 0, (first if last is None else last or 0) + 1 if first is not None else 0, step or 1))[
                : ROUNDS.most + 1
            ]


def _options(words: Sequence[Word]) -> Iterator[tuple[str, str, Span]]:
    """``--gres=gpu:2``, ``-N 2``."""
    for index, word in enumerate(words):
        name, equals, _ = word.text.partition("=")
        value = word.after(len(name) + 1) if equals else words[index + 1] if index + 1 < len(words) else None
        if name.startswith("-") and value is not None:
            yield _SHORT.get(name, name.lstrip("-")), value.text, value.span


def _directives(source: SourceFile, start: int, end: int) -> Iterator[tuple[str, str, Span]]:
    command = _COMMAND.search(source.text, start, end)
    for found in _DIRECTIVE.finditer(source.text, start, command.start() if command is not None else end):
        name = _SHORT.get(found[1], found[1].lstrip("-"))
        yield name, found[2].strip("\"'"), Span(found.start(2), found.end(2))


def _gpus(found: _Asked) -> tuple[str, int | None, Span | None]:
    """Card, how many on each machine, and where it says so."""
    for name in ("gres", "gpus-per-node", "gpus-per-task", "gpus"):
        if name not in found:
            continue
        text, span = found[name]
        if "$" in text:  # a count that nobody knows
            continue
        match = _GPU.search(text) if name == "gres" else _COUNT.fullmatch(text)
        if match is None:
            continue
        count = small(match[2] or "1")
        return match[1] or _constraint(found), None if count is None else _per_node(name, count, found), span
    return "", None, None


def _per_node(name: str, count: int, found: _Asked) -> int | None:
    if name == "gpus":
        nodes = small(found.get("nodes", ("1", None))[0])
        return count // nodes if nodes and count % nodes == 0 else None
    if name == "gpus-per-task":
        tasks = small(found.get("ntasks-per-node", ("1", None))[0])
        return None if tasks is None else count * tasks
    return count


def _constraint(found: _Asked) -> str:
    """``--constraint=a100`` names the card in many clusters; the catalog decides whether it is one."""
    return found.get("constraint", ("", None))[0]


_KEPT = ("nodes", "ntasks", "ntasks-per-node")


def _document(source: SourceFile, found: _Asked) -> Document:
    entries = tuple(Entry(Scalar(name.replace("-", "_"), found[name][1]), Scalar(*found[name])) for name in _KEPT if name in found)
    return Document(source, "shell", Block(entries, Span(0, 0)), program="job")


def _word(text: str, span: Span) -> Word:
    return Word(text, span, True, (Atom(text, span.start),))
