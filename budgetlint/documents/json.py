"""JSON as `json.load` reads it, and everything more that hjson 3.1 takes (DeepSpeed reads its config with hjson).

What only hjson takes is read too and listed in ``Document.leniencies``: comments, trailing and missing commas, unquoted text
to the end of the line, single quotes, a document without braces. What both refuse is a problem, and the document has no root.
Sources: CPython ``json/decoder.py``; hjson 3.1.0 ``hjson/decoder.py`` (``getNext``, ``scantfnns``, ``scanKeyName``, ``JSONObject``).
"""

from __future__ import annotations

import re

from budgetlint.base import limits
from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.failure import MAX_DEPTH, TOO_LARGE, Refused, blame, problem, too_deep, too_many
from budgetlint.documents.json_strings import read_block_string, read_string
from budgetlint.documents.node import Document, Entry, Mapping, Node, Problem, Scalar, Sequence, Style

_MOST = limits.NODES.most
_BLANKS = expression(r"[ \t\n\r]*")
_COMMENT = expression(r"(?://|#)[^\r\n]*|/\*(?:.*?\*/)?", re.DOTALL)
_EASY_STRING = expression(r'"([^"\\\x00-\x1f]*)"')
_WORD = r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null|NaN|-?Infinity)"
_LITERAL = expression(_WORD + r"(?=[ \t]*(?:[,\]}\r\n#]|//|/\*|\Z))")
_EASY = rf'(?:"([^"\\\x00-\x1f]*)"|({_WORD}))[ \t\n\r]*'
_EASY_KEY = expression(r'"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*(?=["\-0-9tfnNI{\[])')
_EASY_MEMBER = expression(r'"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*' + _EASY + r'(?:,[ \t\n\r]*(?=")|(?=\}))')
_EASY_ITEM = expression(_EASY + r'(?:,[ \t\n\r]*(?=["\-0-9tfnNI{\[])|(?=\]))')
"""A member or item as `json.dump` writes it, to the next one or the closing bracket: most of a file, in one step each."""
_BLANK_OR_COMMENT = frozenset({" ", "\t", "\n", "\r", "/", "#"})
_TO_LINE_END = expression(r"[^\r\n]*")
_BARE_KEY = expression(r"[^\s:{}\[\],]+(?=[ \t\r\n]*:)")

_COST = {
    "comment": ("a comment", "delete it where json.load reads the file; hjson takes it"),
    "trailing-comma": ("a comma with nothing after it", "delete the comma"),
    "missing-comma": ("no comma between two values", "add ','"),
    "unquoted": ("text without quotes", "quote it"),
    "unquoted-key": ("a key without quotes", "quote it"),
    "single-quotes": ("text in single quotes", "use double quotes"),
    "no-braces": ("an object without braces", "put '{' and '}' around it"),
}


def read_json(source: SourceFile) -> tuple[Document, ...]:
    """The one document of the source. An empty text has no root and, as `json.load` refuses it, a problem."""
    reader = _Reader(source)
    try:
        return (Document(source, "json", reader.document(), leniencies=tuple(reader.leniencies)),)
    except Refused as error:
        refused = error if error.kind == TOO_LARGE else blame(reader.swallowed or error, source.text)
        return (Document(source, "json", None, (refused.problem(source),), leniencies=tuple(reader.leniencies)),)


