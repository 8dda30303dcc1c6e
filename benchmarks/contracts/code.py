"""The code of one release: its modules, classes, constants and enumerations, parsed and never imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Class:
    """A class of a module. ``bases`` as they are written."""

    module: Module
    node: ast.ClassDef

    @property
    def name(self) -> str:
        return self.node.name

    @cached_property
    def methods(self) -> Mapping[str, Function]:
        every = (one for one in self.node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))
        return {one.name: one for one in every if not any(ast.unparse(each).endswith(".setter") for each in one.decorator_list)}

    @cached_property
    def members(self) -> Mapping[str, ast.expr]:
        """Plain assignments of the body: the members of an enumeration, the constants of a class."""
        return {
            target.id: one.value
            for one in self.node.body
            if isinstance(one, ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Name)
        }

    @property
    def bases(self) -> tuple[str, ...]:
        return tuple(ast.unparse(one) for one in self.node.bases)


@dataclass(frozen=True, eq=False)
class Module:
    """One file. ``path`` is that inside the release, ``name`` dotted."""

    path: str
    name: str
    tree: ast.Module

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        return {one.name: one for one in _top(self.tree.body) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}

    @cached_property
    def classes(self) -> Mapping[str, Class]:
        return {one.name: Class(self, one) for one in _top(self.tree.body) if isinstance(one, ast.ClassDef)}

    @cached_property
    def constants(self) -> Mapping[str, ast.expr]:
        found: dict[str, ast.expr] = {}
        for one in _top(self.tree.body):
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                found[one.targets[0].id] = one.value
            elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.value is not None:
                found[one.target.id] = one.value
        return found

    @cached_property
    def stars(self) -> tuple[str, ...]:
        """Modules whose names are all brought in: ``from .actor import *``."""
        every = (one for one in _top(self.tree.body) if isinstance(one, ast.ImportFrom))
        return tuple(self._start(one) for one in every if one.names[0].name == "*")

    @cached_property
    def imported(self) -> Mapping[str, str]:
        """Local names and the dotted names that they stand for."""
        found: dict[str, str] = {}
        for one in ast.walk(self.tree):
            if isinstance(one, ast.Import):
                found.update({(a.asname or a.name.split(".")[0]): a.name if a.asname else a.name.split(".")[0] for a in one.names})
            elif isinstance(one, ast.ImportFrom):
                found.update({a.asname or a.name: f"{self._start(one)}.{a.name}" for a in one.names})
        return found

    def _start(self, node: ast.ImportFrom) -> str:
        package = self.name if self.path.endswith("__init__.py") else self.name.rpartition(".")[0]
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        return ".".join([*above, *(node.module or "").split(".")]).strip(".")


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those under a condition or a ``try`` too."""
    for one in body:
        if isinstance(one, ast.If):
            yield from _top(one.body)
            yield from _top(one.orelse)
        elif isinstance(one, ast.Try):
            yield from _top(one.body)
        else:
            yield one


@dataclass(eq=False)
class Release:
    """The files of one or more packages, unpacked under ``root``, read when they are first asked for."""

    root: Path
    versions: Mapping[str, str]
    """Of each package that lies under the root: ``{"trl": "1.16.0"}``."""
    _modules: dict[str, Module | None] = field(default_factory=dict)

    def module(self, name: str) -> Module | None:
        """The module of a dotted name; None where it does not lie here."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def _read(self, name: str) -> Module | None:
        base = self.root.joinpath(*name.split("."))
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                tree = ast.parse(path.read_text(encoding="utf-8"))
                return Module(path.relative_to(self.root).as_posix(), name, tree)
        return None

    def find(self, dotted: str) -> Class | Function | ast.expr | None:
        """The class, function or constant behind ``package.module.name``, followed through re-exports."""
        module_name, _, name = dotted.rpartition(".")
        module = self.module(module_name) if module_name else None
        return None if module is None else self.named(module, name)

    def named(self, module: Module, name: str, depth: int = 0) -> Class | Function | ast.expr | None:
        """What a name of a module stands for."""
        for table in (module.classes, module.functions, module.constants):
            if name in table:
                return table[name]
        origin = module.imported.get(name)
        if depth > 6:
            return None
        if origin is None:
            others = [self.module(one) for one in module.stars]
            every = (self.named(one, name, depth + 1) for one in others if one is not None and one is not module)
            return next((one for one in every if one is not None), None)
        other = self.module(origin.rpartition(".")[0])
        return None if other is None or other is module else self.named(other, origin.rpartition(".")[2], depth + 1)

    def home(self, module: Module, name: str, depth: int = 0) -> Module | None:
        """The module in which what a name stands for is written."""
        if name in module.classes or name in module.functions or name in module.constants:
            return module
        origin = module.imported.get(name)
        if depth > 6:
            return None
        if origin is None:
            others = [self.module(one) for one in module.stars]
            every = (self.home(one, name, depth + 1) for one in others if one is not None and one is not module)
            return next((one for one in every if one is not None), None)
        other = self.module(origin.rpartition(".")[0])
        return None if other is None or other is module else self.home(other, origin.rpartition(".")[2], depth + 1)

    def resolution(self, one: Class) -> tuple[Class, ...]:
        """A class and its bases in Python's method resolution order, nearest first; those that lie here."""
        bases = [self._base(one, base) for base in one.bases]
        rows = [list(self.resolution(base)) for base in bases if base is not None]
        rows.append([base for base in bases if base is not None])
        found = [one]
        while rows := [row for row in rows if row]:
            head = next((row[0] for row in rows if not any(row[0] in other[1:] for other in rows)), rows[0][0])
            found.append(head)
            rows = [[each for each in row if each is not head] for row in rows]
        return tuple(found)

    def _base(self, one: Class, written: str) -> Class | None:
        other = self.named(one.module, written.rpartition(".")[2].split("[")[0])
        if isinstance(other, ast.Name):  # ``BaseArguments = Seq2SeqTrainingArguments``
            other = self.named(one.module, other.id)
        return other if isinstance(other, Class) and other is not one else None

    def lineage(self, one: Class) -> tuple[Class, ...]:
        """A class and its bases, as far as they lie here, nearest first."""
        found: list[Class] = []
        waiting = [one]
        while waiting:
            current = waiting.pop(0)
            if current in found:
                continue
            found.append(current)
            for base in current.bases:
                other = self._base(current, base)
                if other is not None:
                    waiting.append(other)
        return tuple(found)
