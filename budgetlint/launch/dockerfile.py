"""What an image runs: the commands of a Dockerfile. Source: Dockerfile reference 1.19 (RUN, CMD and ENTRYPOINT, shell and exec form).

``ENTRYPOINT`` in exec form takes ``CMD`` as its arguments; of several the last one of the last stage counts. ``ENV`` sets variables,
``ARG`` gives defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.record import field, open_state
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.shell import Command, read_shell
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.documents.shell_work import ShellWork
from budgetlint.launch.makefile import logical_lines

NAMES = frozenset(("dockerfile", "containerfile"))
_INSTRUCTION = expression(r"[ \t]*(FROM|RUN|CMD|ENTRYPOINT|ENV|ARG)[ \t]+(?:--\S+[ \t]+)*", re.IGNORECASE)
_STRING = expression(r'"((?:[^"\\]|\\.)*)"')
_NAME = expression(r"(?:^|\s)([A-Za-z_]\w*)=")
_OLD_PAIR = expression(r"([A-Za-z_]\w*)[ \t]+(\S.*)")


def is_dockerfile(path: str) -> bool:
    """``Dockerfile``, ``Dockerfile.train`` and ``train.Dockerfile``."""
    name = path.rpartition("/")[2].lower()
    return name.partition(".")[0] in NAMES or name.rpartition(".")[2] in NAMES


@open_state
class Image:
    """``scripts`` are texts for the shell, ``command`` the words of the exec form, ``variables`` what they find set."""

    variables: dict[str, Word] = field(default_factory=dict)
    scripts: list[Span] = field(default_factory=list)
    command: Command | None = None


def read_dockerfile(source: SourceFile, work: ShellWork) -> Image:
    image, last = Image(), dict[str, Span]()
    for start, end in logical_lines(source.text):
        if not work.reads(start):
            break
        found = _INSTRUCTION.match(source.text, start, end)
        name, rest = (found[1].upper(), Span(found.end(), end)) if found else ("", Span(end, end))
        if name == "FROM":
            last.clear()
        elif name == "RUN":
            image.scripts.append(rest)
        elif name in ("CMD", "ENTRYPOINT"):
            last[name] = rest
        elif name:
            image.variables.update(_assigned(source.text, rest, image.variables, work))
    _start(image, source.text, last.get("ENTRYPOINT"), last.get("CMD"), work)
    return image


def _start(image: Image, text: str, entry: Span | None, arguments: Span | None, work: ShellWork) -> None:
    """What the container starts: a text for the shell, or words; an entry point in shell form takes no arguments."""
    first = entry or arguments
    if first is None:
        return
    if not _is_exec(text, first):
        image.scripts.append(first)
        return
    words = [*_words(text, first, work), *(_words(text, arguments, work) if entry and arguments and _is_exec(text, arguments) else ())]
    if words:
        image.command = Command(tuple(words), {}, Span(words[0].span.start, max(words[0].span.start, words[-1].span.end)))


def _is_exec(text: str, span: Span) -> bool:
    return text.startswith("[", span.start)


def _words(text: str, span: Span, work: ShellWork) -> Iterator[Word]:
    for found in _STRING.finditer(text, span.start, span.end):
        if not work.reads(found.start()):
            return
        plain = found[1].replace('\\"', '"').replace("\\\\", "\\")
        yield Word(plain, Span(*found.span()), True, (Atom(plain, found.start(1), known=plain == found[1]),))


def _assigned(text: str, span: Span, given: dict[str, Word], work: ShellWork) -> Iterator[tuple[str, Word]]:
    """``NAME=value OTHER="a b"``, and the old ``NAME value`` of one variable; an ARG without a default says nothing."""
    script = read_shell(text, span.start, span.end, given=given, work=work)
    for name in _NAME.findall(text[span.start : span.end]):
        word = script.value(name)
        if word is not None:
            yield name, word
    old = _OLD_PAIR.fullmatch(text, span.start, span.end)
    if old is not None and "$" not in old[2]:
        yield old[1], Word(old[2], Span(*old.span(2)), True, (Atom(old[2], old.start(2)),))
