"""Which branches of a script run: conditions are answered where the text tells, and a branch that does not run changes nothing.

A branch that only runs if whoever starts the script sets a variable is kept as a block of its own: somebody may.
"""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.base.record import open_state
from budgetlint.base.source import Span
from budgetlint.documents.shell_assign import assignment_of
from budgetlint.documents.shell_conditions import Conditions
from budgetlint.documents.shell_frames import CASE, IF, CompoundCommand, Frame
from budgetlint.documents.shell_standing import ScriptStanding
from budgetlint.documents.shell_tokens import Array, Operator, Token
from budgetlint.documents.shell_words import RawWord


@open_state
class Branches(ScriptStanding):
    """The answers."""

    def chain(self, sign: str) -> None:
        """What ``&&``, ``||`` and the ends of lists make of the command that comes next."""
        if sign == "|":
            self.status = None
            return
        before, self.fresh = self.next, sign in ("&&", "||")
        if not self.fresh:
            self.next, self.hanging = True, False
            return
        status = None if before is None else (self.skipped if before is False else self.status)
        self.skipped = status
        self.next = status if sign == "&&" else None if status is None else not status

    def asks_now(self, tokens: Sequence[Token], shifts: int) -> bool | None:
        """What a command answers: a test, or assignments, which never fail."""
        words = [token for token in tokens if isinstance(token, (RawWord, Array))]
        if words and len(words) == len(tokens) and all(assignment_of(word, False) is not None for word in words):
            return not self.negated
        if not self.frames.straight() or not self.runs:
            return None
        answer = self.conditions(tokens[0].span.start, shifts).holds(tokens) if tokens else None
        self.hanging = self.hanging or self.trial.hangs
        return None if answer is None else answer != self.negated

    def conditions(self, at: int, shifts: int) -> Conditions:
        """Whoever asks about what holds there."""
        self.learns()
        self.trial.hangs = False
        return Conditions(self.trial, self.lexer.text, at if self.fixed is None else self.fixed + 1, shifts)

    def branch(self, word: str, span: Span) -> None:
        """``then``, ``elif``, ``else`` of an ``if``."""
        frame = self.frames.stack[-1]
        if word == "then":
            asked, frame.asks = (frame.asks or [])[:-1], None
            answer = self._answer(frame, asked)
        else:
            self.ends_branch(span.start, IF)
            if word == "elif":
                frame.asks = []
                self.frames.becomes(None, False if frame.past is True else None)
                return
            answer = True
        self._enters(frame, answer, span.end)

    def _answer(self, frame: Frame, asked: Sequence[Token]) -> bool | None:
        is_plain = self.frames.straight() and not self._is_dead_around(frame)
        if frame.past is not False or not asked or not is_plain:
            return None
        answer = self.conditions(asked[0].span.start, self.shifts).holds(asked)
        frame.hangs = frame.hangs or self.trial.hangs
        return answer

    def _is_dead_around(self, frame: Frame) -> bool:
        return self.frames.dead > (frame.runs is False)

    def _enters(self, frame: Frame, answer: bool | None, at: int) -> None:
        """A branch that runs if the answer is yes, and none before it has run."""
        runs = False if frame.past is True else answer if frame.past is False or answer is False else None
        self.frames.becomes(None, runs)
        frame.first = len(self.assignments)
        if runs is False and frame.hangs and self.frames.straight() and not self._is_dead_around(frame) and self.frames.block() is None:
            self.names_block(CompoundCommand("", is_branch=True, at=at, start=at, shifts=self.shifts))

    def ends_branch(self, at: int, kind: str, *, falls: bool = False) -> None:
        frame = self.frames.stack[-1]
        if frame.block >= 0:
            self.blocks[frame.block].end = at
            frame.block = -1
        if frame.runs is not False:
            frame.past = None if falls else True if frame.runs and frame.past is False else frame.past or None
        self.frames.becomes(kind, True)

    def pattern(self, token: Operator, words: list[RawWord | Array]) -> None:
        """The words in front of an operator, between ``case`` and the ``)`` of a pattern."""
        frame = self.frames.stack[-1]
        told = [word for word in words if isinstance(word, RawWord)]
        if not frame.head and len(told) > 1 and told[0].bare == "case":
            frame.head, told = (told[1],), told[3:]
        self.patterns.extend(told)
        if token.text == ")":
            answer, self.patterns = self._fits(frame, self.patterns), []
            self.frames.becomes(CASE, True)
            self._enters(frame, answer, token.span.end)

    def _fits(self, frame: Frame, patterns: Sequence[RawWord]) -> bool | None:
        if frame.past is not False or not frame.head or not self.frames.straight() or self._is_dead_around(frame):
            return None
        asked = self.conditions(frame.at, 0)
        text = asked.told(frame.head[0])
        frame.hangs = frame.hangs or self.trial.hangs
        answers = (
            [asked.fits(text, raw, told) if (told := asked.told(raw)) is not None else None for raw in patterns]
            if text is not None
            else [None]
        )
        return True if True in answers else None if None in answers else False

    def retracts(self) -> bool:
        """Does a branch leave that is only taken because nobody said anything? Then somebody says something."""
        frame = next((one for one in reversed(self.frames.stack) if one.hangs and one.runs is True), None)
        if frame is None:
            return self.hanging
        del self.assignments[frame.first :]
        self.relearns()
        self.frames.set_runs(frame, False)
        frame.past = False
        return True
