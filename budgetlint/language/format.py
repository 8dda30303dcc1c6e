"""``budgetlint fmt``: one canonical text. Comments, order and every spelling stay; a second run changes nothing.

Statements that share a line keep sharing it (``; `` between them), a block that was on one line stays there while it fits
100 columns, blank lines are never two, ``key=value`` has no blanks, blocks and long lists are indented by two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from budgetlint.base.source import SourceFile, Span
from budgetlint.language.parsing import parse
from budgetlint.language.tree import Assert, Item, Keys, Let, ListValue, Option, Statement, SumTerm, SyntaxTree, Value

COLUMNS = 100

_LINE_END = re.compile(r"\r\n?|\n")


def format_text(text: str) -> str:
    """The canonical text of a budget. One with syntax errors comes back as it is: those are reported, never rewritten."""
    tree, problems = parse(SourceFile("budget", text))
    return text if problems else format_tree(tree)


def format_tree(tree: SyntaxTree) -> str:
    """The canonical text of a whole tree, with its comments. Line ends stay as the first one is."""
    text = _Writer(tree).run()
    first = _LINE_END.search(tree.source.text)
    return text.replace("\n", "\r\n") if first and first.group() == "\r\n" else text


# -- on one line ---------------------------------------------------------------------------------------------------------


def written(item: Item) -> str:
    """An item on one line."""
    if isinstance(item, Statement):
        if item.block is None:
            return head(item)
        inner = "; ".join(written(inner) for inner in item.block)
        return f"{head(item)} {{ {inner} }}" if inner else f"{head(item)} {{ }}"
    if isinstance(item, Let):
        return f"let {item.name} = {shown(item.value)}"
    if isinstance(item, Keys):
        return " ".join(map(_part, item.options))
    why = f", {item.message.text}" if item.message else ""
    return f"assert {_sum(item.left)} {item.comparison} {_sum(item.right)}{why}"


def head(statement: Statement) -> str:
    """Keyword, values and options in the order written."""
    return " ".join((statement.keyword, *(_part(part) for part in parts(statement))))


def parts(statement: Statement) -> list[Value | ListValue | Option]:
    return sorted((*statement.values, *statement.options), key=lambda part: part.span.start)


def _part(part: Value | ListValue | Option) -> str:
    return f"{part.key}={shown(part.value)}" if isinstance(part, Option) else shown(part)


_GOES_ON = re.compile(r"[ \t]+\\\n[ \t]*")
"""Between two words of a command, the next on a line of its own."""


def shown(value: Value | ListValue) -> str:
    return value.text if isinstance(value, Value) else f"[{', '.join(shown(item) for item in value.items)}]"


def _sum(terms: Sequence[SumTerm]) -> str:
    signs = ("", *(" + " if term.sign > 0 else " - " for term in terms[1:]))
    return "".join(f"{sign}{_term(term)}" for sign, term in zip(signs, terms, strict=True))


def _term(term: SumTerm) -> str:
    return f"{term.share.text} of {shown(term.value)}" if term.share else shown(term.value)


# -- on many lines -------------------------------------------------------------------------------------------------------


class _Writer:
    """Writes lines and keeps ``at``, the source offset behind what was written last: the gap from there decides on lines."""

    def __init__(self, tree: SyntaxTree) -> None:
        self.text, self.items = tree.source.text, tree.items
        self.comments = list(reversed(tree.comments))
        self.lines: list[str] = []
        self.at = 0
        self.fresh = True

    def run(self) -> str:
        self._body(self.items, 0, len(self.text), explode=False)
        return "\n".join(self.lines) + "\n" if self.lines else ""

    def _line_ends(self, until: int) -> int:
        return len(_LINE_END.findall(self.text, self.at, until))

    def _new_line(self, text: str, indent: int, start: int, blank: bool = True) -> None:
        if blank and not self.fresh and self._line_ends(start) > 1:
            self.lines.append("")
        self.lines.append(" " * indent + text)
        self.fresh = False

    def _add(self, text: str) -> None:
        self.lines[-1] += text

    def _comments_before(self, offset: int, indent: int, blank: bool = True) -> None:
        while self.comments and self.comments[-1].start < offset:
            span = self.comments.pop()
            text = self.text[span.start : span.end].rstrip()
            if self.lines and not self._line_ends(span.start):
                self._add(f"  {text}")
            else:
                self._new_line(text, indent, span.start, blank)
            self.at = span.end

    def _body(self, items: Sequence[Item], indent: int, end: int, explode: bool) -> None:
        for item in items:
            self._comments_before(item.span.start, indent)
            if self.fresh or explode or self._line_ends(item.span.start):
                self._new_line("", indent, item.span.start)
            else:
                self._add("; ")
            self._item(item, indent)
            self.at = item.span.end
        self._comments_before(end, indent)

    def _item(self, item: Item, indent: int) -> None:
        if not _LINE_END.search(self.text, item.span.start, item.span.end):
            line = written(item)
            if len(self.lines[-1]) + len(line) <= COLUMNS or not isinstance(item, Statement) or item.block is None:
                self._add(line)
                return
        if isinstance(item, Statement):
            self._statement(item, indent)
        elif isinstance(item, Let):
            self._add(f"let {item.name} = ")
            self._value(item.value, indent)
        elif isinstance(item, Keys):
            self._parts(item.options, item.span.start, indent)
        else:
            self._assert(item, indent)

    def _statement(self, item: Statement, indent: int) -> None:
        self._add(item.keyword)
        if item.keyword == "launch":
            self._command(item.values[0], indent)
            return
        end = self._parts(parts(item), item.keyword_span.end, indent, " ")
        if item.block is not None:
            self._block(item.block, indent, Span(self.text.index("{", end), item.span.end))

    def _command(self, command: Value | ListValue, indent: int) -> None:
        """A command of several lines: each that follows is indented; nothing else of it is ours."""
        first, *rest = _GOES_ON.split(_LINE_END.sub("\n", shown(command)))
        self._add(f" {first}" + "".join(f" \\\n{' ' * (indent + 2)}{line}" for line in rest))

    def _parts(self, written: Sequence[Value | ListValue | Option], end: int, indent: int, blank: str = "") -> int:
        """Values and options, a blank before each but the first; returns where the last of them ends."""
        for part in written:
            self._add(f"{blank}{part.key}=" if isinstance(part, Option) else blank)
            self._value(part.value if isinstance(part, Option) else part, indent)
            end, blank = part.span.end, " "
        return end

    def _block(self, block: tuple[Item, ...], indent: int, braces: Span) -> None:
        has_comment = bool(self.comments) and self.comments[-1].start < braces.end
        if not block and not has_comment:
            self._add(" { }")
            return
        self._add(" {")
        self.at, self.fresh = braces.start + 1, True
        on_one_line = not _LINE_END.search(self.text, braces.start, braces.end)
        self._body(block, indent + 2, braces.end - 1, explode=on_one_line)
        self._new_line("}", indent, braces.end, blank=False)

    def _assert(self, item: Assert, indent: int) -> None:
        """Only lists, which no assert can use, make one longer than a line."""
        self._add("assert ")
        for at, term in enumerate((*item.left, *item.right)):
            if at == len(item.left):
                self._add(f" {item.comparison} ")
            elif at:
                self._add(" + " if term.sign > 0 else " - ")
            self._add(f"{term.share.text} of " if term.share else "")
            self._value(term.value, indent)
        self._add(f", {item.message.text}" if item.message else "")

    def _value(self, value: Value | ListValue, indent: int) -> None:
        if isinstance(value, Value) or not _LINE_END.search(self.text, value.span.start, value.span.end):
            self._add(shown(value))
        else:
            self._long_list(value, indent)

    def _long_list(self, value: ListValue, indent: int) -> None:
        """A list that the author broke: the lines stay, each item ends in a comma."""
        has_comment = bool(self.comments) and self.comments[-1].start < value.span.end
        if not value.items and not has_comment:
            self._add("[]")
            return
        self._add("[")
        self.at, self.fresh = value.span.start + 1, True
        for item in value.items:
            self._comments_before(item.span.start, indent + 2, blank=False)
            if self.fresh or self._line_ends(item.span.start):
                self._new_line("", indent + 2, item.span.start, blank=False)
            else:
                self._add(" ")
            self._value(item, indent + 2)
            self._add(",")
            self.at = item.span.end
        self._comments_before(value.span.end - 1, indent + 2, blank=False)
        self._new_line("]", indent, value.span.end, blank=False)
