"""Shell scripts as located commands: what each command would be given, as far as the text alone tells. Never executed.

A variable is known when it is assigned once, literally, outside branches, loops and functions, whatever a branch takes from the
script's arguments; ``${NAME:-default}`` gives the default of a variable that the script does not set, and of an argument. Arithmetic
on known values is worked out. Everything else stays symbolic: ``$1``, ``$(...)``, a second assignment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod

from budgetlint.base.expression import expression
from budgetlint.base.record import field, open_record, open_state, record, replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_assign import counted_in, declared, leading, names_set
from budgetlint.documents.shell_expand import Assignment, Expander
from budgetlint.documents.shell_lexer import Array, Lexer, Operator, Token
from budgetlint.documents.shell_words import Literal, RawWord, Variable, Word, moved
from budgetlint.documents.shell_work import ShellWork
from budgetlint.documents.shell_written import Written

_PATTERN = "pattern"
"""The state of a ``case`` between ``in`` or ``;;`` and the ``)`` of the pattern."""
_OPENING = {"if": "if", "while": "loop", "until": "loop", "for": "loop", "select": "loop", "case": _PATTERN}
_CLOSING = {"fi": "if", "done": "loop", "esac": "case", "}": "{"}
_GOES_ON = frozenset(("then", "else", "elif", "do", "!", "time", "{"))
_CONDITIONAL = frozenset(("if", "loop", "case", _PATTERN, "function"))
_DECLARES = frozenset(("export", "declare", "local", "readonly", "typeset"))


@record
class Way:
    """One round of loops: what it is called (``lr=1e-4``), and the command with the loops' variables filled in."""

    name: str
    words: tuple[Word, ...]


@record
class Command:
    """One simple command: ``words`` expanded, ``environment`` what is assigned in front of it. Redirections are left out."""

    words: tuple[Word, ...]
    environment: Mapping[str, Word]
    span: Span
    ways: tuple[Way, ...] = ()
    """In loops over words that are known, the command of each round."""


@open_record
class Script:
    """The commands of a script in the order of the text, and its variables."""

    commands: tuple[Command, ...]
    expander: Expander
    written: tuple[Written, ...] = ()
    """The files that it writes with here-documents, outside of branches and functions."""

    def value(self, name: str) -> Word | None:
        """What a variable holds, as one word; None where the script does not set it."""
        return self.expander.variable(name)


def read_shell(
    text: str,
    start: int = 0,
    end: int | None = None,
    *,
    given: Mapping[str, Word] | None = None,
    place: Callable[[int], int] | None = None,
    make: bool = False,
    work: ShellWork | None = None,
) -> Script:
    """The commands of ``text[start:end]``. ``given`` are variables that the surroundings set (a job's ``envs``); ``place`` says
    where a character of the text stands in the file, where the text is not the file's. ``work`` is the account of the file."""
    work = work if work is not None else ShellWork()
    parser = _Parser(Lexer(text, start, end, make=make, work=work))
    parser.run()
    parser.assignments.extend(
        Assignment(name, None, conditional=True) for name in counted_in(text, start, len(text) if end is None else end)
    )
    assigned, raws = parser.assignments, parser.commands
    if place is not None:
        assigned, raws = [_moved_assignment(one, place) for one in assigned], [_moved_command(raw, place) for raw in raws]
    expander = Expander(assigned, given if given is not None else {}, work)
    ordered = place is None and not make
    commands = tuple(_command(raw, expander, raw.span.start if ordered and not raw.later else None) for raw in raws)
    written = tuple(parser.here_documents(expander)) if place is None else ()
    return Script(tuple(command for command in commands if command.words), expander, written)


def _moved_assignment(one: Assignment, place: Callable[[int], int]) -> Assignment:
    return replace(one, words=tuple(moved(word, place) for word in one.words) if one.words is not None else None, at=0)


def _moved_command(raw: _RawCommand, place: Callable[[int], int]) -> _RawCommand:
    words = tuple(moved(word, place) for word in raw.words)
    loops = tuple((name, tuple(moved(word, place) for word in some)) for name, some in raw.loops)
    return _RawCommand(words, tuple(_moved_assignment(one, place) for one in raw.environment), words[0].span, raw.later, loops)


