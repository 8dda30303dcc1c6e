"""Tokens into simple commands, with what stands around each: branches, loops, functions. Nothing is expanded.

Source: POSIX.1-2017 Shell Command Language 2.9 (commands) and 2.10 (grammar); bash 5.2 manual 3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from budgetlint.base.numerals import is_digits
from budgetlint.base.record import field, open_state, record, replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_assign import assignment_of, declared, leading, names_set
from budgetlint.documents.shell_expand import Assignment, Expander
from budgetlint.documents.shell_lexer import Array, Lexer, Operator, Token
from budgetlint.documents.shell_words import Literal, Opaque, RawWord, Variable, Word, moved, shifted
from budgetlint.documents.shell_written import Written

_PATTERN = "pattern"
"""The state of a ``case`` between ``in`` or ``;;`` and the ``)`` of the pattern."""
_OPENING = {"if": "if", "while": "loop", "until": "loop", "for": "loop", "select": "loop", "case": _PATTERN}
_CLOSING = {"fi": "if", "done": "loop", "esac": "case", "}": "{"}
_GOES_ON = frozenset(("then", "else", "elif", "do", "!", "time", "{"))
_CONDITIONAL = frozenset(("if", "loop", "case", _PATTERN, "function"))
_DECLARES = frozenset(("export", "declare", "local", "readonly", "typeset"))


_SUBMITTERS = ("sbatch", "qsub", "bsub", "oarsub")


def _is_cat(words: list[RawWord | Array]) -> bool:
    only = words[0] if len(words) == 1 else None
    return isinstance(only, RawWord) and only.bare == "cat"


@record
class RawCommand:
    words: tuple[RawWord, ...]
    environment: tuple[Assignment, ...]
    span: Span
    later: bool = False
    """It stands in a function, and runs when that is called."""
    reads: tuple[RawWord, int] | None = None
    """The mark of a here-document and which of them it is; of a here-string its word, and -1."""
    at: int = 0
    block: int = -1
    """Which of the blocks is the outermost that it stands in."""


@open_state
class CompoundCommand:
    """A function, or a ``for`` loop with the words that it goes over (none where they are not written). ``text[start:end]`` is the body."""

    name: str
    items: tuple[RawWord, ...] | None = None
    is_loop: bool = False
    at: int = 0
    start: int = -1
    end: int = -1


@open_state
class Parser:
    """Splits tokens into simple commands and keeps track of branches, loops and functions around them."""

    lexer: Lexer
    commands: list[RawCommand] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    blocks: list[CompoundCommand] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)
    """Of each part of the stack, which of the blocks it is, else -1."""
    shifts: int = 0
    """How many arguments have been shifted away by now."""
    inside: Counter[str] = field(default_factory=Counter)
    """How many of each kind are in the stack."""
    words: list[RawWord | Array] = field(default_factory=list)
    chained: bool = False
    """The command stands behind ``&&`` or ``||``: it may not run."""
    skip_word: bool = False
    redirect: str = ""
    """The redirection whose word comes next."""
    target: RawWord | None = None
    mark: RawWord | None = None
    """Of the command that is being read: the file behind ``>``, the mark behind ``<<``."""
    string: RawWord | None = None
    """The word behind ``<<<``."""
    piped: tuple[RawWord, int] | None = None
    """The here-document that a ``cat`` hands to the command behind its pipe."""
    marks: int = 0
    written: list[tuple[RawWord, RawWord, int]] = field(default_factory=list)
    """Target, mark, and which of the here-documents it is."""
    exported: list[tuple[str, int]] = field(default_factory=list)
    """Names that the programs which it starts find set, each with where that is said."""
    exports_all: bool = False
    asked: list[tuple[int, int]] = field(default_factory=list)
    """Where commands stand that submit a job inside of ``$(...)``, outside of its blocks."""
    over: bool = False
    """The script has left: ``exit``, or ``exec`` with a program."""

    def run(self) -> None:
        for token in self.lexer.tokens():
            self._take(token)
            if self.over:
                return
        self._finish()

    def _take(self, token: Token) -> None:
        if isinstance(token, Operator):
            self._operator(token)
        elif self.skip_word:
            self.skip_word = False
            self._redirected(token)
        elif self._names_function() and isinstance(token, RawWord) and token.bare == "{":  # function NAME {
            self._finish()
            self._reserved(token)
        elif isinstance(token, Array) or self.words or not self._reserved(token):
            self.words.append(self._shifted(token))

    def _shifted(self, token: RawWord | Array) -> RawWord | Array:
        if not self.shifts:
            return token
        if isinstance(token, Array):
            return replace(token, items=tuple(shifted(item, self.shifts) for item in token.items))
        return shifted(token, self.shifts)

    def _names_function(self) -> bool:
        return len(self.words) == 2 and isinstance(self.words[0], RawWord) and self.words[0].bare == "function"

    def _operator(self, token: Operator) -> None:
        if token.redirects:
            self.skip_word = not token.text.endswith("&-")
            self.redirect = token.text
        elif self._top() == _PATTERN:
            self._pattern(token)
        elif token.text == "(" and self._opens_function():
            name = self.words[0]
            self.words.clear()
            self._push("function", CompoundCommand(name.bare if isinstance(name, RawWord) else "", at=name.span.start))
        elif not (token.text == ")" and self._top() == "function" and not self.words):
            self._separator(token)

    def _redirected(self, word: RawWord | Array) -> None:
        """The word behind a redirection."""
        if self.redirect in (">", ">|", "1>") and isinstance(word, RawWord):
            self.target = word
        elif self.redirect.endswith("<<<") and isinstance(word, RawWord):
            self.string = word
        elif self.redirect.endswith(("<<", "<<-")) and isinstance(word, RawWord):
            self.mark = word
            self.marks += 1

    def here_documents(self, expander: Expander) -> Iterator[Written]:
        """What is known of the files that are written, once all variables are."""
        for target, mark, number in self.written:
            if (body := self._body(mark, number)) is not None:
                name, text = (expander.text(raw, target.span.start) for raw in (target, body))
                yield Written(name, text)

    def _body(self, mark: RawWord, number: int) -> RawWord | None:
        """The text of a here-document as one word; None where it does not end."""
        if number >= len(self.lexer.bodies):
            return None
        body = self.lexer.bodies[number]
        inner = Lexer(self.lexer.text, body.start, body.end, work=self.lexer.work)
        parts = inner.here_parts() if mark.bare else (Literal(self.lexer.text[body.start : body.end], body.start, quoted=True),)
        return RawWord(parts, body)

    def given_to(self, raw: RawCommand, expander: Expander, place: Callable[[int], int] | None) -> Word | None:
        """What a command reads, once all variables are known."""
        if raw.reads is None:
            return None
        mark, number = raw.reads
        body = mark if number < 0 else self._body(mark, number)
        if body is None:
            return None
        return expander.text(moved(body, place) if place is not None else body, self.lexer.end if raw.later else raw.at)

    def _top(self) -> str:
        return self.stack[-1] if self.stack else ""

    def _pattern(self, token: Operator) -> None:
        self.words.clear()
        if token.text == ")":
            self._becomes("case")

    def _separator(self, token: Operator) -> None:
        self._finish(token.text)
        self.skip_word = False
        self.chained = token.text in ("&&", "||") or (self.chained and token.text == "|")
        if token.text == "(":
            self._push("(")
        elif token.text == ")" and self.inside["("]:
            self._pop("(")
        elif token.text.startswith(";;") and self._top() == "case":
            self._becomes(_PATTERN)

    def _push(self, kind: str, block: CompoundCommand | None = None) -> None:
        self.stack.append(kind)
        self.opened.append(-1)
        self.inside[kind] += 1
        if block is not None:
            self._opens(block)

    def _opens(self, block: CompoundCommand) -> None:
        """The innermost part of the stack is this block."""
        self.opened[-1] = len(self.blocks)
        self.blocks.append(block)

    def _begins(self, at: int) -> None:
        """The body of the innermost block, if it is one, stands from here on."""
        if self.opened and self.opened[-1] >= 0 and self.blocks[self.opened[-1]].start < 0:
            self.blocks[self.opened[-1]].start = at

    def _becomes(self, kind: str) -> None:
        """The innermost block is now in another state."""
        self.inside[self.stack.pop()] -= 1
        self.opened.pop()
        self._push(kind)

    def _opens_function(self) -> bool:
        """``name ()``: the body follows as a group."""
        return len(self.words) == 1 and isinstance(self.words[0], RawWord) and bool(self.words[0].bare)

    def _reserved(self, word: RawWord) -> bool:
        """Is this first word of a command a reserved word, and dealt with?"""
        text = word.bare
        if text == "{" and self.stack and self.stack[-1] == "function":
            self._begins(word.span.end)
            return True
        if text == "do" and self._top() == "loop":
            self._begins(word.span.end)
        if text == "{":
            self._push("{")
        elif text == "function":
            self.words.append(word)
            return True
        elif text in _OPENING:
            self._push(_OPENING[text])
            if text in ("for", "select", "case"):
                self.words.append(word)
            return True
        elif text in _CLOSING:
            self._pop(_CLOSING[text], word.span.start)
            return True
        return text in _GOES_ON

    def _pop(self, kind: str, at: int = 0) -> None:
        """Close the innermost block of this kind; ``}`` closes a function too."""
        kinds = {"{": ("{", "function"), "case": ("case", _PATTERN)}.get(kind, (kind,))
        while self.stack:
            popped, block = self.stack.pop(), self.opened.pop()
            self.inside[popped] -= 1
            if block >= 0:
                self.blocks[block].end = at
            if popped in kinds:
                return

    def _finish(self, ends: str = "") -> None:
        """The end of a simple command, and the operator that ends it."""
        words, self.words = self.words, []
        target, mark, string = self.target, self.mark, self.string
        self.target = self.mark = self.string = None
        reads = (mark, self.marks - 1) if mark is not None else (string, -1) if string is not None else self.piped
        self.piped = None
        if not words:
            return
        if reads is not None and ends == "|" and target is None and _is_cat(words):
            self.piped = reads
        if target is not None and mark is not None and _is_cat(words) and self._is_certain():
            self.written.append((target, mark, self.marks - 1))
        first = words[0].bare if isinstance(words[0], RawWord) else ""
        if first in ("for", "select"):
            self._loop_variable(words)
        elif first == "function":
            name = words[1] if len(words) > 1 else words[0]
            self._push("function", CompoundCommand(name.bare if isinstance(name, RawWord) else "", at=words[0].span.start))
        elif first not in ("case", "[["):
            self._simple(words, reads)

    def _is_certain(self) -> bool:
        """Does every run of the script come here?"""
        return not (self.chained or any(self.inside[kind] for kind in _CONDITIONAL))

    def _loop_variable(self, words: list[RawWord | Array]) -> None:
        if len(words) > 1 and isinstance(words[1], RawWord):
            self.assignments.append(Assignment(words[1].bare, None, conditional=True))
            goes_over = len(words) > 2 and isinstance(words[2], RawWord) and words[2].bare == "in"
            items = tuple(word for word in words[3:] if isinstance(word, RawWord)) if goes_over else None
            if self._top() == "loop":
                self._opens(CompoundCommand(words[1].bare, items, is_loop=True, at=words[0].span.start))

    def _simple(self, words: list[RawWord | Array], reads: tuple[RawWord, int] | None = None) -> None:
        conditional = self.chained or any(self.inside[kind] for kind in _CONDITIONAL)
        count, found = leading(words, conditional)
        rest = [word for word in words[count:] if isinstance(word, RawWord)]
        name = rest[0].bare if rest else ""
        self._asks(words)
        if not rest or name in _DECLARES:
            self.assignments.extend(found)
            self.assignments.extend(declared(words[count + 1 :], conditional))
            self._exports(name, found, words[count + 1 :])
        elif name == "read" and self.lexer.bodies and words[-1].span.end < self.lexer.bodies[-1].start <= self.lexer.at:
            self._read_here_document(rest[-1].bare, conditional)
        elif name in ("read", "unset", "mapfile", "readarray", "getopts"):
            self.assignments.extend(Assignment(word.bare, None, conditional=True) for word in rest[1:] if word.bare.isidentifier())
        elif name == "set":
            self.exports_all = self._exports_all(rest)
        elif name == "exit":
            self.over = self._leaves(conditional)
        elif name == "shift" and not conditional:
            self.shifts += int(rest[1].bare) if len(rest) > 1 and is_digits(rest[1].bare) and len(rest[1].bare) < 4 else 1
        else:
            span = Span(words[0].span.start, words[-1].span.end)
            block = next((one for one in self.opened if one >= 0), -1)
            self.commands.append(RawCommand(tuple(rest), tuple(found), span, bool(self.inside["function"]), reads, span.start, block))
            self._sets(name, rest, conditional)
            self.over = name == "exec" and len(rest) > 1 and self._leaves(conditional)

    def _exports(self, name: str, assigned: list[Assignment], words: list[RawWord | Array]) -> None:
        """``export NAME``, ``declare -x NAME=value``, and every assignment behind ``set -a`` (bash 5.2 manual 4.1, 4.3.1)."""
        told = [word for word in words if isinstance(word, RawWord)]
        options = "".join(word.bare[1:] for word in told if word.bare.startswith("-"))
        if self.exports_all or (name == "export" and "n" not in options) or (name in ("declare", "typeset") and "x" in options):
            more = [one for word in words if (one := assignment_of(word, False)) is not None]
            self.exported += [(one.name, one.at) for one in (*assigned, *more) if self.exports_all or one in more]
            self.exported += [(word.bare, word.span.start) for word in told if word.bare.isidentifier()]

    def _exports_all(self, rest: list[RawWord]) -> bool:
        options = [word.bare for word in rest[1:]]
        if any(one in ("-a", "-o") or (one[:1] == "-" and "a" in one) for one in options):
            return "-o" not in options or "allexport" in options or self.exports_all
        return self.exports_all and not any(one in ("+a", "+o") for one in options)

    def _asks(self, words: list[RawWord | Array]) -> None:
        """``JOB=$(sbatch --parsable job.sh)``"""
        if all(block < 0 for block in self.opened):
            for part in (part for word in words if isinstance(word, RawWord) for part in word.parts):
                if isinstance(part, Opaque) and part.text.startswith("$(") and any(name in part.text for name in _SUBMITTERS):
                    self.asked.append((part.span.start + 2, part.span.end - 1))

    def _leaves(self, conditional: bool) -> bool:
        """Nothing behind it runs: it stands in no branch and no subshell. In a Makefile each line has a shell of its own."""
        return not (conditional or self.inside["("] or self.lexer.make)

    def _sets(self, name: str, rest: list[RawWord], conditional: bool) -> None:
        """Commands that set variables by the way: ``: ${X:=a}`` gives one that has none a value, ``eval X=…`` and ``let X=…`` set what
        nobody can know."""
        if name == ":":
            held = {one.name for one in self.assignments}
            for part in (part for word in rest[1:] for part in word.parts):
                if isinstance(part, Variable) and part.operator in (":=", "=") and part.name not in held:
                    value = RawWord(part.default, part.span)
                    self.assignments.append(Assignment(part.name, (value,), conditional, at=part.span.start))
        elif name in ("eval", "let") or (name == "printf" and len(rest) > 2 and rest[1].bare == "-v"):
            texts = [part.text for word in rest[1:] for part in word.parts if isinstance(part, Literal)]
            names = [rest[2].bare] if name == "printf" else [found for text in texts for found in names_set(text)]
            self.assignments.extend(Assignment(one, None, conditional=True) for one in names if one.isidentifier())

    def _read_here_document(self, name: str, conditional: bool) -> None:
        """``read -r -d '' NAME <<EOF``: the text becomes the variable."""
        body = self.lexer.bodies[-1]
        parts = Lexer(self.lexer.text, body.start, body.end, work=self.lexer.work).default_parts()
        self.assignments.append(Assignment(name, (RawWord(parts, body),), conditional, at=body.start))
