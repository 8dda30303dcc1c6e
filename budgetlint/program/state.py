"""The state of one program that is followed, and what every part of the interpreter asks of it.

The parts (statements, expressions, calls, packages) know only this module; `follow` puts them together.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from budgetlint.base.limits import PROGRAM_CALLS, PROGRAM_CHANGES, PROGRAM_ROUNDS, PROGRAM_STEPS
from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import both, choice
from budgetlint.program.copies import frozen, reachable
from budgetlint.program.ends import ANY_ERROR, Dead, TooLong
from budgetlint.program.heap import Heap, Home, Outcome, perhaps_absent
from budgetlint.program.noted import AskedWord, Doubt, Refusal, Schedule, Slips, TrueText
from budgetlint.program.objects import Function, Handler, Object
from budgetlint.program.places import Origin, Place
from budgetlint.program.sinks import Condition, Sink
from budgetlint.program.steps import ModelRun
from budgetlint.program.stops import Decided, Passed, met
from budgetlint.program.values import ABSENT, NONE, Choice, External, Items, Key, Known, Map, Names, Opaque, Value, Way

if TYPE_CHECKING:
    from budgetlint.program.interface import Interface, Sought
    from budgetlint.program.modules import Modules

STEPS, WRITES, DEEP, UNROLLED = PROGRAM_STEPS.most, PROGRAM_CHANGES.most, PROGRAM_CALLS.most, PROGRAM_ROUNDS.most
"""Steps; changes of names and objects, those of each way and each join counted; functions within functions; items one by one."""
IN_ITSELF = 10
"""How often a function may stand in its own call."""
NESTED = 640
"""Python's own frames, of 1,000, that the following of nested code may take, counted as below; 67 programs take 306 at most, and callers
have 200."""
_EXPRESSION, _STATEMENT, _CALL, _STRETCH = 4, 4, 5, 8
"""Frames that each takes at most, helpers of its handler included."""

_SETTABLE = frozenset({"arguments", "adapter_config", "quantisation"})
"""Sinks whose objects have fields that anybody may set, those that nobody gave too."""
NOWHERE = ast.Pass()
"""The node of a call that no text makes: a parser that converts a word."""
GOES_ON = ("", NONE)
Signal = tuple[str, Value]
"""How a statement ends: ``""`` it goes on, ``return`` with its value, ``break``, ``continue``, ``raise`` with the error."""


class AttributesOf(Protocol):
    def get(self, it: Interpreter, base: Value, name: str, place: Place) -> Value: ...
    def set(self, it: Interpreter, base: Value, name: str, value: Value, place: Place) -> None: ...


class Parts(NamedTuple):
    """The interpreter's parts, put together by `follow`."""

    statements: Mapping[type[ast.AST], Callable[..., Signal]]
    expressions: Mapping[type[ast.AST], Callable[..., Value]]
    call: Callable[[Interpreter, Value, Call], Value]
    attributes: AttributesOf
    builtins: Mapping[str, Value]
    functions: Mapping[str, Handler]
    """What functions and classes of packages do, by qualified name."""
    methods: Mapping[str, Callable[[Interpreter, Value, Call], Value]]
    """The same of methods: ``argparse.ArgumentParser.parse_args``."""
    constants: Mapping[str, Value]
    properties: Mapping[str, Callable[[Interpreter, Value], Value]]
    """AttributesOf of plain values and of a package's objects: ``path.parent``."""
    node: Callable[[Interpreter, Map, Key], Value]
    """The value of a key; of a tree that resolves ``${a.b}``, resolved. ABSENT where it is not there."""
    sink: Callable[[Interpreter, str, Call, Value | None], Value | None]
    """A call of this name, if it decides memory: written down, and what comes of it. The last is what it is a method of."""
    default: Callable[[Interpreter, Object, str], Value | None]
    """What a package's class has for an attribute that nobody set; None where that is not told."""


class Launched(NamedTuple):
    """How a program is started. ``words``: its arguments, Known or Open; None where nobody starts it here. ``folder``: where it is started,
    from the root of the project. ``environment``: what the launch exports; ``unset``: what a launcher would set and none is there."""

    words: tuple[Value, ...] | None = None
    folder: str = ""
    environment: Mapping[str, Value] = {}
    unset: frozenset[str] = frozenset()