def _command(raw: _RawCommand, expander: Expander, until: int | None) -> Command:
    words, environment = _parts(raw, expander, until)
    ways = tuple(_rounds(raw, expander, until)) if raw.loops else ()
    return Command(words, environment, raw.span, ways)


def _rounds(raw: _RawCommand, expander: Expander, until: int | None) -> Iterator[Way]:
    """The command of each round of the loops whose variables it names; none where a loop's words are not known, or too many."""
    named = {name for word in raw.words for name in _names_in(word)}
    loops = [(name, expander.told(words, until)) for name, words in dict(raw.loops).items() if name in named and expander.is_looped(name)]
    if not loops or any(len(values) == 0 for _, values in loops) or prod(len(values) for _, values in loops) > MOST_ROUNDS:
        return
    for values in product(*(values for _, values in loops)):
        with expander.bound({name: value for (name, _), value in zip(loops, values, strict=True)}):
            words = tuple(word for part in raw.words for word in expander.words(part, until))
        yield Way(", ".join(f"{name}={value.text}" for (name, _), value in zip(loops, values, strict=True)), words)


def _names_in(word: RawWord) -> Iterator[str]:
    for part in word.parts:
        if isinstance(part, Variable):
            yield part.name
        elif not isinstance(part, Literal):
            yield from _IN_TEXT.findall(part.text)


MOST_ROUNDS = 4
"""Rounds of loops around one command that are told apart; each is followed for itself."""
_IN_TEXT = expression(r"\$\{?([A-Za-z_]\w*)")


def _parts(raw: _RawCommand, expander: Expander, until: int | None) -> tuple[tuple[Word, ...], dict[str, Word]]:
    environment = {one.name: expander.single(one) for one in raw.environment}
    return tuple(word for part in raw.words for word in expander.words(part, until)), environment


@record
class _RawCommand:
    words: tuple[RawWord, ...]
    environment: tuple[Assignment, ...]
    span: Span
    later: bool = False
    """It stands in a function, and runs when that is called."""
    loops: tuple[tuple[str, tuple[RawWord, ...]], ...] = ()
    """The loops over words around it: variable and words."""


