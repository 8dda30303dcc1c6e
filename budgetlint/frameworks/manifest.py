"""What a manifest says of a framework: its formats, programs, packages. Plain values only: it is copied into the index as it is written."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from budgetlint.base.record import open_record

T = TypeVar("T")

NOTHING: Mapping[str, Any] = MappingProxyType({})
HYDRA = "Hydra"
"""What fills the arguments of programs that start from a config that lies in their package."""
EVALUATES, PREPARES, CONVERTS, SERVES = "evaluates", "prepares data", "converts weights", "generates or serves"
"""What a program does that trains nothing (`Idle`)."""


def names(text: str) -> tuple[str, ...]:
    """Blank-separated words, so that a table of them stays a paragraph."""
    return tuple(text.split())


@open_record
class Program:
    """A program that is known by name: what it reads, whatever keys stand there. ``pattern`` matches the whole name, or its end behind a
    slash; ``format`` is the reader's; ``arguments`` are the classes that its parser fills; ``source`` says where that is written.
    ``alone``: a single script that people copy and change, so that a file of the project beats the name; the others come with their
    package."""

    pattern: str
    format: str
    arguments: str
    source: str
    alone: bool = False
    towers: bool = False
    """It has flags of its own for the parts of a model with a vision tower."""


@open_record
class Tool:
    """A command that trains by a subcommand: ``trains`` are those; its others (export, eval, chat) train nothing. ``modules`` are the
    modules that ``python -m`` starts it by, and ``scripts`` the ends of the paths of its scripts, each with the subcommand that it stands
    for (empty: the first word behind it says)."""

    name: str
    trains: tuple[str, ...]
    modules: Mapping[str, str] = NOTHING
    scripts: Mapping[str, str] = NOTHING
    also: tuple[str, ...] = ()
    """Other names of the same command."""
    every_device: bool = False
    """It calls accelerate or torchrun itself, and takes every visible device."""


@open_record
class Idle:
    """Programs of a framework that train nothing: ``pattern`` matches the whole name of their modules, and ``does`` says what they do
    instead. Where its command does so by a subcommand, `Tool` says it already.

    ``when``: flags that all have to be true for it; ``but``: flags that must not be there, unless they are true."""

    pattern: str
    does: str
    source: str
    when: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


@open_record
class Patch:
    """What a library puts in the place of others' code in a run that takes it, whatever they do themselves: ``by`` is its distribution,
    ``value`` what ``setting`` is then (None: what the run gives the library)."""

    by: str
    setting: str
    source: str
    value: Any = None
    since: str = ""
    """The first release that does; empty: all that were read."""
    before: Any = None
    """The value in the releases before; None: the patched code's own."""

    @property
    def readings(self) -> tuple[Any, Any]:
        """Where the release is not known; the newest's first."""
        return self.value, self.before


@open_record
class Package:
    """A distribution by its name on PyPI, in the spelling of PyPI. ``modules``: what it is imported as, where that is another name, newest
    first; ``None`` is the name itself, and an empty tuple a name that is more often a folder of one's own. ``version_files``: files in the
    package that hold its version, beside the usual ones, and whether it is ``assigned`` there or the whole ``text``."""

    name: str
    also: tuple[str, ...] = ()
    """Other names that a budget's ``stack`` may give it."""
    modules: tuple[str, ...] | None = None
    version_files: Mapping[str, str] = NOTHING
    pins: bool = True
    """Requirement and lock files beside a config say its version."""


