"""From shell commands to launches: programs, launchers and environment as documents, and the files that the flags name."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from budgetlint.base.limits import LAUNCHES
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Document, Scalar
from budgetlint.documents.shell import Command, Script, read_shell
from budgetlint.documents.shell_around import Around
from budgetlint.documents.shell_frames import CompoundCommand
from budgetlint.documents.shell_held import END
from budgetlint.documents.shell_words import Word
from budgetlint.documents.shell_work import ShellWork
from budgetlint.documents.shell_written import FACT, written_documents
from budgetlint.frameworks import manifests
from budgetlint.launch.blocks import places
from budgetlint.launch.commands import COMPOSER, DEEPSPEED, TORCHRUN, console_started, started
from budgetlint.launch.console import FACT as CONSOLE
from budgetlint.launch.cut_short import cut_off, cut_short
from budgetlint.launch.flags import Arguments, entries_of, parse, telling
from budgetlint.launch.launch import Launch, Request, Started
from budgetlint.launch.slurm import of_step
from budgetlint.launch.walk import ShellWalk, Stand
from budgetlint.launch.wrappers import is_elsewhere
from budgetlint.readers.base import is_symbolic
from budgetlint.settings.run import Origin, OriginKind, Reference, Role

FORMAT = "shell"

_CONFIG_FLAGS = ("config", "config_file", "config_path", "cfg", "train_config", "recipe", "yaml", "-c", "conf", "job.config_file")
_CONFIG_SUFFIXES = (".yaml", ".yml", ".json", ".toml")
_ENGINE_FLAGS = ("deepspeed", "deepspeed_config", "deepspeed_config_file", "ds_config", "ds_config_file", "ds_config_path")
_BARE = {TORCHRUN: frozenset(("standalone", "no_python", "use_env")), DEEPSPEED: frozenset(("no_local_rank", "force_multi"))}
_ENVIRONMENT = ("NPROC_PER_NODE", "NNODES", "CUDA_VISIBLE_DEVICES", "MAX_PIXELS")
"""Variables that decide how many processes a tool starts, and how large an image may be."""


@open_state
class Builder:
    """Collects the launches of one file. ``request`` is the job's; ``given`` are variables that the job sets."""

    source: SourceFile
    request: Request | None = None
    job: Document | None = None
    given: Mapping[str, Word] = field(default_factory=dict)
    environment: Mapping[str, Word] = field(default_factory=dict)
    """What whoever starts the script sets for all that it starts."""
    make: bool = False
    work: ShellWork = field(default_factory=ShellWork)
    found: list[Launch] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)
    folder: str = ""
    """Where the last ``cd`` leads."""
    anywhere: str = ""
    around: Around | None = None
    """What stands around the scripts of the file."""
    sourced: Sequence[tuple[int, SourceFile]] = ()
    numbers: dict[tuple[object, ...], int] = field(default_factory=dict)
    """Of each command that starts something; the rounds of a loop share it."""
    times: int = 0
    """How often the script was read."""
    way: tuple[str, ...] = ()
    """Which task of an array of jobs it is."""
    library: bool = False
    """Others source the script: its functions are theirs to call."""

    def script(self, text: str, start: int = 0, end: int | None = None) -> None:
        """Every launch of ``text[start:end]``, whose offsets are the file's."""
        if starts_something(self.source) or self.sourced:
            around, functions, names = self._sourced()
            script = read_shell(text, start, end, given=self.given, make=self.make, work=self.work, around=around, sourced=names)
            if end is None and not self.make:  # a part of a file has line ends of its own kind
                self.source.facts["cut short"] = (*cut_short(self.source, script.commands), *cut_off(self.source, script.commands))
            self.folder = self.anywhere = ""
            walk = ShellWalk(self.source, self.work, self.library)
            self._start(walk.script(script, Stand(functions=functions, way=self.way)))
            if walk.written:
                self.source.facts[FACT] = written_documents(self.source, walk.written, partial(_names_between, script.commands))

    def _sourced(self) -> tuple[Around | None, dict[str, tuple[Script, CompoundCommand]], dict[str, int]]:
        """What the scripts that this one sources set: variables, functions, and where each name is set."""
        around, functions, names = self.around, dict[str, tuple[Script, CompoundCommand]](), dict[str, int]()
        for at, source in self.sourced:
            script = read_shell(source.text, given=self.given, place=_always(at), work=self.work, around=around)
            around = Around(script.expander, END - 1)
            functions |= {block.name: (script, block) for block in script.blocks if block.is_function and 0 <= block.start <= block.end}
            names |= dict.fromkeys(script.expander.names, at)
        return around, functions, names

    def surround(self, script: Script) -> None:
        """Variables of the text around the scripts to come (a Makefile's)."""
        self.around = Around(script.expander)

    def text(self, word: Word) -> None:
        """Every launch of a text that is a value of another format."""
        script = read_shell(word.text, given=self.given, place=places(word).__getitem__, work=self.work)
        self._start(ShellWalk(self.source, self.work, self.library).script(script, Stand()))

    def command(self, command: Command, script: Script | None = None) -> None:
        """Every launch of one command."""
        self._start(ShellWalk(self.source, self.work, self.library, self.given).command(command, Stand(script)))

    def _start(self, commands: Iterable[tuple[Command, Stand]]) -> None:
        for command, stand in commands:
            if not stand.elsewhere:
                self.folder, self.anywhere = _changed(self.folder, self.anywhere, command)
            self._started(command, stand)

    def _started(self, command: Command, stand: Stand) -> None:
        scripts: Mapping[str, str] = self.source.facts.get(CONSOLE, {})
        start = started(command.words) or (console_started(command.words, scripts) if scripts else None)
        if start is None:
            return
        if start.program in scripts and not start.function:
            start = replace(start, function=scripts[start.program])  # a launcher's program
        if len(self.found) >= LAUNCHES.most:
            self.work.stop(LAUNCHES, command.span.start)
        elif stand.elsewhere or is_elsewhere(command.words):
            self.add(start, start.environment, replace(stand, script=None, elsewhere=True), command.span, command.at)
        else:
            environment = {**self.environment, **stand.found_set(command.at), **command.environment, **start.environment}
            self.add(start, environment, stand, command.span, command.at)

    def add(
        self,
        start: Started,
        environment: Mapping[str, Word],
        stand: Stand,
        span: Span,
        at: int,
    ) -> None:
        arguments = parse(start.arguments, span)
        around = tuple((layer.name, telling(layer.words)) for layer in (*stand.layers, *start.layers))
        key = (start.program, telling(start.arguments), around, _telling_variables(environment), span)
        if key in self.seen:
            return
        self.seen.add(key)
        number = self.numbers.setdefault((self.times, span.start, stand.called), len(self.numbers))
        program = Document(self.source, FORMAT, arguments.root, number=number, program=start.program)
        every = (*stand.layers, *start.layers)
        request, job = stand.job or (self.request, self.job)
        for one in every:
            request, job = of_step(self.source, request, job, one.words) if one.name == "srun" else (request, job)
        documents = [Document(self.source, FORMAT, parse(one.words, one.span, bare=_BARE.get(one.name, frozenset())).root, number=number,
                              program=one.name) for one in every]  # fmt: skip
        environ = self._environment(environment, stand.script, span, number, at)
        if environ is not None:
            documents.insert(0, environ)
        if job is not None:
            documents.insert(0, job)
        configs = tuple(_configs(program, start, arguments)) if not stand.elsewhere else ()
        engines = tuple(_engines(program)) if not stand.elsewhere else ()
        self.found.append(
            Launch(
                self.source,
                span,
                program,
                tuple(documents),
                configs,
                engines,
                request,
                number,
                None,
                start.arguments,
                environment,
                self.folder,
                self.anywhere,
                stand.elsewhere,
                start.function,
                ", ".join(stand.way),
            )
        )

    def _environment(self, environment: Mapping[str, Word], script: Script | None, span: Span, number: int, at: int) -> Document | None:
        held = {name: script.value(name, at) for name in _ENVIRONMENT} if script is not None else {}
        pairs = [(name, word) for name in _ENVIRONMENT if (word := environment.get(name) or held.get(name)) is not None]
        return Document(self.source, FORMAT, entries_of(pairs, span), number=number, program="environment") if pairs else None


