"""The door: a program, followed from its entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from budgetlint.program.attributes import Attributes
from budgetlint.program.calls import call_value
from budgetlint.program.expressions import EXPRESSIONS
from budgetlint.program.functions import entry_call
from budgetlint.program.heap import Region
from budgetlint.program.imports import execute, member
from budgetlint.program.modules import Modules, Trees
from budgetlint.program.packages import tables
from budgetlint.program.packages.class_defaults import default as class_default
from budgetlint.program.record import sink
from budgetlint.program.sinks import Sink
from budgetlint.program.state import Dead, Doubt, Interpreter, Launched, Parts, Refusal, TooLong
from budgetlint.program.statements import STATEMENTS
from budgetlint.program.values import Function, Object, Origin, Package, Value

Default = Callable[[str, str], Value | None]
"""What a class of a package has for a field that nobody gave: ``(qualified name, field)``; None where that is not told."""


class Followed(NamedTuple):
    """What a program comes to. ``stopped``: why it was not followed to its end, empty where it was.

    ``sinks`` are the calls that decide memory, in order; ``opened`` the files that the program reads, and what named them; ``read`` the fields of
    objects that were asked for.
    """

    sinks: tuple[Sink, ...]
    doubts: tuple[Doubt, ...]
    refusals: tuple[Refusal, ...]
    opened: tuple[tuple[str, Origin], ...]
    read: tuple[tuple[str, Value], ...]
    steps: int
    stopped: str = ""


def follow(trees: Trees, entry: str, launched: Launched | None = None, *, function: str = "", default: Default = class_default) -> Followed:
    """Follows a file of the project as Python would run it: ``function`` of it, or its body as ``__main__``."""
    started = launched or Launched()
    it = Interpreter(_parts(default, started), Modules(trees, entry, started.folder), started)
    stopped = _start(it, entry, function)
    doubts = tuple({(one.kind, one.why, str(one.place)): one for one in it.doubts}.values())
    return Followed(tuple(it.sinks), doubts, tuple(it.refusals), tuple(it.opened), tuple(it.read), it.steps, stopped)


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
    except Dead:
        return "the program ends in an error before it trains" if not it.sinks else ""
    except TooLong as bound:
        return str(bound)
    except RecursionError:  # a caller that is deep in its own calls
        return "the program is nested too deep to follow"
    return ""


def _parts(default: Default, started: Launched) -> Parts:
    known = tables()

    def asked(it: Interpreter, base: Object, name: str) -> Value | None:
        return default(base.kind, name) if base.rest is None else None

    return Parts(STATEMENTS, EXPRESSIONS, call_value, Attributes(), known.builtins, known.functions, known.methods, known.constants_of(started), known.properties, known.node, sink, asked)


__all__ = ["Followed", "Launched", "Mapping", "follow"]
