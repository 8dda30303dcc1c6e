"""The door: a program, followed from its entry point."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from budgetlint.program.attributes import Attributes
from budgetlint.program.calling import Call
from budgetlint.program.calls import call_value
from budgetlint.program.ends import Dead, TooLong
from budgetlint.program.expressions import EXPRESSIONS
from budgetlint.program.functions import entry_call
from budgetlint.program.heap import Region
from budgetlint.program.import_order import may_be_unpatched
from budgetlint.program.imports import execute, member
from budgetlint.program.interface import Interface, Sought
from budgetlint.program.modules import Modules, Trees
from budgetlint.program.noted import AskedWord, Doubt, Refusal, Schedule, Slips, TrueText
from budgetlint.program.objects import Function, Object, Package
from budgetlint.program.packages import tables
from budgetlint.program.packages.class_defaults import default as class_default
from budgetlint.program.places import Origin
from budgetlint.program.reads import noting
from budgetlint.program.record import sink
from budgetlint.program.sinks import Sink
from budgetlint.program.state import NOWHERE, Interpreter, Launched, Parts
from budgetlint.program.statements import STATEMENTS
from budgetlint.program.steps import ModelRun
from budgetlint.program.stops import MOST_PASSED, Passed, is_meant, told, trains
from budgetlint.program.values import Value

_IN_ERROR = "the program ends in an error before it trains"
Default = Callable[[str, str], Value | None]
"""What a class of a package has for a field that nobody gave: ``(qualified name, field)``; None where that is not told."""


class Followed(NamedTuple):
    """What a program comes to. ``stopped``: why it was not followed to its end, empty where it was.

    ``sinks`` are the calls that decide memory, in order; ``opened`` the files that the program reads, and what named them; ``read`` the
    fields of objects that were asked for. ``interfaces`` and ``sought``: what it would take of a file that nobody names; ``loaders``: what
    loads each file.
    """

    sinks: tuple[Sink, ...]
    doubts: tuple[Doubt, ...]
    refusals: tuple[Refusal, ...]
    opened: tuple[tuple[str, Origin], ...]
    read: tuple[tuple[str, Value], ...]
    steps: int
    stopped: str = ""
    checkpoints: bool = False
    typed: bool = False
    """Of a loop: whether a module that was followed names activation checkpointing at all, or gives layers a dtype."""
    interfaces: tuple[Interface, ...] = ()
    sought: tuple[Sought, ...] = ()
    loaders: Mapping[str, str] = {}
    options: bool = False
    """Whether a parser of it was asked for words."""
    asked: Mapping[tuple[str, int], bool] = MappingProxyType({})
    """Values of configs that were asked for."""
    missed: Mapping[tuple[str, int], Collection[str]] = MappingProxyType({})
    """By mapping of a config, keys that were asked for and are not there."""
    dropping: Collection[tuple[str, int]] = frozenset()
    kept: Collection[tuple[str, int]] = frozenset()
    """Mappings that a loop takes only some of and nobody else has; values that such a loop copies."""
    handed: bool = False
    """Whether code that is not followed was given a trainer."""
    runs: tuple[ModelRun, ...] = ()
    """Calls of models and modules."""
    true_texts: tuple[TrueText, ...] = ()
    """Texts that say no and were taken for true."""
    schedules: tuple[Schedule, ...] = ()
    asked_words: tuple[AskedWord, ...] = ()
    """Schedules that a loop makes; words that were compared with the program's own."""
    flags: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """By destination, the flags of the options that were read."""
    untaken: Mapping[int, frozenset[bool]] = MappingProxyType({})
    """Of each condition (the id of its `ast.If`) which of its branches were left out at least once."""
    modules: frozenset[str] = frozenset()
    """The files that were followed."""
    slips: Slips = Slips()
    """What is written down for rules alone."""
    unpatched: bool = False
    """Whether TRL's classes may be its own in a program that loads its model with Unsloth (`import_order`)."""


def follow(trees: Trees, entry: str, launched: Launched | None = None, *, function: str = "", default: Default = class_default) -> Followed:
    """Follows a file of the project as Python would run it: ``function`` of it, or its body as ``__main__``.

    One that stops in an error and would train is followed as it was meant, with where it stops among its refusals.
    """
    once = partial(_once, trees, entry, launched or Launched(), function, default)
    first, ended, _ = once(frozenset())
    found, past = first, frozenset[ast.stmt]()
    for _ in range(MOST_PASSED):
        if trains(found.sinks) or not ended or found.stopped not in ("", _IN_ERROR):
            break
        past |= set(ended)
        found, ended, passed = once(past)
        if is_meant(found.sinks, passed):
            return found
    return first


