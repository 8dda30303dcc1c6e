"""One launch command, as documents that readers read: a program with its flags, the launchers around it, the job it stands in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from budgetlint.base.record import field, open_record, record
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Document
from budgetlint.settings.consumer import Consumer
from budgetlint.settings.run import Origin, Reference

if TYPE_CHECKING:
    from budgetlint.documents.shell_words import Word


@record
class Request:
    """What a job asks the cluster for. ``device`` is a card's name as written, empty where only a number is asked for;
    ``gpus`` on each machine and ``nodes`` are None where they are not said or not known."""

    device: str = ""
    gpus: int | None = None
    nodes: int | None = None
    origin: Origin | None = None


@open_record
class Launch:
    """``program`` holds the flags of the training program as a mapping; its ``program`` field names it. ``layers`` are the
    launchers around it, outermost first, one document each. ``configs`` are the files that may hold the whole run."""

    source: SourceFile
    span: Span
    program: Document
    layers: tuple[Document, ...] = ()
    configs: tuple[Reference, ...] = ()
    engines: tuple[Reference, ...] = ()
    request: Request | None = None
    number: int = 0
    consumer: Consumer | None = None
    """Whose the flags are."""
    words: tuple[Word, ...] = ()
    """The program's arguments as they are written, for a program that is followed."""
    environment: Mapping[str, Word] = field(default_factory=dict)
    """What the command sets for the program."""
    folder: str = ""
    """Where the script's last ``cd`` before it leads, from where the script is."""
    anywhere: str = ""
    """The folder that it leads to, where that lies anywhere (``/data/repo``, ``~/repo``); ``folder`` is empty then."""
    elsewhere: bool = False
    """It runs on another machine (``ssh``), whose files are not those of the project."""
    function: str = ""
    """``module:function`` of a console script of the project."""
    way: str = ""
    """Which round of the loops around it, where their words are known."""

    @property
    def launcher(self) -> str:
        """The innermost launcher (``torchrun``, ``accelerate launch``), else ``python`` or the tool itself."""
        return self.layers[-1].program if self.layers else ""


@record
class Layer:
    """A launcher around a program: its name and its own words."""

    name: str
    words: tuple[Word, ...]
    span: Span


@open_record
class Started:
    """What a command comes to: the program's name, its arguments, and the launchers around it, outermost first."""

    program: str
    arguments: tuple[Word, ...]
    layers: tuple[Layer, ...] = ()
    function: str = ""
    """``module:function`` of a console script."""
    environment: Mapping[str, Word] = field(default_factory=dict)
    """What those around it set for it: ``env NAME=VALUE``, ``mpirun -x NAME=VALUE``."""
