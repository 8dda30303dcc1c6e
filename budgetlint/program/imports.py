"""Imports: what a name of another module is, and when that module is followed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from budgetlint.program.calling import Frame
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.ends import Dead
from budgetlint.program.heap import Outcome, Region
from budgetlint.program.import_order import note_import
from budgetlint.program.modules import Lazy, Module
from budgetlint.program.objects import Object, Package
from budgetlint.program.packages.benign import changes_nothing
from budgetlint.program.packages.replaced import replaced
from budgetlint.program.packages.roots import ROOT
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.values import ABSENT, BIRTHS, Choice, External, Items, Known, Map, Names, Opaque, Value, Way


def import_(it: Interpreter, node: ast.Import, frame: Frame) -> Signal:
    for alias in node.names:
        first = alias.name.partition(".")[0]
        note_import(it.modules, alias.name)
        _may_not_be_there(it, frame.module, alias.name)
        _acting(it, frame.module, alias.name, 0)
        path = _path(it, frame.module, alias.name, 0)
        if path is not None:
            it.modules.waiting.setdefault(path, [])
        _bind(it, frame, alias.asname or first, Lazy(frame.module, alias.name if alias.asname else first))
    return GOES_ON


def import_from(it: Interpreter, node: ast.ImportFrom, frame: Frame) -> Signal:
    dotted = node.module or ""
    if not node.level:
        note_import(it.modules, dotted)
        _may_not_be_there(it, frame.module, dotted)
    _acting(it, frame.module, dotted, node.level, [alias.name for alias in node.names])
    for alias in node.names:
        if alias.name == "*":
            _star(it, frame, dotted, node.level)
        else:
            lazy = Lazy(frame.module, dotted, alias.name, node.level)
            _must_be_there(it, lazy)
            _bind(it, frame, alias.asname or alias.name, lazy)
    return GOES_ON


def _bind(it: Interpreter, frame: Frame, name: str, value: Value) -> None:
    """A name of an import: what it is now, if its module was followed already, or has come so far in a circle; else what it is when that
    is."""
    names = frame.names.shared.get(name, frame.names)
    if isinstance(value, Lazy) and value.name:
        path = _path(it, value.module, value.dotted, value.level)
        module = it.modules.made.get(path) if path is not None else None
        now = module.names.bound.get(value.name) if module is not None and module.state in ("done", "running") else None
        if now is not None:
            value = now
        elif path is not None:
            it.modules.waiting.setdefault(path, []).append((names, name, value))
    it.heap.write(names, name, value)


def _settle_those_that_wait(it: Interpreter, module: Module) -> None:
    """Names that were imported of a module before it was followed are what they are when it ends: what changes them later does not reach
    these."""
    for names, name, lazy in it.modules.waiting.pop(module.path, []):
        if names.bound.get(name) is lazy and lazy.name in module.names.bound:
            names.bound[name] = module.names.bound[lazy.name]


def all_followed(it: Interpreter) -> None:
    """A name of a module is changed from outside: modules whose turn has come and that were put off are followed as things were before."""
    for path in list(it.modules.waiting):
        module = it.modules.at(path, path)
        if module is not None:
            execute(it, module)


def _may_not_be_there(it: Interpreter, module: Module, dotted: str) -> None:
    """A package that may not be installed, or not have that name: Python's own are there."""
    if it.tries and dotted.partition(".")[0] not in sys.stdlib_module_names and _path(it, module, dotted, 0) is None:
        it.may_fail("ModuleNotFoundError")


def _must_be_there(it: Interpreter, lazy: Lazy) -> None:
    """A program that asks for the error may be told now that a module of the repository has no such name."""
    if not any(names & {"ImportError", "ModuleNotFoundError"} for names in it.tries):
        return
    path = _path(it, lazy.module, lazy.dotted, lazy.level)
    if path is None:
        if lazy.level:
            it.may_fail("ImportError")
        return
    found = resolved(it, lazy)
    if isinstance(found, Opaque):
        it.may_fail("ImportError")


def _home(frame: Frame, name: str) -> Names:
    return frame.names.shared.get(name, frame.names)


def _acting(it: Interpreter, module: Module, dotted: str, level: int, names: Sequence[str] = ()) -> None:
    """A module that does something when it is imported is followed here, others when they are asked. The packages around it come first."""
    parts = dotted.split(".") if dotted else []
    whole = [".".join(parts[: at + 1]) for at in range(len(parts))] if not level else [dotted]
    below = [f"{dotted}.{name}" if dotted else name for name in names if name != "*"]
    for one in (*whole, *below):
        path = _path(it, module, one, level)
        if path is not None and it.modules.acts(path):
            found = it.modules.at(path, one or path)
            if found is not None:
                execute(it, found)


def _star(it: Interpreter, frame: Frame, dotted: str, level: int) -> None:
    found = _module(it, frame.module, dotted, level)
    if not isinstance(found, Package):
        frame.module.stars.append(dotted)
        if not changes_nothing(f"{dotted}.name"):
            _perhaps_other(it, frame, dotted)
        return
    listed = found.module.names.bound.get("__all__")
    wanted = {one.value for one in listed.items if isinstance(one, Known)} if isinstance(listed, Items) and listed.more is None else None
    for name, value in list(found.module.names.bound.items()):
        if isinstance(name, str) and (name in wanted if wanted is not None else not name.startswith("_")):
            it.heap.write(_home(frame, name), name, value)
    frame.module.stars += found.module.stars


