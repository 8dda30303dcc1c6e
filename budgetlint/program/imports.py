"""Imports: what a name of another module is, and when that module is followed."""

from __future__ import annotations

import ast
import sys

from budgetlint.program.heap import Region
from budgetlint.program.modules import Lazy, Module
from budgetlint.program.packages.roots import ROOT
from budgetlint.program.state import GOES_ON, Dead, Frame, Interpreter, Signal
from budgetlint.program.values import ABSENT, External, Known, Names, Opaque, Package, Value, choice


def import_(it: Interpreter, node: ast.Import, frame: Frame) -> Signal:
    for alias in node.names:
        first = alias.name.partition(".")[0]
        _may_not_be_there(it, frame.module, alias.name)
        _acting(it, frame.module, alias.name, 0)
        it.heap.write(_home(frame, alias.asname or first), alias.asname or first, Lazy(frame.module, alias.name if alias.asname else first))
    return GOES_ON


def import_from(it: Interpreter, node: ast.ImportFrom, frame: Frame) -> Signal:
    dotted = node.module or ""
    if not node.level:
        _may_not_be_there(it, frame.module, dotted)
    _acting(it, frame.module, dotted, node.level)
    for alias in node.names:
        if alias.name == "*":
            _star(it, frame, dotted, node.level)
        else:
            it.heap.write(
                _home(frame, alias.asname or alias.name), alias.asname or alias.name, Lazy(frame.module, dotted, alias.name, node.level)
            )
    return GOES_ON


def _may_not_be_there(it: Interpreter, module: Module, dotted: str) -> None:
    """A package that may not be installed, or not have that name: Python's own are there."""
    if it.tries and dotted.partition(".")[0] not in sys.stdlib_module_names and _path(it, module, dotted, 0) is None:
        it.may_fail("ModuleNotFoundError")


def _home(frame: Frame, name: str) -> Names:
    return frame.names.shared.get(name, frame.names)


def _acting(it: Interpreter, module: Module, dotted: str, level: int) -> None:
    """A module that does something when it is imported is followed here, others when they are asked."""
    path = _path(it, module, dotted, level)
    if path is not None and it.modules.trees.acts(path):
        found = it.modules.at(path, dotted or path)
        if found is not None:
            execute(it, found)


def _star(it: Interpreter, frame: Frame, dotted: str, level: int) -> None:
    found = _module(it, frame.module, dotted, level)
    if not isinstance(found, Package):
        frame.module.stars.append(dotted)
        return
    listed = found.module.names.bound.get("__all__")
    wanted = {one.value for one in listed.items if isinstance(one, Known)} if listed is not None and hasattr(listed, "items") else None
    for name, value in list(found.module.names.bound.items()):
        if isinstance(name, str) and (name in wanted if wanted is not None else not name.startswith("_")):
            it.heap.write(_home(frame, name), name, value)
    frame.module.stars += found.module.stars


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
    """Follows a module's body, once. What it does holds on every way: it is as if it had been imported first."""
    if module.state != "new":
        return
    module.state = "running"
    module.names.bound["__name__"] = Known(name or module.name)
    module.names.bound["__file__"] = Known(f"{ROOT}/{module.path}")
    regions, conditions, tries = it.heap.regions, it.conditions, it.tries
    it.heap.regions, it.conditions, it.tries = [Region()], [], []
    try:
        signal = it.run(module.tree.body, Frame(module.names))
    finally:
        it.heap.regions, it.conditions, it.tries = regions, conditions, tries
        module.state = "done"
    if signal[0] == "raise":
        raise Dead(signal[1])


def resolved(it: Interpreter, lazy: Lazy) -> Value:
    """What an import that was put off comes to."""
    found = _module(it, lazy.module, lazy.dotted, lazy.level)
    return found if not lazy.name else member(it, found, lazy.name)


def member(it: Interpreter, found: Value, name: str) -> Value:
    """A name of a module."""
    if isinstance(found, External):
        full = f"{found.name}.{name}"
        return it.parts.constants.get(full) or External(full)
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
