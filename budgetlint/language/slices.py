"""Where statements begin and end, found without the grammar, so that one broken statement never hides the others.

One pass over the text: strings and comments are skipped, statements end at ``;`` and at line ends outside brackets, braces
nest. An opening bracket without its partner before the next ``;``, ``{`` or ``}`` does not count. Linear in the text.
"""

from __future__ import annotations

import re

from budgetlint.base.record import field, record, state
from budgetlint.base.source import Span

MAX_DEPTH = 4
MAX_LIST_DEPTH = 4

COMMAND = (
    r"""(?![ \t])(?:"(?:\\[^\r\n]|[^"\\\r\n])*"|'[^'\r\n]*'|\\(?:\r\n|[\s\S])|\{[^\s{}]*\}|[^\s"'\\#;{}]"""
    r"""|(?<=\S)#|[ \t]+(?=[^\s#;{}]|\{[^\s{}]*\}))+"""
)
"""As in the grammar: quotes and braces in a command are the shell's."""

_PIECE = re.compile(
    rf"""(?P<launch>(?<![^;{{}}\r\n])[ \t]*launch[ \t]+{COMMAND})|"""
    r"""(?P<string>"(?:\\.|[^"\\\r\n])*"|'[^'\r\n]*')|(?P<open>["'][^\r\n]*)"""
    r"""|(?P<word>(?<=[^\s;{}])\{[^\s{}]*\})"""
    r"""|(?P<comment>(?<![^\s;{}\[\],])\#[^\r\n]*)|(?P<line>\r\n?|\n)|(?P<mark>[\[\]{};])"""
)


@state
class Slice:
    """One statement: its head ``start:end``, and the slices of its block with the offset after its ``}`` in ``close``."""

    start: int
    end: int
    block: list[Slice] | None = None
    brace: int = -1
    close: int = -1


@record
class Structure:
    """A mistake in the nesting. ``kind``: stray-close, unclosed, orphan-brace, glued-brace, glued, too-deep, list-too-deep."""

    kind: str
    span: Span


@state
class Outline:
    slices: list[Slice] = field(default_factory=list)
    comments: list[Span] = field(default_factory=list)
    mistakes: list[Structure] = field(default_factory=list)


def outline(text: str) -> Outline:
    """The statements of a text as nested slices, its comments, and what is wrong with its nesting."""
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.result = Outline()
        self.open: list[tuple[Slice, list[Slice]]] = []
        self.here: list[Slice] = self.result.slices
        self.current: Slice | None = None
        self.just_closed = False
        self.at = 0

    def run(self) -> Outline:
        pieces = list(_PIECE.finditer(self.text))
        partners = self._pair_brackets(pieces)
        inside = 0
        for piece in pieces:
            self._content(self.at, piece.start())
            self.at = piece.end()
            inside = self._piece(piece, partners, inside)
        self._content(self.at, len(self.text))
        self._end_statement()
        self.result.mistakes += [Structure("unclosed", Span(slice_.brace, slice_.brace + 1)) for slice_, _ in self.open]
        for slice_, _ in self.open:
            slice_.close = len(self.text)
        return self.result

    def _piece(self, piece: re.Match[str], partners: set[int], inside: int) -> int:
        kind, mark = piece.lastgroup, piece.group()
        if kind == "comment":
            self.result.comments.append(Span(*piece.span()))
        elif kind == "launch":
            self._content(*piece.span())
        elif kind == "line" or mark == ";":
            if not inside:
                self._end_statement()
        elif mark == "{":
            self._open(piece.start())
        elif mark == "}":
            self._close(piece.start())
        else:
            self._content(piece.start(), piece.end())
            if piece.start() in partners:
                return inside + (1 if mark == "[" else -1)
        return inside

    def _pair_brackets(self, pieces: list[re.Match[str]]) -> set[int]:
        """Offsets of the brackets that have a partner."""
        paired: set[int] = set()
        waiting: list[int] = []
        deepest = None
        for piece in pieces:
            mark = piece.group()
            if piece.lastgroup != "mark":
                continue
            if mark == "[":
                waiting.append(piece.start())
                deepest = piece.start() if len(waiting) > MAX_LIST_DEPTH and deepest is None else deepest
            elif mark == "]":
                if waiting:
                    paired |= {waiting.pop(), piece.start()}
            else:
                waiting.clear()
        if deepest is not None:
            self.result.mistakes.append(Structure("list-too-deep", Span(deepest, deepest + 1)))
        return paired

    def _content(self, start: int, end: int) -> None:
        """Extend the current statement by the visible text in this range."""
        chunk = self.text[start:end]
        stripped = chunk.strip()
        if not stripped:
            return
        first = start + len(chunk) - len(chunk.lstrip())
        if self.current is None:
            if self.just_closed:
                self.result.mistakes.append(Structure("glued", Span(first, first + 1)))
                self.just_closed = False
            self.current = Slice(first, first)
        self.current.end = first + len(stripped)

    def _end_statement(self) -> None:
        if self.current is not None:
            self.here.append(self.current)
        self.current = None
        self.just_closed = False

    def _open(self, brace: int) -> None:
        owner = self.current
        if owner is None:
            self.result.mistakes.append(Structure("orphan-brace", Span(brace, brace + 1)))
            owner = self.here.pop() if self.here and self.here[-1].block is None else Slice(brace, brace)
        elif not self.text[brace - 1].isspace():
            self.result.mistakes.append(Structure("glued-brace", Span(brace, brace + 1)))
        if len(self.open) == MAX_DEPTH:
            self.result.mistakes.append(Structure("too-deep", Span(brace, brace + 1)))
        owner.block, owner.brace = [], brace
        self.here.append(owner)
        self.open.append((owner, self.here))
        self.here, self.current, self.just_closed = owner.block, None, False

    def _close(self, brace: int) -> None:
        self._end_statement()
        if not self.open:
            self.result.mistakes.append(Structure("stray-close", Span(brace, brace + 1)))
            return
        owner, self.here = self.open.pop()
        owner.close = brace + 1
        self.just_closed = True