@open_record
class Format:
    """One kind of document of a framework: what `budgetlint.readers.base.Reader` calls ``format``."""

    name: str
    title: str
    """For people, over the rules that look at it."""
    kinds: tuple[str, ...] = ()
    """Other words for it in a budget's ``config PATH kind=``; the first is the one that is proposed."""
    own_keys: tuple[str, ...] = ()
    """Keys at the top that no other framework has: three of them beside three of another tell that two files were put into one."""
    spellings: Mapping[str, str] = NOTHING
    """Setting -> the key that says it (`budgetlint.solve` writes them)."""
    renamed: Mapping[str, tuple[str, str, str]] = NOTHING
    """Key of these -> package, the version since which it is called so, the older key."""
    same_keys: bool = False
    """The flags of its programs are the keys of its files."""
    arguments: str = ""
    """Whose training arguments its keys are the fields of: ``transformers`` (``TrainingArguments``), or ``trl`` (a task's config, which has
    those too)."""
    makes_arguments: bool = False
    """It makes ``transformers.TrainingArguments`` of its own keys, most of them of the same names."""
    one_process: bool = False
    """Its programs start no further processes when python runs them."""
    own_loop: bool = False
    """A loop of its own on accelerate, which takes the accumulation that DeepSpeed's configuration says."""
    by_ray: bool = False
    """Ray places its workers: the program's own counts say on how many devices."""
    fsdp_key: bool = False
    """It shards by a key of its own (transformers training_args.py ``fsdp``), with no other file."""
    liger_key: bool = False
    """It has a switch for all of liger's kernels."""
    ends_at_positions: bool = False
    """It takes no sequence that is longer than the model's positions: it cuts, leaves out or refuses it."""
    lone: str = ""
    """What a file that no program is known to read is told to be read as."""
    schema: str = ""
    """The module that holds ``SCHEMA``, of which the JSON Schema of its files is made (`file_schema`)."""
    program: str = ""
    """The program that such a file is taken to be for."""
    recipes: str = ""
    """A function (``module:function``) that finds the programs of a project that such a file is for, where people write their own."""
    one_of: tuple[str, ...] = ()
    """Keys at the top of which its program asks for one: beside other programs that train, a file without any is its own by look alone."""


@open_record
class Manifest:
    """``name`` is the folder of the reader. A document is worth showing to it where one of its marks is met: a key at the top (``top``),
    a word in the text (``text``), or a function that is asked (``asked``, ``module:function``); without marks it always is. A mark may be
    too wide, never too narrow."""

    name: str
    formats: tuple[Format, ...]
    reader: str = ""
    """The module that holds ``READER`` or ``READERS``; of a built-in reader ``budgetlint.readers.<name>.reader``."""
    documents: tuple[str, ...] = ()
    """Formats of documents that it claims (json, yaml, toml, python, shell); empty: any. The others are never shown to it, so that its
    ``recognise`` must not claim them either."""
    top: tuple[str, ...] = ()
    text: str = ""
    asked: str = ""
    marks_flags: bool = False
    """The marks hold for commands too: its ``recognise`` asks keys alone. Else it is shown every command, which programs tell as well."""
    telling: tuple[str, ...] = ()
    """Words of which one tells that a text is a training config, even where it does not parse."""
    telling_large: tuple[str, ...] = ()
    """The same, asked only of a text that is larger than any config."""
    programs: tuple[Program, ...] = ()
    tools: tuple[Tool, ...] = ()
    idle: tuple[Idle, ...] = ()
    packages: tuple[Package, ...] = ()
    patches: tuple[Patch, ...] = ()
    """Of the libraries that its programs can be told to take, in the code that they run."""
    model_code: str = ""
    """Whose model code runs, where the framework brings its own: the value of the setting ``model_code``."""
    code_by_stack: bool = False
    """A budget's ``stack`` that names it says by that whose model code runs, with a version or without."""
    without: tuple[str, ...] = ()
    """Levers (`budgetlint.solve.levers`) that its model code has no switch for."""

    @property
    def home(self) -> str:
        return self.reader or f"budgetlint.readers.{self.name}.reader"

    @property
    def is_marked(self) -> bool:
        return bool(self.top or self.text or self.asked)


def made(kind: type[T], **given: Any) -> T:
    """A record of the index. What is not given is the class's default; no ``__init__`` is compiled for it, which is most of what a table
    of records costs at the start of a process."""
    one = object.__new__(kind)
    one.__dict__.update(given)
    return one
