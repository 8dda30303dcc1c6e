"""Tokens into simple commands, with what stands around each: branches, loops, functions.

Source: POSIX.1-2017 Shell Command Language 2.9 (commands) and 2.10 (grammar); bash 5.2 manual 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_assign import declared, leading
from budgetlint.documents.shell_assignment import Assignment
from budgetlint.documents.shell_branches import Branches
from budgetlint.documents.shell_frames import (
    CASE,
    CLOSING,
    FUNCTION,
    GROUP,
    IF,
    LOOP,
    OPENING,
    PATTERN,
    SUBSHELL,
    CompoundCommand,
    Frame,
    RawCommand,
)
from budgetlint.documents.shell_rounds import counts, goes_round, names_loop
from budgetlint.documents.shell_simple import (
    DECLARES,
    READS,
    calculated,
    exported_names,
    exports_all,
    read_names,
    read_text,
    sets_by_the_way,
    submits,
)
from budgetlint.documents.shell_tokens import Array, Operator, Token
from budgetlint.documents.shell_words import RawWord, shifted
from budgetlint.documents.shell_writes import Writes

_GOES_ON = frozenset(("then", "else", "elif", "do", "!", "time", "{"))


@open_state
class Parser(Branches):
    """Splits tokens into simple commands and keeps track of branches, loops and functions around them."""

    commands: list[RawCommand] = field(default_factory=list)
    words: list[RawWord | Array] = field(default_factory=list)
    skip_word: bool = False
    """The word that comes next is a redirection's."""
    redirect: str = ""
    """The redirection whose word comes next."""
    writes: Writes = field(default_factory=Writes)
    exported: list[tuple[str, int]] = field(default_factory=list)
    """Names that the programs which it starts find set, each with where that is said."""
    exports_all: bool = False
    asked: list[tuple[int, int]] = field(default_factory=list)
    """Where commands stand that submit a job inside of ``$(...)``, outside of its blocks."""
    over: bool = False
    """The script has left: ``exit``, or ``exec`` with a program."""
    left: str = ""
    """How a round of a loop ended before its end: ``break`` or ``continue``."""
    lost: bool = False
    """A branch that nobody knows whether it runs leaves the round, or shifts."""

    def run(self) -> None:
        for token in self.lexer.tokens():
            self._take(token)
            if self.over:
                return
        self._finish()

    def _take(self, token: Token) -> None:
        self.captures(token)
        if self.brackets:
            self._bracket(token)
        elif isinstance(token, Operator):
            self._operator(token)
        elif self.skip_word:
            self.skip_word = False
            self.writes.redirected(self.redirect, token)
        elif self._names_function() and isinstance(token, RawWord) and token.bare == "{":  # function NAME {
            self._finish()
            self._reserved(token)
        elif isinstance(token, Array) or self.words or not self._reserved(token):
            self.fresh = False
            self.words.append(self._shifted(token))
            if len(self.words) == 1 and isinstance(token, RawWord) and token.bare == "[[":
                self.brackets = [token]

    def _bracket(self, token: Token) -> None:
        """Inside of ``[[``, where ``&&`` and ``<`` end no command."""
        self.brackets.append(token)
        if isinstance(token, RawWord) and token.bare == "]]":
            self.condition, self.brackets = self.brackets, []
        elif isinstance(token, Operator) and token.text == ";":
            self.brackets = []

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
        elif self.frames.top == PATTERN:
            self.pattern(token, self.words)
            self.words.clear()
        elif token.text == "(" and self.lexer.text.startswith("(", token.span.end) and (not self.words or self._is_for()):
            self._calculation(token)
        elif token.text == "(" and self._opens_function():
            name = self.words[0]
            self.words.clear()
            self._function(name.bare if isinstance(name, RawWord) else "", name.span.start)
        elif not (token.text == ")" and self.frames.top == FUNCTION and not self.words):
            self._separator(token)

    def _is_for(self) -> bool:
        return len(self.words) == 1 and isinstance(self.words[0], RawWord) and self.words[0].bare == "for"

    def _calculation(self, token: Operator) -> None:
        """``(( X = A / 2 ))``, ``for (( i = 0; i < 4; i++ ))``"""
        end = self.lexer.skip_calculation(token.span.start)
        if end is None:
            self._separator(token)
            return
        body, span = self.lexer.text[token.span.start + 2 : end - 2], Span(token.span.start, end)
        if self.words:
            self.words.clear()
            if (frame := self.frames.last) is not None:
                frame.written = body
            return
        self.captures(Operator("((", span), again=True)
        self.condition = [Operator("((", span)]
        one = calculated(body, span, self.conditional, self.shifts)
        if one is not None and self.runs:
            self.sets([one])
        elif one is None:
            self.sets(Assignment(name, None, conditional=True, at=span.start) for name in self.named_in(body))

    def _separator(self, token: Operator) -> None:
        at = token.span.start
        written = bool(self.words or self.condition)
        self._finish(token.text)
        self.skip_word = False
        if not (token.text == "\n" and self.fresh and not written):
            self.chain(token.text)
        if token.text == "(":
            self.opens(Frame(SUBSHELL, at))
        elif token.text == ")" and self.frames.inside[SUBSHELL]:
            self._close(SUBSHELL, at)
        elif token.text.startswith((";;", ";&")) and self.frames.top == CASE:
            self.ends_branch(at, PATTERN, falls="&" in token.text)

    def _opens_function(self) -> bool:
        """``name ()``: the body follows as a group."""
        return len(self.words) == 1 and isinstance(self.words[0], RawWord) and bool(self.words[0].bare)

    def _function(self, name: str, at: int) -> None:
        block = CompoundCommand(name if self.runs else "", at=at)
        self.opens(Frame(FUNCTION, at), block)
        self.functions.setdefault(block.name, []).append(block)

    def _reserved(self, word: RawWord) -> bool:
        """Is this first word of a command a reserved word, and dealt with?"""
        text, last = word.bare, self.frames.last
        if text == "{" and last is not None and last.kind == FUNCTION and last.body < 0:
            self.begins(word.span.end)
            return True
        if text == "do" and last is not None and last.kind == LOOP:
            if ";" in last.written:
                counts(self, last)
            self.begins(word.span.end)
        elif text in ("then", "elif", "else") and last is not None and last.kind == IF:
            self.branch(text, word.span)
        elif text == "!":
            self.negated = not self.negated
        if text == "{":
            self.opens(Frame(GROUP, word.span.start))
        elif text == "function":
            self.words.append(word)
            return True
        elif text in OPENING:
            self.opens(Frame(OPENING[text], word.span.start, written=text, asks=[] if text in ("if", "while", "until") else None))
            if text in ("for", "select", "case"):
                self.words.append(word)
            return True
        elif text in CLOSING:
            self._close(CLOSING[text], word.span.start)
            return True
        return text in _GOES_ON

    def _close(self, kind: str, at: int) -> None:
        """Close the innermost block of this kind; ``}`` closes a function too."""
        kinds = {GROUP: (GROUP, FUNCTION), CASE: (CASE, PATTERN)}.get(kind, (kind,))
        while (last := self.frames.last) is not None:
            self.closes(at)
            frame = self.frames.pop()
            if frame.kind == LOOP:
                goes_round(self, frame, at)
            elif frame.kind == FUNCTION and frame.block >= 0:
                self.blocks[frame.block].sets = tuple(frame.sets)
            elif frame.kind == GROUP:
                self.writes.group = frame.at
            elif frame.kind == SUBSHELL:
                self.writes.group = frame.at
                self.forgets({one.name for one in self.assignments[frame.every :]}, at)
            if last.kind in kinds:
                return

    def _finish(self, ends: str = "") -> None:
        """The end of a simple command, and the operator that ends it."""
        words, self.words = self.words, []
        condition, self.condition = self.condition, []
        reads = self.writes.ends(words, ends, certain=not self.conditional, noted=self.runs and self.frames.block() == -1)
        self.status = None
        if not words:
            self.status = self.asks_now(condition, shifts=0) if condition else None
        else:
            self._command(words, condition, reads, ends)
        self.negated = False

    def _command(self, words: list[RawWord | Array], condition: Sequence[Token], reads: tuple[RawWord, int] | None, ends: str) -> None:
        first = words[0].bare if isinstance(words[0], RawWord) else ""
        if ends in ("&&", "||"):
            self.status = self.asks_now(condition or words, shifts=self.shifts if condition else 0)
        if first in ("for", "select"):
            names_loop(self, words)
        elif first == "function":
            name = words[1] if len(words) > 1 else words[0]
            self._function(name.bare if isinstance(name, RawWord) else "", words[0].span.start)
        elif first not in ("case", "[["):
            self._simple(words, reads)

    def _simple(self, words: list[RawWord | Array], reads: tuple[RawWord, int] | None) -> None:
        conditional = self.conditional
        count, found = leading(words, conditional)
        rest = [word for word in words[count:] if isinstance(word, RawWord)]
        name = rest[0].bare if rest else ""
        if self.frames.block() == -1:
            self.asked.extend(submits(words))
        if not rest or name in DECLARES:
            if self.runs:
                own = declared(words[count + 1 :], conditional)
                self.sets(found)
                self.sets(own, local=name in ("local", "declare", "typeset"))
                self.exported += exported_names(name, found, words[count + 1 :], self.exports_all)
        elif name == "read" and self.lexer.bodies and words[-1].span.end < self.lexer.bodies[-1].start <= self.lexer.at:
            self.sets([read_text(rest[-1].bare, self.lexer, conditional)])
        elif name in READS:
            self.sets(read_names(rest))
        elif name == "set":
            self.exports_all = exports_all(rest, self.exports_all)
        elif name in ("exit", "break", "continue"):
            self._leaves(name, conditional)
        elif name == "shift":
            self._shift(rest, conditional)
        else:
            self._records(words, rest, tuple(found), reads)

    def _records(
        self, words: list[RawWord | Array], rest: list[RawWord], environment: tuple[Assignment, ...], reads: tuple[RawWord, int] | None
    ) -> None:
        block = self.frames.block()
        name, conditional = rest[0].bare, self.conditional
        span = Span(words[0].span.start, words[-1].span.end)
        if block is not None and (self.next is not False or self.hanging):
            self.commands.append(RawCommand(tuple(rest), environment, span, bool(self.frames.inside[FUNCTION]), reads, span.start, block))
        if self.runs:
            self.sets(sets_by_the_way(name, rest, conditional, {one.name for one in self.assignments} if name == ":" else ()))
            self.called(rest, span.start)
            if name == "exec" and len(rest) > 1:
                self.over = self._is_last(conditional)

    def _shift(self, rest: list[RawWord], conditional: bool) -> None:
        if conditional:
            self.lost = True
        elif self.runs:
            self.shifts += self.count_of(rest[1]) if len(rest) > 1 else 1

    def _leaves(self, name: str, conditional: bool) -> None:
        """``exit`` of a script that somebody starts to train is in no branch that runs only because he left something out."""
        if not self.runs:
            return
        if name == "exit" and self.retracts():
            return
        if conditional or self.frames.inside[SUBSHELL]:
            self.lost = True
        elif name == "exit" or self.fixed is not None:
            self.over, self.left = self._is_last(conditional), name

    def _is_last(self, conditional: bool) -> bool:
        """Nothing behind it runs: it stands in no branch and no subshell. In a Makefile each line has a shell of its own."""
        return not (conditional or self.frames.inside[SUBSHELL] or self.lexer.make)
