"""Places of a followed program as people read them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from budgetlint.base.source import Location

if TYPE_CHECKING:
    from budgetlint.program.modules import Files
    from budgetlint.program.places import Place


_LONGEST = 60


def text_at(place: Place, files: Files) -> str:
    """What stands there, in one line; empty where only its line is known, or it is long."""
    source = place.source or files.source(place.path)
    node = place.node.value if isinstance(place.node, ast.AnnAssign) else place.node
    if source is None:
        return ""
    if place.span is not None:
        text = source.text[place.span.start : place.span.end]
    elif isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.UnaryOp):
        text = ast.unparse(node)
    else:
        return ""
    shown = " ".join(text.split())
    return shown if len(shown) <= _LONGEST else ""


def at(place: Place, files: Files) -> Location:
    """Line and column of a place; the line alone where its file is not to be had."""
    if place.source is not None and place.span is not None:
        return place.source.locate(place.span)
    source = files.source(place.path)
    if source is None or not 0 < place.line <= source.line_count:
        return Location(place.path, max(place.line, 1))
    node = place.node.test if isinstance(place.node, ast.If | ast.Assert) else place.node
    if isinstance(node, ast.expr | ast.stmt | ast.keyword):
        from budgetlint.program.document import places

        return source.locate(places(source).span(node))
    return source.locate(source.line_span(place.line))
