"""Text to tree. A whole file is parsed at once; where that fails, each statement by itself, so that errors come in one go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from budgetlint.base.limits import BUDGET_BYTES, BUDGET_WORDS
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.language.problems import Problems
from budgetlint.language.slices import Outline, Slice, outline
from budgetlint.language.tree import Item, Statement, SyntaxTree

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedInput

    from budgetlint.base.finding import Finding

_WORD = re.compile(r"[^\s;,=\[\]{}]+")


def parse(source: SourceFile) -> tuple[SyntaxTree, tuple[Finding, ...]]:
    """The tree of every statement that could be read, and a BL001 (or BL015) for each that could not. Never raises."""
    problems = Problems()
    tree = parse_into(source, problems)
    return tree, tuple(problems.found)


def parse_into(source: SourceFile, problems: Problems) -> SyntaxTree:
    if len(source.text) > BUDGET_BYTES.most or len(source.text.encode("utf-8", "surrogatepass")) > BUDGET_BYTES.most:
        size = len(source.text.encode("utf-8", "surrogatepass"))
        message = f"a budget of {size:,} bytes; at most {BUDGET_BYTES.most:,} are read"
        problems.add("BL015", source, Span(0, 0), message, "is this file a budget at all?")
        return SyntaxTree(source, ())
    plan = outline(source.text)
    problems.words += _words(source.text, plan)
    if problems.words > BUDGET_WORDS.most:
        message = f"a budget of {problems.words:,} {BUDGET_WORDS.counted}; at most {BUDGET_WORDS.most:,} are read"
        problems.add("BL015", source, Span(0, 0), message, "is this file a budget at all?")
        return SyntaxTree(source, ())
    from budgetlint.language.grammar import read

    items = None if plan.mistakes else read(source.text, 0, len(source.text), "start")
    if items is None:
        before = len(problems.found)
        items = _piecewise(source, plan, problems)
        if len(problems.found) == before:
            _report_whole(source, problems)
    return SyntaxTree(source, items, tuple(plan.comments))


def _report_whole(source: SourceFile, problems: Problems) -> None:
    """What lark says of a text whose statements are right, each by itself."""
    from lark.exceptions import UnexpectedInput

    from budgetlint.language.grammar import parser

    try:
        parser().parse(source.text, start="start")
    except UnexpectedInput as error:
        _report(error, source, Slice(0, len(source.text)), problems)


def _words(text: str, plan: Outline) -> int:
    """How many words stand outside comments: the parser's work."""
    ends = [0, *(end for comment in plan.comments for end in (comment.start, comment.end)), len(text)]
    return sum(len(_WORD.findall(text, start, end)) for start, end in zip(ends[::2], ends[1::2], strict=True))


def _report(error: UnexpectedInput, source: SourceFile, slice_: Slice, problems: Problems) -> None:
    from budgetlint.language.explain import explain

    span, message, help = explain(error, source.text, slice_)
    problems.add("BL001", source, span, message, help)


def _piecewise(source: SourceFile, plan: Outline, problems: Problems) -> tuple[Item, ...]:
    from budgetlint.language.explain import explain_structure

    broken_lists = False
    for mistake in sorted(plan.mistakes, key=lambda mistake: (mistake.kind == "unclosed", mistake.span.start)):
        message, help = explain_structure(mistake.kind)
        code = "BL015" if mistake.kind.endswith("too-deep") else "BL001"
        problems.add(code, source, mistake.span, message, help)
        broken_lists = broken_lists or mistake.kind == "list-too-deep"
        if problems.full:
            return ()
    return () if broken_lists else _Recovery(source, problems).items(plan.slices, 0)


class _Recovery:
    """Parses slice by slice and puts the blocks back where they belong."""

    def __init__(self, source: SourceFile, problems: Problems) -> None:
        self.source, self.problems = source, problems

    def items(self, slices: list[Slice], depth: int) -> tuple[Item, ...]:
        found: list[Item] = []
        for slice_ in slices:
            if self.problems.full:
                break
            item = self._item(slice_)
            inner = self._block(slice_, depth)
            if isinstance(item, Statement) and inner is not None:
                item = replace(item, block=inner, span=Span(item.span.start, slice_.close))
            if item is not None:
                found.append(item)
        return tuple(found)

    def _block(self, slice_: Slice, depth: int) -> tuple[Item, ...] | None:
        from budgetlint.language.slices import MAX_DEPTH

        if slice_.block is None:
            return None
        return self.items(slice_.block, depth + 1) if depth < MAX_DEPTH else ()

    def _item(self, slice_: Slice) -> Item | None:
        from budgetlint.language.grammar import read

        if slice_.start == slice_.end:
            return None
        item: Item | None = read(self.source.text, slice_.start, slice_.end, "statement")
        if item is None:
            item = self._by_lark(slice_)
        if item is not None and slice_.block is not None and not isinstance(item, Statement):
            brace = Span(slice_.brace, slice_.brace + 1)
            self.problems.add(
                "BL001", self.source, brace, "unexpected '{'; 'let' and 'assert' have no block", "end the statement before it"
            )
        return item

    def _by_lark(self, slice_: Slice) -> Item | None:
        """Lark knows why it is no statement (and reads it, where the tables that ship are not those of the grammar)."""
        from lark import TextSlice
        from lark.exceptions import UnexpectedInput

        from budgetlint.language.grammar import parser

        try:
            return parser().parse(TextSlice(self.source.text, slice_.start, slice_.end), start="statement")  # type: ignore[return-value]
        except UnexpectedInput as error:
            _report(error, self.source, slice_, self.problems)
            return None