def _names_between(commands: Sequence[Command], name: str, start: int, end: int) -> bool:
    """Does a command between two places have the file among its words?"""
    return any(start < command.at < end and any(name in word.text for word in command.words[1:]) for command in commands)


def _telling_variables(environment: Mapping[str, Word]) -> tuple[tuple[str, object], ...]:
    """Which card a process sees makes no difference, how many does."""
    return tuple((name, word.text.count(",") if name == "CUDA_VISIBLE_DEVICES" else word.text) for name, word in environment.items())


def _always(at: int) -> Callable[[int], int]:
    """What a sourced script brings in is shown where it is sourced."""
    return lambda _: at


def _changed(folder: str, anywhere: str, command: Command) -> tuple[str, str]:
    """The folder after a command, and the one that lies anywhere: a ``cd`` to a path that is known changes it, one to anything else leaves
    nothing known. What the shell works out may be told from where the script lies: that is no way from another folder."""
    words = command.words
    if not words or words[0].text != "cd":
        return folder, anywhere
    word = words[1] if len(words) == 2 else None
    if word is None or word.text.startswith("-") or not (word.known or (word.is_told and not folder and not anywhere)):
        return "", ""
    if word.text.startswith(("/", "~")):
        return "", posixpath.normpath(word.text)
    return ("", posixpath.join(anywhere, word.text)) if anywhere else (posixpath.normpath(posixpath.join(folder, word.text)), "")