class Interpreter:
    """One program on its way. ``modules`` finds and keeps the repository's; ``default`` says what a package's class has for a field."""

    def __init__(self, parts: Parts, modules: Modules, launched: Launched) -> None:
        self.parts, self.modules, self.launched = parts, modules, launched
        self.heap = Heap()
        self.conditions: list[str] = []
        self.sinks: list[Sink] = []
        self.runs: list[ModelRun] = []
        """Calls of models and modules."""
        self.doubts: list[Doubt] = []
        self.refusals: list[Refusal] = []
        self.past: frozenset[ast.stmt] = frozenset()
        """Errors that are read on past (`stops`)."""
        self.ended: list[ast.stmt] = []
        """Errors that the program surely comes to."""
        self.passed: list[Passed] = []
        self.true_texts: list[TrueText] = []
        """Texts that say no and were taken for true."""
        self.slips = Slips()
        self.schedules: list[Schedule] = []
        self.asked_words: dict[tuple[str, int, int, str], AskedWord] = {}
        self.untaken: dict[int, set[bool]] = {}
        """Of each condition (`ast.If`) that was decided, how."""
        self.decided: list[Decided] = []
        """The conditions around that are known, the innermost last."""
        self.interfaces: list[Interface] = []
        self.sought: list[Sought] = []
        self.loaders: dict[str, str] = {}
        """By path, what loads a file that the program opens."""
        self.flags: dict[str, tuple[str, ...]] = {}
        """By destination, the flags of the options that were read."""
        self.opened: list[tuple[str, Origin]] = []
        """Files of the repository that the program opens, and where their names come from."""
        self.read: list[tuple[str, Value]] = []
        """Fields of argument objects that were asked for, in order: the program's read set."""
        self.asked: dict[tuple[str, int], bool] = {}
        """Values of configs that were asked for (`reads.Asked`)."""
        self.missed: dict[tuple[str, int], set[str]] = {}
        """By mapping of a config, the keys that were asked for and are not there."""
        self.takes: dict[ast.Name, str] = {}
        """Names in loops over a mapping that take the value of an entry, and how (`sifting`)."""
        self.sifts: dict[ast.expr, bool] = {}
        """What such loops go over, and whether nobody else has it."""
        self.kept: set[tuple[str, int]] = set()
        """Values of configs that such loops copy."""
        self.dropping: set[tuple[str, int]] = set()
        """Mappings of configs that are gone over so, and that nobody else has."""
        self.steps = self.nested = 0
        self.within: tuple[Function, ...] = ()
        """The functions that were open when a bound was reached."""
        self.stack: list[Function] = []
        self.blind: list[ast.AST | None] = []
        """Of each of these the node, where nothing that it was given is known."""
        self.carried: dict[int, dict[tuple[object, str, Key], tuple[Home, str, Key]]] = {}
        """By loop, what its rounds hand on: a name of its body (no target), or a part of an object."""
        self.tries: list[frozenset[str]] = []
        """For each `try` that is open, which errors it may catch, by the names of their classes: a way that ends in one is then kept."""
        self.caught: list[Value] = []
        """The errors whose handlers are followed, the innermost last."""

    # the program text

    @property
    def outside(self) -> Frame:
        """The frame of a call that no text makes."""
        return Frame(Names(None, self.modules.made[self.modules.entry]))

    def place(self, node: ast.AST, frame: Frame) -> Place:
        return Place(frame.module.path, getattr(node, "lineno", 0), node)

    def tick(self) -> None:
        self.steps += 1
        if self.steps > STEPS or self.heap.writes > WRITES:
            self.within = tuple(self.stack)
            raise TooLong(f"the program is too long to follow ({STEPS:,} steps)")

    def may_fail(self, error: str = "") -> None:
        """What is done here ends in an error for some values that it may have: the handlers of the `try` around are ways too.

        ``error``: the name of Python's class, empty where that is not told.
        """
        if self.tries and any(_may_catch(names, error) for names in self.tries):
            self.heap.leave(Outcome("raise", External(error) if error else ANY_ERROR, {}))

    def may_be_caught(self, error: str) -> bool:
        """Whether a `try` around may take an error of this class of Python's, any where that is not told; `finally` may end any."""
        return any(not names or _may_catch(names, error) for names in self.tries)

    def deeper(self, frames: int) -> None:
        """Something begins that takes this many of Python's own frames at most; who began it takes them off again."""
        self.nested += frames
        if self.nested > NESTED:
            self.nested -= frames
            raise TooLong("the program is nested too deep to follow")

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """What an expression is."""
        self.tick()
        handler = self.parts.expressions.get(type(node))
        if handler is None:
            return Opaque(f"{type(node).__name__} is not followed")
        self.deeper(_EXPRESSION)
        try:
            return handler(self, node, frame)
        finally:
            self.nested -= _EXPRESSION

    def run(self, body: Iterable[ast.stmt], frame: Frame) -> Signal:
        """Statements in order, until one leaves."""
        for node in body:
            self.tick()
            handler = self.parts.statements.get(type(node))
            if handler is None:
                continue
            self.deeper(_STATEMENT)
            try:
                signal = handler(self, node, frame)
            finally:
                self.nested -= _STATEMENT
            if signal[0]:
                return signal
        return GOES_ON

    def call(self, function: Value, call: Call) -> Value:
        """What a call comes to."""
        self.deeper(_CALL)
        try:
            return self.parts.call(self, function, call)
        finally:
            self.nested -= _CALL

    def attribute(self, base: Value, name: str, place: Place) -> Value:
        return self.parts.attributes.get(self, base, name, place)

    def set_attribute(self, base: Value, name: str, value: Value, place: Place) -> None:
        self.parts.attributes.set(self, base, name, value, place)

    # ways

    def fork(self, ways: Iterable[tuple[str, Callable[[], Signal]]]) -> Signal:
        """Several ways, each from the state of now. What they leave differently is a choice; those that end in an error are no runs."""
        outcomes: list[Outcome] = []
        alive = 0
        first = len(self.sinks)
        for when, run in ways:
            found = self.way(when, run)
            alive += bool(found)
            outcomes += found
        if alive == 1:
            self._certain(first)
        return self.settle(outcomes)

    def way(self, when: str, run: Callable[[], Signal]) -> list[Outcome]:
        """All outcomes of one way. The state is that from before; sinks of a way that ends in an error are no sinks."""
        first = len(self.sinks)
        self.conditions.append(when if isinstance(when, Condition) else Condition(when))
        try:
            found = self.stretch(run)
        finally:
            self.conditions.pop()
        if not found:
            del self.sinks[first:]
        return [one._replace(when=both(when, one.when)) for one in found]

    def stretch(self, run: Callable[[], Signal]) -> list[Outcome]:
        """A stretch of the program: how it can end. Ways that end in an error are among them where something may catch it.

        The state is that from before.
        """
        self.deeper(_STRETCH)
        try:
            found = self.heap.region(lambda: self.guarded(run))
        finally:
            self.nested -= _STRETCH
        return found if self.tries else [one for one in found if one.signal != "raise"]

    def through(self, run: Callable[[], Signal], gone: Names | None = None) -> Signal | list[Outcome]:
        """A stretch that is gone on with: how it ends, and its changes stay.

        The outcomes, as of `stretch`, where it can end in several ways or in an error. ``gone``: names that nobody can ask for afterwards.
        """
        self.deeper(_STRETCH)
        try:
            found = self.heap.through(lambda: self.guarded(run), gone)
        finally:
            self.nested -= _STRETCH
        return found if self.tries or not isinstance(found, list) else [one for one in found if one.signal != "raise"]

    def tried(self, ask: Callable[[], Value]) -> list[Outcome]:
        """What an expression would come to: nothing of it is done or written down, as it is asked again where it stands."""
        sinks, doubts, read, refusals, passed = (len(one) for one in (self.sinks, self.doubts, self.read, self.refusals, self.passed))
        found = self.stretch(lambda: ("", ask()))
        del self.sinks[sinks:], self.doubts[doubts:], self.read[read:], self.refusals[refusals:], self.passed[passed:]
        return found

    def guarded(self, run: Callable[[], Signal]) -> Signal:
        """An error inside is a signal."""
        try:
            return run()
        except Dead as end:
            return (end.signal, end.error)

    def settle(self, outcomes: list[Outcome]) -> Signal:
        """Goes on with the ways that go on; the others leave the open region. None that goes on: the signal of those that leave."""
        if not outcomes:
            return ("raise", ANY_ERROR)
        if len(outcomes) == 1:
            (one,) = outcomes
            self.heap.join(outcomes)
            return (one.signal, choice([Way(one.when, one.value)]) if one.when else one.value)
        signal = min((one.signal for one in outcomes), key=lambda one: _ORDER.get(one, 3))
        for one in outcomes:
            if one.signal != signal:
                self.heap.leave(one)
        chosen = [one for one in outcomes if one.signal == signal]
        self.heap.join(chosen)
        return (signal, choice(Way(one.when, one.value) for one in chosen))

    def value_of(self, signal: Signal) -> Value:
        """The value of an expression that was followed as ways are."""
        if signal[0] == "raise":
            raise Dead(signal[1])
        return signal[1]

    def _certain(self, first: int) -> None:
        """Of several ways one is left: its condition holds in every run."""
        at = sum(map(bool, self.conditions))
        for sink in self.sinks[first:]:
            sink.conditions = (*sink.conditions[:at], *sink.conditions[at + 1 :])

    def each(self, value: Value, do: Callable[[Value], Value]) -> Value:
        """The same done to every way of a choice, each from the state of now."""
        if not isinstance(value, Choice):
            return do(value)
        ways = [(way.when, lambda one=way.value: ("return", do(one))) for way in value.ways]
        return self.value_of(self.fork(ways))

    # what is written down

    def sink(self, kind: str, name: str, call: Call) -> Sink:
        """A call that decides memory, written down as it is now."""
        made = Sink(kind, name, self.place(call.node, call.frame), len(self.sinks))
        kept: dict[int, Value] = {}
        made.arguments = {key: frozen(value, kept) for key, value in call.keywords.items()}
        made.positional = tuple(frozen(value, kept) for value in call.positional)
        made.rest, made.conditions = call.rest, tuple(one for one in self.conditions if one)
        made.tried = any(_may_catch(names, "TypeError") for names in self.tries)
        made.callers = tuple(one.name for one in self.stack)
        self.sinks.append(made)
        met(self, kind)
        return made

    def doubt(self, kind: str, why: str, place: Place, about: Value | None = None) -> None:
        self.doubts.append(Doubt(kind, why, place, about, len(self.sinks)))

    def disturb(self, value: Value, why: str, place: Place) -> None:
        """Code that nobody follows was given this: what it could have changed is not known from here on."""
        for one in reachable(value):
            if isinstance(one, Object):
                if one.made is not None:
                    self.doubt("touched", why, place, one)
                self._forget(one, one.attributes, why)
            elif isinstance(one, Map):
                self._forget(one, one.items, why)
            elif isinstance(one, Items) and one.kind != "tuple":
                self.heap.write(one, None, Items((), one.kind, Opaque(why)))

    def _forget(self, target: Object | Map, content: dict[Key, Value], why: str) -> None:
        for key, value in list(content.items()):
            if isinstance(value, Known | Choice | External):
                changed = Opaque(why, origins=value.origins)
                self.heap.write(target, key, choice([Way("", changed), Way("", ABSENT)]) if perhaps_absent(value) else changed)
        if isinstance(target, Map) or target.made is None or target.made.kind in _SETTABLE:
            self.heap.write(target, None, Opaque(why), "rest")


_ORDER = {"": 0, "return": 1, "continue": 2, "raise": 4}
"""Which of several ends a stretch goes on with; ways that end otherwise leave it."""


def _may_catch(names: frozenset[str], error: str) -> bool:
    """Whether a `try` that catches these may catch that."""
    cls = getattr(builtins, error, None) if error else None
    return bool(names) if not isinstance(cls, type) else any(one.__name__ in names for one in cls.__mro__) or "" in names


def name_of(value: Value) -> str:
    """The qualified name of something of a package; empty for anything else."""
    return value.name if isinstance(value, External) else ""


def text_of(value: Value | None) -> str | None:
    """A known text; None for anything else."""
    return value.value if isinstance(value, Known) and isinstance(value.value, str) else None