def _once(
    trees: Trees, entry: str, started: Launched, function: str, default: Default, past: frozenset[ast.stmt]
) -> tuple[Followed, list[ast.stmt], list[Passed]]:
    """The program, errors that it comes to, and what was read on past."""
    it = Interpreter(_parts(default, started), Modules(trees, entry, started.folder), started)
    it.past = past
    stopped = _start(it, entry, function)
    doubts = tuple({(one.kind, one.why, str(one.place)): one for one in reversed(it.doubts)}.values())[::-1]
    ran = tuple(it.sinks), doubts, told(it), tuple(it.opened), tuple(it.read), it.steps, stopped
    sought = tuple(dict.fromkeys(it.interfaces)), tuple(dict.fromkeys(it.sought)), it.loaders, bool(it.flags)
    loads = any(one.kind == "unsloth_load" for one in it.sinks)
    found = Followed(
        *ran, _names(it, _is_checkpointing), _names(it, _is_typed), *sought, it.asked, it.missed, it.dropping, it.kept,
        any(map(_is_trainer, it.doubts)),
        tuple(it.runs), tuple(it.true_texts), tuple(it.schedules), tuple(it.asked_words.values()), it.flags,
        {key: frozenset(ways) for key, ways in it.untaken.items()},
        frozenset(one.path for one in it.modules.made.values()), it.slips, loads and may_be_unpatched(it.modules),
    )  # fmt: skip
    return found, it.ended, it.passed


def _start(it: Interpreter, entry: str, function: str) -> str:
    module = it.modules.at(entry, (function and "entry") or "__main__")
    if module is None:
        return f"{entry} cannot be parsed"
    try:
        execute(it, module)
        it.heap.regions = [Region()]
        if function:
            target = member(it, Package(module), function)
            if isinstance(target, Function):
                it.call(target, entry_call(it, target))
            elif isinstance(target, Object):  # a command of click, an application of typer
                it.call(target, Call((), {}, None, NOWHERE, it.outside))
    except Dead:
        return _IN_ERROR if not it.sinks else ""
    except TooLong as bound:
        trains = any(one.kind == "backward" for one in it.sinks) and not any(one.kind == "trainer" for one in it.sinks)
        return "" if trains or any(map(_is_of_trainer, it.within)) else str(bound)
    except RecursionError:  # a caller that is deep in its own calls
        return "the program is nested too deep to follow"
    return ""


def _is_trainer(one: Doubt) -> bool:
    return isinstance(one.about, Object) and one.about.made is not None and one.about.made.kind == "trainer"


def _is_of_trainer(function: Function) -> bool:
    """What a trainer was made with is known, however long it then trains."""
    bound = function.bound
    return isinstance(bound, Object) and bound.made is not None and bound.made.kind == "trainer"


_CHECKPOINTING = frozenset({
    "checkpoint_sequential", "checkpoint_wrapper", "gradient_checkpointing", "gradient_checkpointing_enable",
    "apply_activation_checkpointing", "set_grad_checkpointing", "activation_checkpointing", "use_checkpoint",
})  # fmt: skip


def _names(it: Interpreter, what: Callable[[ast.AST], bool]) -> bool:
    """Asked of loops only, whose models are often the repository's own: those of a Trainer say it in their arguments."""
    if not any(one.kind in {"backward", "foreign_trainer", "deepspeed"} for one in it.sinks):
        return False
    return any(it.modules.trees.holds(module.path, what) for module in it.modules.made.values())


def _is_checkpointing(node: ast.AST) -> bool:
    match node:
        case ast.Name():
            return node.id in _CHECKPOINTING
        case ast.Attribute():
            return node.attr in _CHECKPOINTING or (
                node.attr == "checkpoint" and isinstance(node.value, ast.Attribute) and node.value.attr == "utils"
            )
        case ast.ImportFrom():
            return node.module == "torch.utils.checkpoint" or any(one.name in {*_CHECKPOINTING, "checkpoint"} for one in node.names)
        case ast.Import():
            return any(one.name == "torch.utils.checkpoint" for one in node.names)
        case ast.keyword():
            return node.arg in _CHECKPOINTING
    return False


def _is_typed(node: ast.AST) -> bool:
    """``nn.Linear(8, 8, dtype=torch.bfloat16)``"""
    if not isinstance(node, ast.Call) or not any(one.arg == "dtype" for one in node.keywords):
        return False
    owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return getattr(owner, "id", getattr(owner, "attr", "")) in {"nn", "Linear", "Embedding", "Parameter"}


def _parts(default: Default, started: Launched) -> Parts:
    known = tables()

    def asked(it: Interpreter, base: Object, name: str) -> Value | None:
        return default(base.kind, name) if base.rest is None else None

    return Parts(
        STATEMENTS,
        EXPRESSIONS,
        call_value,
        Attributes(),
        known.builtins,
        known.functions,
        known.methods,
        known.constants_of(started),
        known.properties,
        noting(known.node),
        sink,
        asked,
    )


__all__ = ["Followed", "Launched", "Mapping", "follow"]
