"""What the rules look at beside runs: each document, the flags of each launch, each budget."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, SpanIn
from budgetlint.documents import Mapping, Node, Scalar, Sequence
from budgetlint.documents.python_marks import FOLLOWED
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.resolve.edges import candidates
from budgetlint.resolve.state import Assembly
from budgetlint.rules_api.context import BudgetContext, DocumentContext
from budgetlint.rules_api.toolbox.documents import engine_inside
from budgetlint.settings.run import Reading, Stack


def document_contexts(work: Assembly) -> Iterator[DocumentContext]:
    """Every document, with the stack of the first run that it belongs to; else the extra budget's, else what lies beside it."""
    of_runs = {_identity(reading): context.run.stack for context in reversed(work.contexts) for reading in context.run.readings}
    stated = work.extra.runs[0].stack if work.extra and work.extra.runs else Stack()

    def stack_of(reading: Reading) -> Stack:
        found = of_runs.get(_identity(reading))
        return found or (stated if stated.releases else work.stack_of(reading))

    asked_for = cache(partial(_asked_for, work))
    for entry in work.project.entries.values():
        for reading in entry.readings:
            yield DocumentContext(reading=reading, stack_of=stack_of, asked_for=asked_for)
            engine = engine_inside(reading)
            if engine is not None:
                yield DocumentContext(reading=engine, stack_of=partial(_held, stack_of(reading)), asked_for=asked_for)
    for reading, stack in _followed_otherwise(work):
        for one in (reading, engine_inside(reading)):
            if one is not None:
                yield DocumentContext(reading=one, stack_of=partial(_held, stack), asked_for=asked_for)


def _followed_otherwise(work: Assembly) -> Iterator[tuple[Reading, Stack]]:
    """What each launch makes of a program, where that is not what the file itself was read as: other flags, another config."""
    mine = (reading for entry in work.project.entries.values() for reading in entry.readings if reading.document.facts.get(FOLLOWED))
    seen = {_written(reading) for reading in mine}
    for context in work.contexts:
        for reading in context.run.readings:
            if reading.document.facts.get(FOLLOWED) and (written := _written(reading)) not in seen:
                seen.add(written)
                yield reading, context.run.stack


def _written(reading: Reading) -> tuple[object, ...]:
    """What stands in a followed document, and where: two launches of the same flags and files are one."""
    return (reading.document.path, *_parts(reading.document.root))


def _parts(node: Node | None) -> Iterator[object]:
    if node is None:
        return
    yield node.span.source.path if isinstance(node.span, SpanIn) else "", node.span.start
    if isinstance(node, Scalar):
        yield node.text, node.style
    for entry in node.entries if isinstance(node, Mapping) else ():
        yield entry.key.text
        yield from _parts(entry.value)
    for one in node.items if isinstance(node, Sequence) else ():
        yield from _parts(one)


_BY_NAME = expression(r"""(?:\.(?:get|pop)\(|\[)\s*["'](\w+)["']|["'](\w+)["']\s+(?:not\s+)?in\s+\w""")
"""``config.get("precision")``, ``config["precision"]`` and ``"precision" in config``."""


def _asked_for(work: Assembly) -> frozenset[str]:
    """The keys that some program of the project asks for by name, of whatever it holds."""
    project = work.project
    paths = dict.fromkeys((*project.entries, *project.listed))
    read = (project.files.read(path) for path in paths if path.endswith(PYTHON_SUFFIX))
    return frozenset(
        key for source in read if isinstance(source, SourceFile) for pair in _BY_NAME.findall(source.text) for key in pair if key
    )


def _identity(reading: Reading) -> tuple[int, int, object]:
    """The document that is read, alone or with others below it; the flags of one script are several."""
    document = reading.document
    return id(document.source), document.number, id(document.root) if document.is_command else 0


def flag_contexts(work: Assembly) -> Iterator[DocumentContext]:
    """The flags of each launch once, with the stack of the first run that they belong to."""
    seen: set[int] = set()
    for context in work.contexts:
        for reading in context.run.readings:
            if reading.document.is_command and id(reading) not in seen:
                seen.add(id(reading))
                yield DocumentContext(
                    reading=_as_file(reading), stack_of=partial(_held, context.run.stack), program_of=partial(_program, work)
                )


def _as_file(reading: Reading) -> Reading:
    """Flags of ``accelerate launch`` by the names that its config file has for them, as rules ask for them."""
    from budgetlint.launch.accelerate import as_config  # most projects are files
    from budgetlint.launch.commands import ACCELERATE

    if reading.document.program != ACCELERATE:
        return reading
    return replace(reading, document=as_config(reading.document, whole=True))


def _program(work: Assembly, reading: Reading) -> SourceFile | None:
    """The script by its path, from the working directory, or from the command's folder or one above it."""
    name = reading.document.program
    paths = candidates(reading.document.path, name) if name.endswith(PYTHON_SUFFIX) else ()
    read = next((work.files.read(path) for path in paths if work.files.exists(path)), None)
    return read if isinstance(read, SourceFile) else None


def _held(stack: Stack, _reading: Reading) -> Stack:
    return stack


def budget_contexts(work: Assembly) -> Iterator[BudgetContext]:
    """The budget files, the extra one, then those in comments."""
    for entry in work.project.entries.values():
        if entry.budget is not None:
            yield BudgetContext(budget=entry.budget, source=entry.source)
    if work.extra is not None:
        yield BudgetContext(budget=work.extra, source=None)
    for budget, source in work.comments:
        yield BudgetContext(budget=budget, source=source)
