"""Programs of the project, followed: the run that a launch makes of one, or that it makes when it is started without words."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from budgetlint.base.record import field, open_state, replace
from budgetlint.documents import Document, Loader
from budgetlint.documents.python_marks import FOLLOWED
from budgetlint.files.disk import Files
from budgetlint.readers import Reader, identify
from budgetlint.resolve.edges import candidates
from budgetlint.resolve.path_end import is_one_model
from budgetlint.resolve.program_files import Asked, ProgramFiles
from budgetlint.resolve.program_rounds import are_rounds
from budgetlint.resolve.program_run import ProgramRun
from budgetlint.resolve.program_starts import Start, at_home, in_sources, paths_of, written
from budgetlint.resolve.program_starts import started as started_by
from budgetlint.resolve.program_ways import different, of_way, ways_of
from budgetlint.settings.consumer import ACCEPTED, LAUNCH, OPENED, Consumer
from budgetlint.settings.run import Reference, Setting, Settings

if TYPE_CHECKING:
    from budgetlint.launch import Launch
    from budgetlint.program.document import Told
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Trees
    from budgetlint.program.places import Place
    from budgetlint.resolve.closure import Closures
    from budgetlint.resolve.program_ways import Made
    from budgetlint.settings.run import Reading

MOST_KEPT = 128
"""Programs whose runs are kept for the next look at the same project, in an editor or between the rounds of a fix."""


_kept: dict[tuple[object, ...], list[tuple[dict[Asked, object], ProgramRun]]] = {}


@open_state
class FollowedPrograms:
    """Follows each program once for each way in which it is started, and not again while nothing that it read has changed."""

    files: Files
    read_otherwise: Callable[[str, str], bool] = field(default=lambda _path, _program: False)
    """Whether a file is read by something else than this program."""
    _known: dict[tuple[object, ...], ProgramRun | None] = field(default_factory=dict)

    @cached_property
    def sources(self) -> ProgramFiles:
        return ProgramFiles(self.files)

    @cached_property
    def trees(self) -> Trees:
        from budgetlint.resolve.closure import NotedTrees  # `ast`, for projects with programs

        return NotedTrees(self.sources)

    @cached_property
    def closures(self) -> Closures:
        from budgetlint.resolve.closure import Closures

        return Closures(self.trees)

    def place(self, launch: Launch) -> str | None:
        """The file of the project that a launch starts; None for a program that is not here."""
        if launch.elsewhere:
            return None
        found = (self._at(launch, path) for path in (*paths_of(launch), *in_sources(launch)))
        return next((one for one in found if one is not None), None) or self._by_name(written(launch))

    def _at(self, launch: Launch, path: str) -> str | None:
        tried = (*candidates(launch.source.path, posixpath.join(launch.folder, path)), *candidates(launch.source.path, path))
        return next((one for one in tried if not one.startswith("..") and self.files.exists(one)), None)

    def entry(self, script: str, program: str) -> str | None:
        """The file of the project that a command of a script names."""
        tried = (one for one in candidates(script, program) if not one.startswith("..") and self.files.exists(one))
        return next(tried, None) or self._by_name(program)

    def _by_name(self, path: str) -> str | None:
        """The one file of the project whose path ends so: a README often leaves out the folder that its commands are run from, or has the
        one that the project was put into."""
        called = list(self.sources.called(posixpath.basename(path)))
        found = [one for one in called if one.endswith(f"/{path}")] or [one for one in called if path.endswith(f"/{one}")]
        return found[0] if len(found) == 1 else None

    def launched(self, launch: Launch) -> ProgramRun | None:
        """The run of a launch; None where its program is not here, or trains nothing."""
        path = self.place(launch)
        if path is None:
            return None
        at, name = launch.source.locate(launch.span), launch.program.program
        named = bool(launch.function) or path in _named_by(launch)
        says = "" if named else f"{name} is taken to be {path}: the one file of that name"
        start = Start(path, launch, function=launch.function.partition(":")[2])
        found = self._run(start, Consumer(name, LAUNCH, at.file, at.line, says=says))
        return found if named or found is None or _takes(found, launch, at_end=path.endswith(f"/{written(launch)}")) else None

    def alone(self, path: str, function: str = "") -> ProgramRun | None:
        """The run of a program that nothing here starts, as if it were started without words; ``function`` is that of a console script."""
        says = f"{path} is taken to be started without words: nothing here starts it"
        return self._run(Start(path, function=function), Consumer(path, OPENED, path, 1, says=says))

    def given(self, path: str, words: tuple[str, ...]) -> ProgramRun | None:
        """The run of a program that is started with a file which nobody names."""
        says = f"{path} takes this file, and nothing here starts it"
        return self._run(Start(path, words=words), Consumer(path, ACCEPTED, path, 1, says=says))

    def _run(self, start: Start, consumer: Consumer) -> ProgramRun | None:
        if start.key not in self._known:
            run = self._remembered(start) if self.closures.trains(start.path) else None
            self._known[start.key] = None if run is None else self._with_facts(run, start, consumer)
        return self._known[start.key]

    def _with_facts(self, run: ProgramRun, start: Start, consumer: Consumer) -> ProgramRun:
        """The run with what else the program shows."""
        from budgetlint.resolve.program_facts import facts_of, with_chains, with_doubts

        others, words = partial(self._openers, run.path), started_by(start).words or ()
        trees = run.trees or self.trees
        facts, is_told = facts_of(run.followed, run.path, trees, start.launch, words, others=others, text=lambda: self._text)
        facts = replace(facts, asked_for=run.asked_for)
        if start.launch is not None and consumer.says:  # it may be another program of that name, which stops nowhere
            facts, is_told = replace(facts, refusals=()), is_told and not facts.refusals
        ways = zip(run.readings, run.told_of, run.doubts, strict=True)
        shown = (with_chains(with_doubts(facts, doubts, self.sources), one.document, told, self.sources) for one, told, doubts in ways)
        consumers = [of_way(consumer, run.path, when) for when in run.whens or ("",) * len(run.readings)]
        readings = tuple(
            replace(one, consumer=mine, program=program) for one, mine, program in zip(run.readings, consumers, shown, strict=True)
        )
        readings = tuple(_with_beside(one, places, run.rounds) for one, places in zip(readings, run.anew, strict=True))
        return replace(run, readings=readings, told=consumer, stops_as_told=is_told and consumer.evidence != ACCEPTED, facts=facts)

    def _openers(self, program: str, path: str) -> list[Followed] | None:
        """Every run of a program that opens a file; None where another program, or a reader of its format, does."""
        runs = [one for one in self._known.values() if one is not None and path in one.opened]
        if any(one.path != program or one.reading is None for one in runs) or self.read_otherwise(path, program):
            return None
        return [one.followed for one in runs]

    @cached_property
    def _text(self) -> list[str]:
        """The text of every Python file of the project."""
        read = (self.sources.source(path) for path in self.sources.below(""))
        return [source.text for source in read if source is not None]

    def _remembered(self, start: Start) -> ProgramRun | None:
        """The run of before, where nothing that was asked for it has changed."""
        kept = _kept.pop(start.key, [])
        found = next((one for one in kept if self.sources.answers(one[0])), None)
        if found is None:
            self.sources.asked = {}
            run = self._follow(start)
            looked = frozenset(path for kind, path in self.sources.asked if kind in ("text", "is"))
            found = (self.sources.asked, replace(run, asked_for=looked)) if run is not None else None
        _kept[start.key] = [*([found] if found else []), *(one for one in kept if one is not found)][:2]
        while len(_kept) > MOST_KEPT:
            del _kept[next(iter(_kept))]
        return found[1] if found is not None else None

    def _follow(self, start: Start) -> ProgramRun | None:
        from budgetlint.program.document import document_of
        from budgetlint.program.follow import follow
        from budgetlint.program.measuring import only_measures
        from budgetlint.program.ways import most_ways
        from budgetlint.program.wiring import asks_for_model, only_evaluates, wirings

        source = self.sources.source(start.path)
        if source is None:
            return None
        started = at_home(started_by(start), start, self.files)
        followed = follow(self.trees, start.path, started, function=start.function)
        below = tuple(one for path in followed.loaders if (one := self.sources.source(path)) is not None)
        idle = only_evaluates(followed) or only_measures(followed, self.trees)
        runs = [] if idle else wirings(followed)
        found: list[Made] = []
        for wiring in runs:
            tolds: list[Told] = [{} for _ in _ways(most_ways(wiring))]
            ways = zip(_ways(most_ways(wiring)), tolds, strict=True)
            documents = [replace(document_of(wiring, source, self.sources, way, told), below=below) for way, told in ways]
            made = _of_ways(documents)
            if made is not None:
                found.append((_from(made, started.folder, self.files), tolds[0], wiring.doubts, wiring.anew))
        whens = ways_of([one.trainer for one in runs]) if len(found) == len(runs) > 1 else ()
        if whens:
            found, whens = different(found, whens)
        rounds = len(runs) if len(found) == len(runs) > 1 and are_rounds(found, [one.trainer for one in runs], followed, self.trees) else 1
        found = found[:1] if rounds > 1 else found
        readings, told_of, doubts, anew = zip(*found, strict=True) if found else ((), (), (), ())
        asks = any(map(asks_for_model, runs))
        trainings = len(found) if whens or rounds > 1 else len(runs)
        seen = ProgramRun(start.path, readings, followed, trainings, asks, None, told_of, doubts=doubts, anew=anew)
        return replace(seen, only_evaluates=idle, whens=whens, rounds=rounds, trees=self.trees)


def _with_beside(reading: Reading, places: Sequence[Place], rounds: int) -> Reading:
    """The run of a program that would go on from a checkpoint, if an earlier run had left one; that trains more than once, each alike."""
    told = reading.consumer
    where = ", ".join(f"{one.path}:{one.line}" for one in places)
    anew = [f"it is taken to start anew: a checkpoint of an earlier run would be loaded at {where}"] if places else []
    again = [f"it trains {rounds} times, one after another and alike: this is each of them"] if rounds > 1 else []
    if told is None or not (anew or again):
        return reading
    return replace(reading, consumer=replace(told, says="; ".join([*([told.says] if told.says else []), *anew, *again])))


def _named_by(launch: Launch) -> Iterator[str]:
    """The files that a launch may name. In a folder that lies anywhere, which another checkout may be, that is one below the end of its
    path, or at the top of the project: not what lies beside the script."""
    for path in (*paths_of(launch), *in_sources(launch)):
        if not launch.anywhere:
            for one in ("", launch.folder):
                yield from candidates(launch.source.path, posixpath.join(one, path))
            continue
        parts = launch.anywhere.strip("/").split("/")
        yield from (posixpath.normpath("/".join((*parts[at:], path))) for at in range(len(parts) + 1))


def _reading(document: Document) -> Reading | None:
    document.facts[FOLLOWED] = True
    found = identify(document) if document.root is not None else None
    return found.read(document) if isinstance(found, Reader) and found.loader is Loader.PYTHON else None


_MOST_WAYS = 4
"""Values of a choice that are read; of more the first few."""


def _ways(most: int) -> tuple[int | None, ...]:
    """None of several values, then each."""
    return (None, *range(min(most, _MOST_WAYS))) if most > 1 else (None,)


def _of_ways(documents: Sequence[Document]) -> Reading | None:
    """The reading of a run; what one of a few known values decides has all of them as its readings."""
    found, *ways = [_reading(one) for one in documents]
    if found is None or not ways:
        return found
    others = [one.settings for one in ways if one is not None]
    settings = [_chosen(setting, [one.get(setting.name) for one in others]) for setting in found.settings.values()]
    return replace(found, settings=Settings(settings))


def _shortest(value: object) -> int:
    return len(value) if isinstance(value, str) else 0


def _chosen(setting: Setting, ways: Sequence[Setting | None]) -> Setting:
    values = [one.value for one in ways if one is not None and one.known]
    if setting.state != "symbolic" or setting.is_default or len(values) < len(ways):
        return setting
    different = tuple(dict.fromkeys(values))
    if len(different) == 1 or (setting.name == "model" and is_one_model(different)):
        return replace(setting, value=min(different, key=_shortest), state="known", readings=())
    return replace(setting, value=None, state="auto", readings=different)


def _from(reading: Reading, folder: str, files: Files) -> Reading:
    """Files that a program names are those of the folder that it is started in."""
    moved = [_moved(one, folder, files) for one in reading.references]
    return replace(reading, references=tuple(moved)) if folder else reading


def _moved(reference: Reference, folder: str, files: Files) -> Reference:
    path = posixpath.normpath(posixpath.join(folder, reference.text))
    return replace(reference, text=path) if files.exists(path) else reference


def _takes(found: ProgramRun, launch: Launch, *, at_end: bool) -> bool:
    """May the launch mean this file? Another of that name takes no flags, or not these. ``at_end``: its path ends as the launch's."""
    if not any(word.text.startswith("-") for word in launch.words):
        return at_end
    return bool(found.followed.options) and (at_end or not any(one.kind in _NOT_TAKEN for one in found.followed.refusals))


_NOT_TAKEN = ("unrecognized", "unfamiliar")