class _Reader:
    """Recursive descent, `MAX_DEPTH` deep at most."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.text = source.text
        self.leniencies: list[Problem] = []
        self.swallowed: Refused | None = None
        self.nodes = 0

    def lenient(self, kind: str, start: int, end: int) -> None:
        if len(self.leniencies) > limits.FINDINGS.most:  # no more would be told
            return
        message, cure = _COST[kind]
        self.leniencies.append(problem(self.source, kind, message, cure, Span(start, end)))

    def skip(self, at: int) -> int:
        """The offset of the next character that is neither blank nor comment."""
        text = self.text
        if text[at : at + 1] not in _BLANK_OR_COMMENT:
            return at
        while True:
            at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
            if text[at : at + 1] not in ("/", "#") or not (found := _COMMENT.match(text, at)):
                return at
            if found[0] == "/*":
                raise Refused("syntax", "a comment that is not closed", "close it with '*/'", at, at + 2)
            self.lenient("comment", at, found.end())
            at = found.end()

    def document(self) -> Node:
        start = self.skip(1 if self.text.startswith("\ufeff") else 0)
        if start == len(self.text):
            raise Refused("empty", "an empty file is not JSON", "write at least {}", 0)
        if self.text[start] not in '{["' and _BARE_KEY.match(self.text, start):
            self.lenient("no-braces", start, start + 1)
            return self.object(start, 0, braces=False)
        node, end = self.value(start, 0)
        if (rest := self.skip(end)) != len(self.text):
            if self.text[rest] == ":":
                self.lenient("no-braces", start, start + 1)
                return self.object(start, 0, braces=False)
            raise Refused("syntax", "text after the end of the JSON document", _rest_cure(self.text[rest]), rest)
        return node

    def value(self, at: int, depth: int) -> tuple[Node, int]:
        text = self.text
        self.nodes += 1
        if self.nodes > _MOST:
            raise too_many(limits.NODES, at)
        if easy := _EASY_STRING.match(text, at):
            end = easy.end()
            return Scalar(easy[1], Span(at, end), Style.QUOTED), end
        first = text[at : at + 1]
        if first == "{":
            mapping = self.object(at, depth)
            return mapping, mapping.span.end
        if first == "[":
            return self.array(at, depth)
        if literal := _LITERAL.match(text, at):
            end = literal.end()
            return Scalar(literal[0], Span(at, end)), end
        if first == '"' or first == "'":
            return self.string(at)
        return self.unquoted(at, first)

    def string(self, at: int) -> tuple[Scalar, int]:
        text = self.text
        if text[at] == "'":
            self.lenient("single-quotes", at, at + 1)
        content, end = read_block_string(text, at) if text.startswith("'''", at) else read_string(text, at)
        if content.lenient_escape:
            self.lenient("single-quotes", content.lenient_escape, content.lenient_escape + 2)
        return Scalar(content.text, Span(at, end), Style.QUOTED), end

    def unquoted(self, at: int, first: str) -> tuple[Scalar, int]:
        """hjson takes text without quotes up to the end of the line, commas, brackets and comments included."""
        if first == "" or first in "}],:":
            raise _no_value(at, first)
        line = _TO_LINE_END.match(self.text, at)[0]  # type: ignore[index]
        content = line.rstrip() or line or first  # a blank that only Unicode calls one must not leave nothing to step over
        end = at + len(content)
        self.lenient("unquoted", at, end)
        if self.swallowed is None and not _CLOSERS.isdisjoint(content):
            self.swallowed = Refused("syntax", "text without quotes, brackets behind it included", _unquoted_cure(content), at, end)
        return Scalar(content, Span(at, end)), end

    def key(self, at: int) -> tuple[Scalar, int]:
        text = self.text
        if easy := _EASY_STRING.match(text, at):
            end = easy.end()
            return Scalar(easy[1], Span(at, end), Style.QUOTED), end
        if text[at : at + 1] in ('"', "'"):
            return self.string(at)
        if bare := _BARE_KEY.match(text, at):
            self.lenient("unquoted-key", at, bare.end())
            return Scalar(bare[0], Span(at, bare.end()), Style.QUOTED), bare.end()
        raise _no_key(text, at)

    def object(self, start: int, depth: int, braces: bool = True) -> Mapping:
        if depth >= MAX_DEPTH:
            raise too_deep(start)
        text, skip = self.text, self.skip
        entries: list[Entry] = []
        last = start
        at = skip(start + 1) if braces else start
        while (first := text[at : at + 1]) != "}" or not braces:
            if braces and first == '"':
                at, last = self.members(at, entries)
                if text[at : at + 1] == "}":
                    break
            if first == "":
                if not braces:
                    return Mapping(tuple(entries), Span(start, last))
                raise Refused("syntax", "an object that is not closed", "close it with '}'", start)
            if easy := _EASY_KEY.match(text, at):
                key, after = Scalar(easy[1], Span(at, easy.end(1) + 1), Style.QUOTED), easy.end()
            else:
                key, end = self.key(at)
                colon = skip(end)
                if text[colon : colon + 1] != ":":
                    raise Refused("syntax", f"no ':' after the key {key.text!r}", 'write "key": value', colon)
                after = skip(colon + 1)
            value, last = self.value(after, depth + 1)
            self.nodes += 1  # the key
            entries.append(Entry(key, value))
            at = self.separator(last, "}")
        return Mapping(tuple(entries), Span(start, at + 1))

    def members(self, at: int, entries: list[Entry]) -> tuple[int, int]:
        """Adds members with easy values from here on: the offset of the one that is none or of the bracket, and the end of the last."""
        text, add, last = self.text, entries.append, at
        for _ in range((_MOST - self.nodes) // 2):
            easy = _EASY_MEMBER.match(text, at)
            if easy is None:
                break
            key = Scalar(easy[1], Span(at, easy.end(1) + 1), Style.QUOTED)
            add(Entry(key, _easy(easy, 2)))
            self.nodes += 2
            at, last = easy.end(), max(easy.end(2) + 1, easy.end(3))
        return at, last

    def items(self, at: int, items: list[Node]) -> int:
        """Adds easy items from here on: the offset of the one that is none, or of the bracket."""
        text = self.text
        for _ in range(_MOST - self.nodes):
            easy = _EASY_ITEM.match(text, at)
            if easy is None:
                break
            items.append(_easy(easy, 1))
            self.nodes += 1
            at = easy.end()
        return at

    def array(self, start: int, depth: int) -> tuple[Node, int]:
        if depth >= MAX_DEPTH:
            raise too_deep(start)
        text = self.text
        items: list[Node] = []
        at = self.skip(start + 1)
        while True:
            at = self.items(at, items)
            first = text[at : at + 1]
            if first == "]":
                break
            if first == "":
                raise Refused("syntax", "a list that is not closed", "close it with ']'", start)
            item, end = self.value(at, depth + 1)
            items.append(item)
            at = self.separator(end, "]")
        return Sequence(tuple(items), Span(start, at + 1)), at + 1

    def separator(self, end: int, closing: str) -> int:
        """Past the comma behind a value, to the next value or the closing bracket."""
        at = self.skip(end)
        found = self.text[at : at + 1]
        if found == ",":
            following = self.skip(at + 1)
            if self.text[following : following + 1] in (closing, ""):
                self.lenient("trailing-comma", at, at + 1)
            return following
        if found != closing and found != "" and found not in "}]:":
            self.lenient("missing-comma", end, end + 1)
        return at


def _easy(found: re.Match[str], group: int) -> Scalar:
    """The text in quotes of this group, or the word of the next."""
    if found[group] is None:
        return Scalar(found[group + 1], Span(*found.span(group + 1)))
    start, end = found.span(group)
    return Scalar(found[group], Span(start - 1, end + 1), Style.QUOTED)


_CLOSERS = frozenset('}]"')
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}


def _unquoted_cure(content: str) -> str:
    word = next((word for word in _PYTHON_WORDS if content.startswith(word)), None)
    if word:
        return f"write {_PYTHON_WORDS[word]} for {word}"
    return "add ',' after the value" if '"' in content else "quote it"


def _no_value(at: int, first: str) -> Refused:
    if first == ",":
        return Refused("double-comma", "two commas without a value between them", "delete one comma", at)
    if first == "":
        return Refused("syntax", "the file ends where a value is expected", "write the value and close the brackets", at)
    return Refused("syntax", f"{first!r} where a value is expected", "write a value before it, or delete the key", at)


def _no_key(text: str, at: int) -> Refused:
    first = text[at : at + 1]
    if first == ",":
        return Refused("double-comma", "a comma without a value before it", "delete the comma", at)
    if first and first in "}]{[":
        return Refused("syntax", f"{first!r} where a key is expected", "check that the brackets match", at)
    return Refused("syntax", "no key where one is expected", 'write "key": value', at)


def _rest_cure(first: str) -> str:
    return "delete the extra bracket" if first in "}]" else "keep one JSON document in a file"