@open_state
class _Parser:
    """Splits tokens into simple commands and keeps track of branches, loops and functions around them."""

    lexer: Lexer
    commands: list[_RawCommand] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
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
    marks: int = 0
    written: list[tuple[RawWord, RawWord, int]] = field(default_factory=list)
    """Target, mark, and which of the here-documents it is."""
    loops: list[tuple[str, tuple[RawWord, ...]] | None] = field(default_factory=list)
    """Of each loop in the stack, variable and words; None for one that goes over none."""
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
        elif isinstance(token, Array) or self.words or not self._reserved(token):
            self.words.append(token)

    def _operator(self, token: Operator) -> None:
        if token.redirects:
            self.skip_word = not token.text.endswith("&-")
            self.redirect = token.text
        elif self._top() == _PATTERN:
            self._pattern(token)
        elif token.text == "(" and self._opens_function():
            self.words.clear()
            self._push("function")
        elif not (token.text == ")" and self._top() == "function" and not self.words):
            self._separator(token)

    def _redirected(self, word: RawWord | Array) -> None:
        """The word behind a redirection."""
        if self.redirect in (">", ">|", "1>") and isinstance(word, RawWord):
            self.target = word
        elif self.redirect.endswith(("<<", "<<-")) and isinstance(word, RawWord):
            self.mark = word
            self.marks += 1

    def here_documents(self, expander: Expander) -> Iterator[Written]:
        """What is known of the files that are written, once all variables are."""
        for target, mark, number in self.written:
            if number >= len(self.lexer.bodies):
                continue
            body = self.lexer.bodies[number]
            inner = Lexer(self.lexer.text, body.start, body.end, work=self.lexer.work)
            parts = inner.here_parts() if mark.bare else (Literal(self.lexer.text[body.start : body.end], body.start, quoted=True),)
            name, text = (expander.text(raw, target.span.start) for raw in (target, RawWord(parts, body)))
            yield Written(name, text)

    def _top(self) -> str:
        return self.stack[-1] if self.stack else ""

    def _pattern(self, token: Operator) -> None:
        self.words.clear()
        if token.text == ")":
            self._becomes("case")

    def _separator(self, token: Operator) -> None:
        self._finish()
        self.skip_word = False
        self.chained = token.text in ("&&", "||") or (self.chained and token.text == "|")
        if token.text == "(":
            self._push("(")
        elif token.text == ")" and self.inside["("]:
            self._pop("(")
        elif token.text.startswith(";;") and self._top() == "case":
            self._becomes(_PATTERN)

    def _push(self, kind: str) -> None:
        self.stack.append(kind)
        self.inside[kind] += 1
        if kind == "loop":
            self.loops.append(None)

    def _becomes(self, kind: str) -> None:
        """The innermost block is now in another state."""
        self.inside[self.stack.pop()] -= 1
        self._push(kind)

    def _opens_function(self) -> bool:
        """``name ()``: the body follows as a group."""
        return len(self.words) == 1 and isinstance(self.words[0], RawWord) and bool(self.words[0].bare)

    def _reserved(self, word: RawWord) -> bool:
        """Is this first word of a command a reserved word, and dealt with?"""
        text = word.bare
        if text == "{" and self.stack and self.stack[-1] == "function":
            return True
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
            self._pop(_CLOSING[text])
            return True
        return text in _GOES_ON

    def _pop(self, kind: str) -> None:
        """Close the innermost block of this kind; ``}`` closes a function too."""
        kinds = {"{": ("{", "function"), "case": ("case", _PATTERN)}.get(kind, (kind,))
        while self.stack:
            popped = self.stack.pop()
            self.inside[popped] -= 1
            if popped == "loop":
                self.loops.pop()
            if popped in kinds:
                return

    def _finish(self) -> None:
        """The end of a simple command."""
        words, self.words = self.words, []
        target, mark, self.target, self.mark = self.target, self.mark, None, None
        if not words:
            return
        if target is not None and mark is not None and self._is_cat(words):
            self.written.append((target, mark, self.marks - 1))
        first = words[0].bare if isinstance(words[0], RawWord) else ""
        if first in ("for", "select"):
            self._loop_variable(words)
        elif first == "function":
            self._push("function")
        elif first not in ("case", "[["):
            self._simple(words)

    def _is_cat(self, words: list[RawWord | Array]) -> bool:
        """``cat`` alone, in a place that every run of the script comes to."""
        only = words[0] if len(words) == 1 else None
        certain = not (self.chained or any(self.inside[kind] for kind in _CONDITIONAL))
        return certain and isinstance(only, RawWord) and only.bare == "cat"

    def _loop_variable(self, words: list[RawWord | Array]) -> None:
        if len(words) > 1 and isinstance(words[1], RawWord):
            raws = tuple(word for word in words[3:] if isinstance(word, RawWord))
            is_plain = len(words) > 3 and isinstance(words[2], RawWord) and words[2].bare == "in" and bool(self.loops)
            if is_plain and isinstance(words[0], RawWord) and words[0].bare == "for":
                self.loops[-1] = (words[1].bare, raws)
            self.assignments.append(Assignment(words[1].bare, None, conditional=True, looped=is_plain))

    def _simple(self, words: list[RawWord | Array]) -> None:
        conditional = self.chained or any(self.inside[kind] for kind in _CONDITIONAL)
        count, found = leading(words, conditional)
        rest = [word for word in words[count:] if isinstance(word, RawWord)]
        name = rest[0].bare if rest else ""
        if not rest or name in _DECLARES:
            self.assignments.extend(found)
            self.assignments.extend(declared(words[count + 1 :], conditional))
        elif name == "read" and self.lexer.bodies and words[-1].span.end < self.lexer.bodies[-1].start <= self.lexer.at:
            self._read_here_document(rest[-1].bare, conditional)
        elif name in ("read", "unset", "mapfile", "readarray", "getopts"):
            self.assignments.extend(Assignment(word.bare, None, conditional=True) for word in rest[1:] if word.bare.isidentifier())
        elif name == "exit":
            self.over = self._leaves(conditional)
        else:
            span = Span(words[0].span.start, words[-1].span.end)
            loops = tuple(one for one in self.loops if one is not None)
            self.commands.append(_RawCommand(tuple(rest), tuple(found), span, bool(self.inside["function"]), loops))
            self._sets(name, rest, conditional)
            self.over = name == "exec" and len(rest) > 1 and self._leaves(conditional)

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
