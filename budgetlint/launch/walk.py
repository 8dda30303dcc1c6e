"""The simple commands that a script comes to: a loop's body once for each of its items, a function's for each of its calls, and the texts
that commands hand to another shell. Nothing is run, and branches are all taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from budgetlint.base.limits import ROUNDS
from budgetlint.base.record import field, open_record, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Document
from budgetlint.documents.shell import Command, Script, read_shell
from budgetlint.documents.shell_around import OWN, UNKNOWN, Around
from budgetlint.documents.shell_frames import CompoundCommand
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.documents.shell_work import ShellWork
from budgetlint.documents.shell_written import Written
from budgetlint.launch.blocks import places
from budgetlint.launch.commands import outer_layers, shell_text
from budgetlint.launch.launch import Layer, Request
from budgetlint.launch.slurm import read_slurm
from budgetlint.launch.wrappers import base, is_elsewhere, reads_commands, texts_within

MAX_NESTED = 3
"""``bash -c`` inside ``bash -c``."""
MAX_CALLS = 8
"""Functions that call functions."""
UNCOUNTED = ("${@}", "${*}", "${...}")
"""Arguments of which nobody knows how many they are."""


@open_record
class Stand:
    """What a command stands in. ``job`` is that of the ``sbatch`` around it."""

    script: Script | None = None
    layers: tuple[Layer, ...] = ()
    environment: Mapping[str, Word] = field(default_factory=dict)
    functions: Mapping[str, tuple[Script, CompoundCommand]] = field(default_factory=dict)
    job: tuple[Request, Document] | None = None
    elsewhere: bool = False
    nested: int = 0
    calls: int = 0
    rounds: int = 1
    """In how many rounds of loops it is one."""
    way: tuple[str, ...] = ()
    """Which round of each loop: ``lr=1e-4``."""
    called: tuple[int, ...] = ()
    """Where the calls of functions stand that lead to it."""
    span: Span | None = None
    """The command whose text it stands in."""
    other: bool = False
    """It stands in a branch that only somebody who says so takes."""

    def found_set(self, at: int) -> dict[str, Word]:
        """The variables that a program finds set which is started there."""
        return {**self.environment, **(self.script.exports(at, self.environment) if self.script is not None else {})}


@open_record
class ShellWalk:
    """Of one file, whose account of steps is ``work``."""

    source: SourceFile
    work: ShellWork
    library: bool = False
    """Do others source the script and call its functions?"""
    given: Mapping[str, Word] = field(default_factory=dict)
    """What a command that stands in no script finds set."""
    written: list[Written] = field(default_factory=list)
    """The files that it writes, those of rounds and calls too."""

    def script(self, script: Script, stand: Stand) -> Iterator[tuple[Command, Stand]]:
        """Each command, with what it stands in."""
        self.written.extend(replace(one, other=one.other or stand.other) for one in script.written)
        own = {block.name: (script, block) for block in script.blocks if block.name and block.is_function and _is_whole(block)}
        stand = replace(stand, script=script, functions={**stand.functions, **own})
        called = {command.words[0].text for command in script.commands}
        done: set[int] = set()
        for command in script.commands:
            block = script.blocks[command.block] if command.block >= 0 else None
            if block is None or not _is_whole(block):
                yield from self.command(command, stand)
            elif command.block not in done:
                done.add(command.block)
                if block.is_branch:
                    yield from self._branch(block, script, stand)
                else:
                    yield from self._loop(block, script, stand) if block.is_loop else self._uncalled(block, script, stand, called)
        for start, end in script.asked:
            around = Around(script.expander, start if script.is_ordered else None)
            yield from self.script(script.within(start, end, around, self.work), stand)

    def _branch(self, block: CompoundCommand, script: Script, stand: Stand) -> Iterator[tuple[Command, Stand]]:
        """A branch that somebody may take."""
        inner = script.inner(block, {}, Around(script.expander, block.at), self.work)
        yield from self.script(inner, replace(stand, environment=stand.found_set(block.at), other=True))

    def _loop(self, block: CompoundCommand, script: Script, stand: Stand) -> Iterator[tuple[Command, Stand]]:
        """A round for each item; one where nobody knows them, or they are too many."""
        around = Around(script.expander, block.at if script.is_ordered else None)
        items = script.items(block) or ()
        rounds = stand.rounds * len(items)
        is_known = bool(items) and rounds <= ROUNDS.most
        stand = replace(stand, environment=stand.found_set(block.at))
        for given in [{block.name: item} for item in items] if is_known else [dict[str, Word]()]:
            inner = script.inner(block, given, around, self.work)
            way = (*stand.way, *(f"{name}={item.text}" for name, item in given.items()))
            yield from self.script(inner, replace(stand, rounds=rounds, way=way) if is_known else stand)

    def _uncalled(self, block: CompoundCommand, script: Script, stand: Stand, called: set[str]) -> Iterator[tuple[Command, Stand]]:
        """A function that is not called here runs where nobody sees it, with arguments that nobody knows."""
        if block.name not in called and not self.library:
            inner = script.inner(block, {}, Around(script.expander, None, UNKNOWN), self.work)
            yield from self.script(inner, replace(stand, environment=stand.found_set(block.at)))

    def command(self, command: Command, stand: Stand) -> Iterator[tuple[Command, Stand]]:
        """The commands that one comes to."""
        function = stand.functions.get(command.words[0].text) if stand.script is not None else None
        if function is not None:
            if stand.calls < MAX_CALLS:
                yield from self._call(command, *function, stand)
            return
        nested, outer = shell_text(command.words)
        if nested and stand.nested < MAX_NESTED:
            yield from self._texts(nested, command, replace(stand, layers=(*stand.layers, *outer)))
            return
        if stand.nested < MAX_NESTED:
            yield from self._within(command, stand)
        yield _in_place(command, stand), stand

    def _call(self, command: Command, owner: Script, block: CompoundCommand, stand: Stand) -> Iterator[tuple[Command, Stand]]:
        words = command.words[1:]
        count = next((index for index, word in enumerate(words) if word.text in UNCOUNTED), len(words))
        given = {**command.environment, **{str(number): word for number, word in enumerate(words[:count], 1)}}
        if count == len(words):
            given["#"] = Word(str(count), command.span, True, (Atom(str(count), command.span.start, known=False, told=True),))
        caller = stand.script or owner
        until = command.at if caller.is_ordered and stand.calls == 0 else None
        around = Around(caller.expander, until, OWN if count == len(words) else UNKNOWN)
        inner = owner.inner(block, given, around, self.work)
        environment = {**stand.found_set(command.at), **command.environment}
        called = (*stand.called, command.span.start)
        yield from self.script(inner, replace(stand, calls=stand.calls + 1, called=called, environment=environment))

    def _within(self, command: Command, stand: Stand) -> Iterator[tuple[Command, Stand]]:
        """The texts that a command hands to another shell: ``ssh``, ``sbatch --wrap``, a here-document."""
        read = reads_commands(command)
        texts = (*texts_within(command.words), *((read,) if read is not None else ()))
        if not texts:
            return
        job, given = stand.job, dict[str, Word]()
        if base(command.words[0]) == "sbatch":
            where = _extent(read) if read is not None else Span(0, 0)
            request, document, held = read_slurm(self.source, where.start, where.end, command.words)
            job, given = (request, document), dict(held)
        elsewhere = stand.elsewhere or is_elsewhere(command.words)
        outer = () if elsewhere or read is None else outer_layers(command.words)
        inner = replace(stand, job=job, elsewhere=elsewhere, layers=(*stand.layers, *outer))
        yield from self._texts(texts, command, inner, given)

    def _texts(
        self, words: tuple[Word, ...], command: Command, stand: Stand, given: Mapping[str, Word] | None = None
    ) -> Iterator[tuple[Command, Stand]]:
        """``bash -c TEXT``: the text's own characters keep their places."""
        script = stand.script if not stand.elsewhere else None
        around = None
        if script is not None:
            around = Around(script.expander, command.at if script.is_ordered else None, UNKNOWN)
        for word in words:
            held = given or (self.given if script is None and not stand.elsewhere else None)
            inner = read_shell(word.text, given=held, place=places(word).__getitem__, work=self.work, around=around)
            environment = {**stand.found_set(command.at), **command.environment} if not stand.elsewhere else {}
            yield from self.script(
                inner, replace(stand, nested=stand.nested + 1, environment=environment, span=stand.span or command.span, functions={})
            )


def _in_place(command: Command, stand: Stand) -> Command:
    """A command of a text stands where the command does that has the text."""
    return command if stand.span is None else replace(command, span=stand.span)


def _is_whole(block: CompoundCommand) -> bool:
    """Was its end found?"""
    return 0 <= block.start <= block.end


def _extent(word: Word) -> Span:
    """Where the text of a here-document stands."""
    starts = [atom.start for atom in word.atoms]
    return Span(min(starts), max(atom.start + len(atom.text) for atom in word.atoms)) if starts else Span(0, 0)