_NAMES = ("accelerate", "torchrun", "deepspeed", "python", "torch.distributed", "tune run", "composer", ".py", "uv run", "coverage run")
"""Launchers; the names of the tools of the manifests come to them."""


@cache
def _names() -> tuple[str, ...]:
    return (*_NAMES, *(name for manifest in manifests() for tool in manifest.tools for name in (tool.name, *tool.also)))


def starts_something(source: SourceFile) -> bool:
    """Can a file start a training program at all? Asked by each of its recipes."""
    return any(map(source.mentions, (*_names(), *source.facts.get(CONSOLE, ()))))


def _configs(program: Document, start: Started, arguments: Arguments) -> Iterator[Reference]:
    """Files that may hold the run: a config flag, Hydra's path and name, or a positional file of a config's suffix."""
    for name in _CONFIG_FLAGS:
        entry = program.entry(name)
        if entry is not None and isinstance(entry.value, Scalar) and entry.value.text.lower().endswith(_CONFIG_SUFFIXES):
            yield _reference(program, Role.TRAINER, name, entry.value.text, entry.value.span)
    hydra = _hydra(program)
    if hydra is not None:
        yield hydra
    suffixes = (*_CONFIG_SUFFIXES, ".py") if start.program.startswith("xtuner ") else _CONFIG_SUFFIXES
    for word in arguments.positional:
        if word.text.lower().endswith(suffixes) and not _dropped(start, word):
            yield _reference(program, Role.TRAINER, "", word.text, word.span)


def _dropped(start: Started, word: Word) -> bool:
    """Composer and the others take any file; a data file in JSON is no config of theirs, but looking costs nothing."""
    return start.program.endswith(COMPOSER) and word.text.endswith(".json")


def _hydra(program: Document) -> Reference | None:
    """``--config-path DIR --config-name NAME`` (Hydra 1.3 ``_internal/utils.py`` get_args_parser)."""
    name, folder = program.entry("config_name"), program.entry("config_path")
    if name is None or not isinstance(name.value, Scalar) or is_symbolic(name.value.text):
        return None
    base = folder.value.text if folder is not None and isinstance(folder.value, Scalar) else ""
    file = name.value.text if name.value.text.endswith((".yaml", ".yml")) else name.value.text + ".yaml"
    return _reference(program, Role.TRAINER, "config_name", posixpath.join(base, file), name.value.span)


def _engines(program: Document) -> Iterator[Reference]:
    for name in _ENGINE_FLAGS:
        entry = program.entry(name)
        if entry is not None and isinstance(entry.value, Scalar) and entry.value.text.endswith(".json"):
            yield _reference(program, Role.ENGINE, name, entry.value.text, entry.value.span)


def _reference(document: Document, role: Role, key: str, text: str, span: Span) -> Reference:
    return Reference(role, text, Origin(OriginKind.FLAG, document.source, span, key))
