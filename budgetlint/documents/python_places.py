"""Lines and UTF-8 columns, as ``ast`` counts them, to code point offsets.

Source: CPython 3.11 to 3.14 ``ast`` (``col_offset`` counts UTF-8 bytes), ``Parser/tokenizer.c`` translate_newlines.
"""

from __future__ import annotations

import ast
import re

from budgetlint.base.source import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


class Places:
    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        self._plain = text.isascii()

    def span(self, node: ast.expr | ast.keyword | ast.stmt) -> Span:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column))

    def _offset(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        if self._plain:
            return start + column
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        return start + len(self._text[start:end].encode()[:column].decode(errors="ignore"))
