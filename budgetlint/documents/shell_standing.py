"""Where the reading of a script stands: what is around the next command, and what has been assigned so far."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.expression import expression
from budgetlint.base.numerals import is_digits
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import Span
from budgetlint.documents.shell_assignment import Assignment, by_argument
from budgetlint.documents.shell_expand import Expander
from budgetlint.documents.shell_frames import FUNCTION, IF, CompoundCommand, Frame, Frames
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_tokens import Array, Token
from budgetlint.documents.shell_words import SHIFTED_AWAY, RawWord, Variable

_NAME = expression(r"[A-Za-z_]\w*")


@open_state
class ScriptStanding:
    """``trial`` knows what the assignments so far come to."""

    lexer: Lexer
    trial: Expander
    fixed: int | None = None
    """Where all assignments of a round of a loop count, if it is one."""
    shifts: int = 0
    """How many arguments have been shifted away by now."""
    frames: Frames = field(default_factory=Frames)
    assignments: list[Assignment] = field(default_factory=list)
    learned: int = 0
    """How many of them the trial knows."""
    blocks: list[CompoundCommand] = field(default_factory=list)
    functions: dict[str, list[CompoundCommand]] = field(default_factory=dict)
    loops: list[tuple[int, int, dict[str, bool]]] = field(default_factory=list)
    """Where each loop stands, and what it changes."""
    brackets: list[Token] = field(default_factory=list)
    """Of the ``[[`` that is being read."""
    condition: list[Token] = field(default_factory=list)
    """The ``[[...]]`` or ``((...))`` that has just been read."""
    negated: bool = False
    status: bool | None = None
    """Of the command before."""
    next: bool | None = True
    """Does the command run that comes next in a list of ``&&`` and ``||``?"""
    hanging: bool = False
    """Does that hang on whoever starts the script?"""
    fresh: bool = False
    """Only ``&&`` or ``||`` has been read of what comes next."""
    skipped: bool | None = None
    """The status of the last command that ran, where others were passed over."""
    patterns: list[RawWord] = field(default_factory=list)
    """Of the branch of a ``case`` that is being read."""

    @property
    def conditional(self) -> bool:
        return self.next is None or self.frames.unsure > 0

    @property
    def runs(self) -> bool:
        """May the command run at all?"""
        return self.next is not False and not self.frames.dead

    def count_of(self, word: RawWord) -> int:
        """By how many arguments ``shift WORD`` moves them."""
        if not is_digits(text := word.bare):
            self.learns()
            told = self.trial.text(word, word.span.start if self.fixed is None else self.fixed + 1)
            text = told.text if told.is_told else ""
        return int(text) if is_digits(text) and len(text) < 4 else SHIFTED_AWAY

    def sets(self, more: Iterable[Assignment], *, local: bool = False) -> None:
        if not self.runs:
            return
        inside = (
            next((frame for frame in reversed(self.frames.stack) if frame.kind == FUNCTION), None) if self.frames.inside[FUNCTION] else None
        )
        for one in more:
            placed = one if self.fixed is None else replace(one, at=self.fixed)
            self.assignments.append(placed)
            if inside is not None and not local:
                inside.sets.append(placed)

    def forgets(self, names: Iterable[str], at: int) -> None:
        """What is set in a subshell is gone behind it."""
        self.assignments.extend(Assignment(name, None, conditional=True, at=at) for name in sorted(names))

    def called(self, words: list[RawWord], at: int) -> None:
        """A function changes the variables of the script; which of its branches run is not known."""
        name = words[0].bare
        if name not in self.functions:
            return
        hands_on = any(isinstance(part, Variable) and part.name[:1] in ("@", "*") for word in words[1:] for part in word.parts)
        if (frame := next((one for one in reversed(self.frames.stack) if one.kind == FUNCTION), None)) is not None:
            frame.calls.append(name)
            return
        done: set[str] = set()
        open_names = [name]
        while open_names:
            one = open_names.pop()
            if one not in done:
                done.add(one)
                for block in self.functions.get(one, ()):
                    told = (each if hands_on or not by_argument(each) else replace(each, words=None, asked=False) for each in block.sets)
                    self.sets(replace(each, conditional=True, at=at) for each in told)
                    open_names.extend(block.calls)

    def captures(self, token: Token, *, again: bool = False) -> None:
        """A token of the condition of an ``if`` or a ``while``."""
        frame = self.frames.last
        if frame is not None and frame.asks is not None:
            if again and frame.asks:
                frame.asks.pop()
            frame.asks.append(token)

    def opens(self, frame: Frame, block: CompoundCommand | None = None) -> None:
        outer = self.frames.last
        if outer is not None and outer.asks is not None:
            outer.asks.append(Array("", False, (), Span(frame.at, frame.at)))  # more than a condition
        frame.first = frame.every = len(self.assignments)
        if self.next is not True:
            frame.runs = False if self.next is False and not self.hanging else None
            frame.past = None
        elif frame.kind == IF:
            frame.runs = None
        frame.hangs = self.hanging and frame.runs is True
        self.next, self.hanging, self.fresh = True, False, False
        self.frames.push(frame)
        if block is not None:
            self.names_block(block)

    def names_block(self, block: CompoundCommand) -> None:
        """The innermost part is this block."""
        self.frames.stack[-1].block = len(self.blocks)
        self.blocks.append(block)

    def begins(self, at: int) -> None:
        """The body of the innermost part stands from here on."""
        frame = self.frames.stack[-1]
        if frame.body < 0:
            frame.body = at
            if frame.block >= 0:
                self.blocks[frame.block].start = at
        if frame.asks is not None:
            frame.condition, frame.asks = frame.asks[:-1], None

    def closes(self, at: int) -> None:
        """The innermost part ends here."""
        frame = self.frames.stack[-1]
        if frame.block >= 0:
            block = self.blocks[frame.block]
            block.end = at
            block.calls = tuple(frame.calls)

    def learns(self) -> None:
        """The trial knows all that has been assigned so far."""
        self.trial.learn(self.assignments[self.learned :])
        self.learned = len(self.assignments)

    def relearns(self) -> None:
        """Assignments that were learned are not there any more."""
        if self.learned > len(self.assignments):
            self.trial = self.trial.anew(self.assignments)
            self.learned = len(self.assignments)

    def named_in(self, body: str) -> set[str]:
        """Names that an arithmetic command may change."""
        return set(_NAME.findall(body)) if "=" in body or "++" in body or "--" in body else set()
