"""Shell text into words and operators, with POSIX and bash quoting. Nothing is expanded and nothing is run.

Sources: POSIX.1-2017 Shell Command Language 2.2 (quoting) and 2.3 (token recognition); bash 5.2 manual 3.1 and 3.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.source import Span
from budgetlint.documents.shell_tokens import Array, Operator, Token
from budgetlint.documents.shell_words import UNKNOWN_OPERATOR, Literal, Opaque, Part, RawWord, Variable
from budgetlint.documents.shell_work import ShellWork

_PLAIN = expression(r"[^ \t\r\n\f\v\\'\"$`;&|()<>]+")
_NAME = expression(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_BRACED = expression(r"([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(\[[@*]\])?(:[-=+?]|[-=+])?")
_COUNTED = expression(r"([A-Za-z_][A-Za-z0-9_]*)\[[@*]\]")
"""Behind ``${#``: how many items a list has."""
_IN_DOUBLE = expression(r'[^"\\$`]+')
_OPERATOR = expression(r"&>>?|;;&?|;&|&&|\|\||\|&|[;&|()\n]|[0-9]*(?:<<<|<<-?|<>|>>|>\||[<>]&|[<>])")
_BLANK = expression(r"(?:[ \t\r\f\v]|\\(?:\r?\n|\Z))+")
_ARRAY = expression(r"[A-Za-z_][A-Za-z0-9_]*\+?=\(")
_PLACEHOLDER = expression(r"<[A-Za-z][\w ./-]*>(?=\s|\Z)")
"""``--model <your model>``: bash would redirect, people mean a gap."""
_MARKS = {"(": expression(r"\\.|[()'\"]", re.DOTALL), "{": expression(r'\\.|\$\{|[}"]', re.DOTALL)}
"""What can end a substitution, or hide its end: the next of them is searched, not each character looked at."""
_OPENS = {"(": "(", "{": "${"}
"""A brace alone opens nothing inside of ``${X:-{}``."""
_OF_C = expression(r"(?:[^'\\]|\\.)*", re.DOTALL)
_QUOTED = {"'": expression(r"[^']*"), '"': expression(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)}
MAX_NESTED = 8
"""Deepest nesting of substitutions looked into; deeper ones are one opaque piece."""


class Lexer:
    """Tokens of ``text[start:end]``. ``make`` reads ``$(NAME)`` as a variable and ``$$`` as the shell's ``$``."""

    def __init__(
        self, text: str, start: int = 0, end: int | None = None, *, make: bool = False, depth: int = 0, work: ShellWork | None = None
    ) -> None:
        self.text, self.at, self.end, self.make, self.depth = text, start, len(text) if end is None else end, make, depth
        self.work = work if work is not None else ShellWork()
        self._waiting: list[tuple[str, bool]] = []
        self.bodies: list[Span] = []
        """Where the here-documents that were stepped over stand, without their end marks."""

    def tokens(self) -> Iterator[Token]:
        while (token := self._next()) is not None:
            yield token

    def _next(self) -> Token | None:
        self._skip_blanks()
        if self.at >= self.end or not self._goes_on():
            return None
        found = _OPERATOR.match(self.text, self.at, self.end)
        if found is not None and not self._is_word(found):
            return self._operator(found)
        array = _ARRAY.match(self.text, self.at, self.end)
        return self._array(array) if array is not None else self.word()

    def _goes_on(self) -> bool:
        """One more step; past the bound of the file there is no more text."""
        if not self.work.reads(self.at):
            self.at = self.end
            return False
        return True

    def _skip_blanks(self) -> None:
        found = _BLANK.match(self.text, self.at, self.end)
        self.at = found.end() if found else self.at
        if self.text.startswith("#", self.at) and self.at < self.end:
            line_end = self.text.find("\n", self.at, self.end)
            self.at = line_end if line_end >= 0 else self.end

    def _is_word(self, found: re.Match[str]) -> bool:
        """A process substitution or a placeholder, not a redirection."""
        substitutes = found[0] in ("<", ">") and self.text.startswith("(", found.end())
        return substitutes or (found[0] == "<" and _PLACEHOLDER.match(self.text, self.at, self.end) is not None)

    def _operator(self, found: re.Match[str]) -> Operator:
        self.at = found.end()
        operator = Operator(found[0], Span(found.start(), found.end()))
        if operator.kind in ("<<", "<<-"):
            self._expect_here_document(operator.kind == "<<-")
        if found[0] == "\n" and self._waiting:
            self._skip_here_documents()
        return operator

    def _expect_here_document(self, indented: bool) -> None:
        here = self.at
        found = _BLANK.match(self.text, self.at, self.end)
        self.at = found.end() if found else self.at
        word = self.word()
        self._waiting.append(("".join(part.text for part in word.parts if isinstance(part, (Literal, Opaque))), indented))
        self.at = here

    def _skip_here_documents(self) -> None:
        for mark, indented in self._waiting:
            body = self.at
            while self.at < self.end:
                line_end = self.text.find("\n", self.at, self.end)
                line_end = line_end if line_end >= 0 else self.end
                line = self.text[self.at : line_end].rstrip("\r")
                if (line.strip() if indented else line.rstrip()) == mark:
                    break
                self.at = min(line_end + 1, self.end)
            self.bodies.append(Span(body, self.at))
            mark_end = self.text.find("\n", self.at, self.end)
            self.at = mark_end if mark_end >= 0 else self.end
        self._waiting.clear()

    def _array(self, found: re.Match[str]) -> Array:
        name = found[0][:-2]
        self.at = found.end()
        items: list[RawWord] = []
        while self.at < self.end and self._goes_on():
            self._skip_blanks()
            if self.text.startswith(("\n", ";"), self.at):
                self.at += 1
            elif self.text.startswith(")", self.at):
                self.at += 1
                break
            elif self.at < self.end:
                items.append(self.word())
        return Array(name.removesuffix("+"), name.endswith("+"), tuple(items), Span(found.start(), self.at))

    def word(self) -> RawWord:
        """One word from here on; an operator's character ends it."""
        start, parts = self.at, []
        while self.at < self.end and (part := self._part()) is not None:
            parts.extend(part)
            if not self._goes_on():
                break
        if self.at == start:  # a character that can start nothing here, such as a stray parenthesis
            self.at = min(start + 1, self.end)
        return RawWord(tuple(parts), Span(start, self.at))

    def _part(self) -> list[Part] | None:
        text, at = self.text, self.at
        found = _PLAIN.match(text, at, self.end)
        if found is not None:
            self.at = found.end()
            return [Literal(found[0], at)]
        mark = text[at]
        if mark == "\\":
            return self._escaped()
        if mark == "'":
            return [self._single(at + 1)]
        if mark == '"':
            return self._double()
        if mark == "$" and text.startswith('"', at + 1) and not self.make:  # a text to translate: as it stands in every other language
            self.at = at + 1
            return self._double()
        if mark in "$`":
            return [self._expansion(quoted=False)]
        if mark in "<>" and text.startswith("(", at + 1):
            return [self._opaque(at, self._closing(at + 2), quoted=True)]
        placeholder = _PLACEHOLDER.match(text, at, self.end) if mark == "<" else None
        if placeholder is not None:
            self.at = placeholder.end()
            return [Literal(placeholder[0], at, quoted=True)]
        return None

    def _escaped(self) -> list[Part]:
        at = self.at
        if self.text.startswith(("\\\n", "\\\r\n"), at):
            self.at = at + (2 if self.text[at + 1] == "\n" else 3)
            return []
        self.at = min(at + 2, self.end)
        return [Literal(self.text[at + 1 : self.at], at + 1, quoted=True)]

    def _single(self, start: int) -> Literal:
        close = self.text.find("'", start, self.end)
        close = close if close >= 0 else self.end
        self.at = min(close + 1, self.end)
        return Literal(self.text[start:close], start, quoted=True)

    def _double(self) -> list[Part]:
        self.at += 1
        parts: list[Part] = [Literal("", self.at, quoted=True)]
        while self.at < self.end and not self.text.startswith('"', self.at) and self._goes_on():
            parts.extend(self._inside_double())
        self.at = min(self.at + 1, self.end)
        return parts

    def _inside_double(self) -> list[Part]:
        at = self.at
        found = _IN_DOUBLE.match(self.text, at, self.end)
        if found is not None:
            self.at = found.end()
            return [Literal(found[0], at, quoted=True)]
        if self.text[at] != "\\":
            return [self._expansion(quoted=True)]
        if self.text[at + 1 : at + 2] in ("\n", "\r"):
            return self._escaped()
        kept = 1 if self.text[at + 1 : at + 2] in ('"', "\\", "$", "`") else 0
        self.at = min(at + 2, self.end)
        return [Literal(self.text[at + kept : self.at], at + kept, quoted=True)]

    def _expansion(self, quoted: bool) -> Part:
        text, at = self.text, self.at
        if text[at] == "`":
            close = text.find("`", at + 1, self.end)
            return self._opaque(at, (close if close >= 0 else self.end) + 1, quoted)
        if self.make and text.startswith("$$", at):
            self.at = at = at + 1
        elif self.make:
            return self._make_variable(quoted)
        following = text[at + 1 : at + 2]
        if following == "{":
            return self._braced(quoted)
        if following == "(":
            return self._opaque(at, self._closing(at + 2), quoted)
        if following == "'" and not quoted:
            return self._escapes_of_c(at)
        if following == "[":
            return self._unknown(self._past_bracket(at + 2), quoted)
        name = _NAME.match(text, at + 1, self.end)
        self.at = name.end() if name else at + 1
        return Variable(name[0], Span(at, self.at), quoted) if name else Literal("$", at, quoted)

    def _escapes_of_c(self, at: int) -> Part:
        """``$'a\\tb'``: known where nothing is escaped."""
        found = _OF_C.match(self.text, at + 2, self.end)
        end = found.end() if found else self.end
        return self._unknown(end + 1, quoted=True) if "\\" in self.text[at + 2 : end] else self._single(at + 2)

    def _past_bracket(self, at: int) -> int:
        close = self.text.find("]", at, self.end)
        return close + 1 if close >= 0 else self.end

    def _unknown(self, end: int, quoted: bool) -> Part:
        start, self.at = self.at, min(end, self.end)
        return Variable("", Span(start, self.at), quoted, UNKNOWN_OPERATOR)

    def _make_variable(self, quoted: bool) -> Part:
        at = self.at
        opening = self.text[at + 1 : at + 2]
        if opening not in ("(", "{"):
            self.at = min(at + 2, self.end)
            return Variable(opening, Span(at, self.at), quoted, UNKNOWN_OPERATOR)
        close = self._closing(at + 2) if opening == "(" else self._closing_brace(at + 2)
        name = self.text[at + 2 : close - 1].strip()
        self.at = close
        return Variable(name, Span(at, close), quoted, "" if name.isidentifier() else UNKNOWN_OPERATOR)

    def _braced(self, quoted: bool) -> Part:
        at = self.at
        close = self._closing_brace(at + 2)
        self.at = close
        found = _BRACED.match(self.text, at + 2, max(close - 1, at + 2))
        if found is None or self.depth >= MAX_NESTED:
            return Variable("", Span(at, close), quoted, UNKNOWN_OPERATOR)
        name, many, operator = found.groups()
        if operator is None:
            whole = found.end() == close - 1
            rest = self.text[found.end() : close - 1]
            if name == "#" and (one := _COUNTED.fullmatch(rest)) is not None:
                return Variable(one[1], Span(at, close), quoted, UNKNOWN_OPERATOR, rest="#")
            return Variable(name + (many or ""), Span(at, close), quoted, "" if whole else UNKNOWN_OPERATOR, rest=rest)
        inside = Lexer(self.text, found.end(), close - 1, make=self.make, depth=self.depth + 1, work=self.work)
        return Variable(name, Span(at, close), quoted, operator, inside.default_parts(quoted))

    def default_parts(self, quoted: bool = False) -> tuple[Part, ...]:
        """Everything up to the end as one word: blanks and operators are text behind ``:-``, and in double quotes so is a single one."""
        parts: list[Part] = []
        while self.at < self.end and self._goes_on():
            more = self._in_quoted_default() if quoted else self._part()
            if more is None:
                more = [Literal(self.text[self.at], self.at)]
                self.at += 1
            parts.extend(more)
        return tuple(parts)

    def here_parts(self) -> tuple[Part, ...]:
        """The text of a here-document whose mark is not quoted: quotes are text, parameters are expanded."""
        parts: list[Part] = []
        while self.at < self.end and self._goes_on():
            quote = next((mark for mark in ('"', '\\"') if self.text.startswith(mark, self.at)), "")
            parts.extend([Literal(quote, self.at, quoted=True)] if quote else self._inside_double())
            self.at += len(quote)
        return tuple(parts)

    def _in_quoted_default(self) -> list[Part]:
        mark = self.text[self.at]
        if mark == '"':
            return self._double()
        if mark == "\\" and self.text.startswith("}", self.at + 1):
            return self._escaped()
        return self._inside_double()

    def skip_calculation(self, start: int) -> int | None:
        """Step over the ``((...))`` that begins there; None where it is something else."""
        end, inner = self._closing(start + 1), self._closing(start + 2)
        if inner != end - 1 or not self.text.startswith("))", end - 2):
            return None
        self.at = end
        return end

    def within(self, span: Span) -> Lexer:
        """A part of the text."""
        return Lexer(self.text, span.start, span.end, work=self.work)

    def _opaque(self, start: int, end: int, quoted: bool) -> Opaque:
        self.at = max(min(end, self.end), start + 1)
        return Opaque(self.text[start : self.at], Span(start, self.at), quoted)

    def _closing(self, at: int) -> int:
        """Behind the parenthesis that closes the one before ``at``; quotes are stepped over."""
        return self._balanced(at, "(", ")")

    def _closing_brace(self, at: int) -> int:
        return self._balanced(at, "{", "}")

    def _balanced(self, at: int, opening: str, closing: str) -> int:
        depth, marks = 1, _MARKS[opening]
        while (found := marks.search(self.text, at, self.end)) is not None:
            char, at = found[0], found.end()
            if char in "'\"":
                at = self._past_quote(at - 1, char)
            depth += (char == _OPENS[opening]) - (char == closing)
            if not depth:
                return at
        return self.end

    def _past_quote(self, at: int, quote: str) -> int:
        found = _QUOTED[quote].match(self.text, at + 1, self.end)
        return min((found.end() if found else at) + 1, self.end)
