"""From shell commands to launches: programs, launchers and environment as documents, and the files that the flags name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cache

from budgetlint.base.limits import LAUNCHES
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Document, Scalar
from budgetlint.documents.shell import Command, Script, read_shell
from budgetlint.documents.shell_words import Word
from budgetlint.documents.shell_work import ShellWork
from budgetlint.documents.shell_written import FACT, written_documents
from budgetlint.frameworks import manifests
from budgetlint.launch.blocks import places
from budgetlint.launch.commands import COMPOSER, DEEPSPEED, TORCHRUN, console_started, shell_text, started
from budgetlint.launch.console import FACT as CONSOLE
from budgetlint.launch.cut_short import cut_short
from budgetlint.launch.flags import Arguments, entries_of, parse
from budgetlint.launch.launch import Launch, Layer, Request, Started
from budgetlint.readers.base import is_symbolic
from budgetlint.settings.run import Origin, OriginKind, Reference, Role

FORMAT = "shell"
MAX_NESTED = 3
"""``bash -c`` inside ``bash -c``."""

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
    make: bool = False
    work: ShellWork = field(default_factory=ShellWork)
    found: list[Launch] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)
    folder: str = ""
    """Where the last ``cd`` leads."""

    def script(self, text: str, start: int = 0, end: int | None = None) -> None:
        """Every launch of ``text[start:end]``, whose offsets are the file's."""
        if starts_something(self.source):
            script = read_shell(text, start, end, given=self.given, make=self.make, work=self.work)
            if end is None and not self.make:  # a part of a file has line ends of its own kind
                self.source.facts["cut short"] = tuple(cut_short(self.source, script.commands))
            if script.written:
                self.source.facts[FACT] = written_documents(self.source, script.written)
            self.folder = ""
            for command in script.commands:
                self.command(command, script, (), 0)

    def surround(self, script: Script) -> None:
        """Variables of the text around the scripts to come (a Makefile's)."""
        self.given = _Given(script)

    def command(self, command: Command, script: Script | None, layers: tuple[Layer, ...], depth: int) -> None:
        nested, outer = shell_text(command.words)
        if nested and depth < MAX_NESTED:
            self._nested(nested, command, script, (*layers, *outer), depth + 1)
            return
        self.folder = _changed(self.folder, command)
        number = self._next
        rounds = [(way.words, way.name) for way in command.ways] or [(command.words, "")]
        for words, way in rounds:
            start = self._start(words)
            if start is not None and len(self.found) >= LAUNCHES.most:
                self.work.stop(LAUNCHES, command.span.start)
            elif start is not None:
                self.add(start, command.environment, script, layers, command.span, number, way)

    @property
    def _next(self) -> int:
        """The number of the next command that starts something; the rounds of a loop share it."""
        return self.found[-1].number + 1 if self.found else 0

    def _start(self, words: tuple[Word, ...]) -> Started | None:
        scripts: Mapping[str, str] = self.source.facts.get(CONSOLE, {})
        start = started(words) or (console_started(words, scripts) if scripts else None)
        if start is not None and start.program in scripts and not start.function:
            return replace(start, function=scripts[start.program])  # a launcher's program
        return start

    def _nested(self, words: tuple[Word, ...], command: Command, script: Script | None, layers: tuple[Layer, ...], depth: int) -> None:
        """``bash -c TEXT``: the text's own characters keep their places."""
        for word in words:
            inner = read_shell(
                word.text, given=_Given(script) if script is not None else {}, place=places(word).__getitem__, work=self.work
            )
            for one in inner.commands:
                environment = {**command.environment, **one.environment}
                self.command(Command(one.words, environment, command.span), script, layers, depth)

    def add(self, start: Started, environment: Mapping[str, Word], script: Script | None, layers: tuple[Layer, ...], span: Span,
            number: int, way: str) -> None:  # fmt: skip
        arguments = parse(start.arguments, span)
        key = (start.program, tuple(word.text for word in start.arguments), span)
        if key in self.seen:
            return
        self.seen.add(key)
        program = Document(self.source, FORMAT, arguments.root, number=number, program=start.program)
        every = (*layers, *start.layers)
        documents = [Document(self.source, FORMAT, parse(one.words, one.span, bare=_BARE.get(one.name, frozenset())).root, number=number,
                              program=one.name) for one in every]  # fmt: skip
        environ = self._environment(environment, script, span, number)
        if environ is not None:
            documents.insert(0, environ)
        if self.job is not None:
            documents.insert(0, self.job)
        configs = tuple(_configs(program, start, arguments))
        engines = tuple(_engines(program))
        self.found.append(
            Launch(
                self.source,
                span,
                program,
                tuple(documents),
                configs,
                engines,
                self.request,
                number,
                None,
                start.arguments,
                environment,
                self.folder,
                start.function,
                way,
            )
        )

    def _environment(self, environment: Mapping[str, Word], script: Script | None, span: Span, number: int) -> Document | None:
        held = {name: script.value(name) for name in _ENVIRONMENT} if script is not None else {}
        pairs = [(name, word) for name in _ENVIRONMENT if (word := environment.get(name) or held.get(name)) is not None]
        return Document(self.source, FORMAT, entries_of(pairs, span), number=number, program="environment") if pairs else None


def _changed(folder: str, command: Command) -> str:
    """The folder after a command: a ``cd`` to a path that is known changes it, one to anything else leaves nothing known. What the shell
    works out may be told from where the script lies: that is no way from another folder."""
    words = command.words
    if not words or words[0].text != "cd":
        return folder
    word = words[1] if len(words) == 2 else None
    known = word is not None and (word.known or (word.is_told and not folder)) and not word.text.startswith(("/", "~", "-"))
    return posixpath.normpath(posixpath.join(folder, words[1].text)) if known else ""


_NAMES = ("accelerate", "torchrun", "deepspeed", "python", "torch.distributed", "tune run", "composer", ".py")
"""Launchers; the names of the tools of the manifests come to them."""


@cache
def _names() -> tuple[str, ...]:
    return (*_NAMES, *(name for manifest in manifests() for tool in manifest.tools for name in (tool.name, *tool.also)))


def starts_something(source: SourceFile) -> bool:
    """Can a file start a training program at all? Asked by each of its recipes."""
    return any(map(source.mentions, (*_names(), *source.facts.get(CONSOLE, ()))))


class _Given(Mapping[str, Word]):
    """The variables of the script around, for the text of a ``bash -c``."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def __getitem__(self, name: str) -> Word:
        word = self._script.value(name)
        if word is None:
            raise KeyError(name)
        return word

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._script.value(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


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