def _perhaps_other(it: Interpreter, frame: Frame, dotted: str) -> None:
    """A package that nobody knows may have a name that is set already."""
    for name, value in list(frame.names.bound.items()):
        if isinstance(name, str) and not name.startswith("_") and isinstance(value, Known | Items | Choice):
            it.heap.write(frame.names, name, choice([*alternatives(value), Way("", Opaque(f"{name} of {dotted}", value))]))


def _path(it: Interpreter, module: Module, dotted: str, level: int) -> str | None:
    return it.modules.relative(module, dotted, level) if level else it.modules.absolute(dotted)


def _module(it: Interpreter, module: Module, dotted: str, level: int) -> Value:
    path = _path(it, module, dotted, level)
    if path is None:
        return External(dotted) if not level else Opaque(f"module {'.' * level}{dotted} is not in the repository")
    found = it.modules.at(path, dotted or path)
    if found is None:
        return Opaque(f"{path} cannot be parsed")
    execute(it, found)
    return Package(found)


def execute(it: Interpreter, module: Module, name: str = "") -> None:
    """Follows a module's body, once. What it defines holds on every way; what it does to others, on this one."""
    if module.state != "new":
        return
    module.state = "running"
    module.names.bound["__name__"] = Known(name or module.name)
    module.names.bound["__file__"] = Known(f"{ROOT}/{module.path}")
    region, perhaps = Region(), any(it.conditions)
    regions, conditions = it.heap.regions, it.conditions
    it.heap.regions, it.conditions = [region], []
    start = next(BIRTHS)
    try:
        signal = it.run(module.tree.body, Frame(module.names))
    finally:
        it.heap.regions, it.conditions = regions, conditions
        module.state = "done"
        module.births = (start, next(BIRTHS))
    _settle_those_that_wait(it, module)
    if perhaps:
        _perhaps_done(it, region, module)
    for one in region.left:
        it.heap.leave(Outcome("raise", one.value, {}))
    if signal[0] == "raise":
        raise Dead(signal[1])


def _perhaps_done(it: Interpreter, region: Region, module: Module) -> None:
    """What a module that is imported on one way only has changed of others."""
    first, last = module.births
    inner = [one.births for one in it.modules.made.values() if first < one.births[0] and one.births[1] < last]
    for change in region.changes.values():
        target = change.target
        if isinstance(target, Items | Map | Object):
            others = target.born < first or any(start <= target.born < end for start, end in inner)
        else:
            others = isinstance(target, Names) and target.above is None and target is not module.names
        if others:
            it.heap.put_perhaps(change)


def resolved(it: Interpreter, lazy: Lazy) -> Value:
    """What an import that was put off comes to."""
    found = _module(it, lazy.module, lazy.dotted, lazy.level)
    return found if not lazy.name else member(it, found, lazy.name)


def member(it: Interpreter, found: Value, name: str) -> Value:
    """A name of a module."""
    if isinstance(found, External):
        full = f"{found.name}.{name}"
        return replaced(it, full) or it.parts.constants.get(full) or External(full)
    if not isinstance(found, Package):
        return found
    module = found.module
    value = module.names.bound.get(name, ABSENT)
    if isinstance(value, Lazy):
        return _settled(it, module.names, name, value)
    if value is not ABSENT:
        return value
    below = it.modules.find(name, [module.folder])
    if below is not None and below != module.path:
        made = it.modules.at(below, f"{module.name}.{name}")
        if made is not None:
            execute(it, made)
            return Package(made)
    if "__getattr__" in module.names.bound or module.state == "running":
        return Opaque(f"{name} of {module.path}")
    return External(f"{module.stars[0]}.{name}") if module.stars else Opaque(f"{name} is not in {module.path}")


_WAITING = Opaque("an import that goes in a circle")


def _settled(it: Interpreter, names: Names, name: str, value: Lazy) -> Value:
    names.bound[name] = _WAITING  # asked for again while it is found
    try:
        found = resolved(it, value)
    except Dead:
        names.bound[name] = value
        raise
    names.bound[name] = found
    return found


def lookup(it: Interpreter, name: str, names: Names) -> Value:
    """What a name is here: of this body, of those around it, of the module, of Python."""
    first = at = names.shared.get(name, names)
    while at is not None:
        value = at.bound.get(name) if at.kind != "class" or at is first else None
        if value is not None:
            return _bound(it, at, name, value)
        at = at.above  # type: ignore[assignment]
    builtin = it.parts.builtins.get(name)
    if builtin is not None:
        return builtin
    if names.module.stars:
        return External(f"{names.module.stars[0]}.{name}")
    if any("NameError" in one for one in it.tries):
        raise Dead("NameError")
    return Opaque(f"{name} is not bound")


def _bound(it: Interpreter, names: Names, name: str, value: Value) -> Value:
    if isinstance(value, Lazy):
        return _settled(it, names, name, value)
    ways = getattr(value, "ways", None)
    if ways is None:
        return value
    if any(isinstance(way.value, Lazy) for way in ways):  # one import or another
        value = choice(way._replace(value=resolved(it, way.value)) if isinstance(way.value, Lazy) else way for way in ways)
        names.bound[name] = value
    present = [way for way in getattr(value, "ways", ()) if way.value is not ABSENT]
    if len(present) < len(getattr(value, "ways", ())):
        it.may_fail("NameError")
    return choice(present) if present else value
