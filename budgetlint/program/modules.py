"""The repository's modules: found as Python finds them, parsed once, executed when one of their names is asked for.

A module that only defines things is followed late: a program uses a few names of the many that it imports. One that does something when it
is imported (a call, a change of something else) is followed where the import stands.
"""

from __future__ import annotations

import ast
import posixpath
import warnings
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from budgetlint.base.folders import folders_above
from budgetlint.base.source import SourceFile
from budgetlint.program.effects import Effects, effects_of
from budgetlint.program.values import Names, Value

MOST_TEXT = 1_000_000
"""Characters of a module; the longest in 26 repositories has 268,000."""

PROGRAMS = (".py", ".ipynb")
"""Files that are modules by themselves; the others are folders. A notebook is given as the Python of its cells."""
CORE = frozenset({
    "transformers", "torch", "trl", "peft", "accelerate", "deepspeed", "bitsandbytes", "unsloth", "datasets", "typing", "dataclasses",
    "os", "sys", "json", "yaml", "argparse",
})  # fmt: skip
"""Packages that a folder of the repository never stands for: a data folder called ``datasets``, a copy of ``trl`` are not followed."""


_MOST_ASKED = 300
"""Modules of an import's closure that are asked whether they act."""


class Files(Protocol):
    """The files of a project, as a program may read them. Paths are from the root, with ``/``."""

    def source(self, path: str) -> SourceFile | None: ...
    def is_file(self, path: str) -> bool: ...
    def is_folder(self, path: str) -> bool: ...
    def called(self, name: str) -> Sequence[str]:
        """All files of this name."""
        ...

    def below(self, folder: str) -> Sequence[str]:
        """All modules in a folder and in those below it."""
        ...


class Module:
    """``name`` is what ``__name__`` is, ``state``: ``new``, ``running``, ``done``. ``stars``: packages of which everything was imported.

    ``births``: the numbers of the first and the last thing that was made while it was followed.
    """

    __slots__ = ("births", "folder", "name", "names", "path", "stars", "state", "tree")

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree
        self.folder = posixpath.dirname(path) if path.endswith(PROGRAMS) else path
        self.names = Names(None, self)
        self.state = "new"
        self.births = (0, 0)
        self.stars: list[str] = []


class Lazy(Value):
    """An import that nobody has asked for yet: ``name`` of a module, empty for the module itself."""

    __slots__ = ("dotted", "level", "module", "name")

    def __init__(self, module: Module, dotted: str, name: str = "", level: int = 0) -> None:
        self.module, self.dotted, self.name, self.level, self.origins = module, dotted, name, level, ()


class Trees:
    """Syntax trees by path, each parsed once; shared by all programs of a project."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._trees: dict[str, ast.Module | None] = {}
        self._effects: dict[str, Effects] = {}
        self._holds: dict[tuple[str, Callable[[ast.AST], bool]], bool] = {}

    def tree(self, path: str) -> ast.Module | None:
        """The tree of a module; None where it cannot be read or is no Python."""
        if path not in self._trees:
            source = self.files.source(path)
            self._trees[path] = None if source is None else parsed(source.text)
        return self._trees[path]

    def holds(self, path: str, what: Callable[[ast.AST], bool]) -> bool:
        """Whether a module has a node of which something is so; looked for once for all programs."""
        tree = self.tree(path) if path.endswith(".py") else None
        if (path, what) not in self._holds:
            self._holds[path, what] = tree is not None and any(map(what, ast.walk(tree)))
        return self._holds[path, what]

    def effects(self, path: str) -> Effects:
        """What a module does when it is imported; nothing for a folder."""
        tree = self.tree(path) if path.endswith(PROGRAMS) else None
        if path not in self._effects:
            self._effects[path] = Effects() if tree is None else effects_of(tree)
        return self._effects[path]


def parsed(text: str) -> ast.Module | None:
    """The tree of a text; None for one that is no Python, or too long."""
    if len(text) > MOST_TEXT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class Modules:
    """The modules of one program. ``search``: folders in which a module is looked for, best first; a program may change it."""

    def __init__(self, trees: Trees, entry: str, folder: str = "") -> None:
        self.trees, self.files, self.entry = trees, trees.files, entry
        home = posixpath.dirname(entry)
        above = list(folders_above(home))
        self.search = list(dict.fromkeys([home, folder, "", "src", *above, *(posixpath.join(one, "src") for one in above)]))
        self.made: dict[str, Module] = {}
        self.order: list[str] = []
        """Packages of `import_order`, as their imports were met."""
        self.waiting: dict[str, list[tuple[Names, str, Lazy]]] = {}
        """By module, the names that were imported of it before it was followed."""
        self._found: dict[str, str | None] = {}
        self._acts: dict[str, bool] = {}

    def at(self, path: str, name: str) -> Module | None:
        """The module of this file or folder; None where it cannot be parsed."""
        if path not in self.made:
            tree = self.trees.tree(path) if path.endswith(PROGRAMS) else ast.Module(body=[], type_ignores=[])
            if tree is None:
                return None
            self.made[path] = Module(name, path, tree)
        return self.made[path]

    def find(self, dotted: str, folders: Sequence[str] | None = None) -> str | None:
        """The file or folder that a dotted name stands for; None for a package that is not of the repository."""
        part = dotted.replace(".", "/")
        tried = [posixpath.join(base, part) for base in (self.search if folders is None else folders)]
        for at in tried:
            for path in (f"{at}/__init__.py", f"{at}.py"):
                if self.files.is_file(path):
                    return path
        return next((at for at in tried if at and self.files.is_folder(at) and self._holds_modules(at)), None)

    def absolute(self, dotted: str) -> str | None:
        """The same of an absolute import; a package whose folder is put on the path unseen is found by being the only one."""
        if dotted.split(".", 1)[0] in CORE:
            return None
        if dotted not in self._found:
            self._found[dotted] = self.find(dotted) or self._only(dotted)
        return self._found[dotted]

    def searched(self) -> None:
        """The folders in which modules are looked for have changed."""
        self._found.clear()
        self._acts.clear()

    def acts(self, path: str) -> bool:
        """Whether a module, or one that it imports, does more than define things when it is imported."""
        if path in self._acts:
            return self._acts[path]
        seen, waiting = {path}, [path]
        while waiting:
            one = waiting.pop()
            if self._acts.get(one) or self._acts_itself(one):
                self._acts[path] = True
                return True
            if len(seen) < _MOST_ASKED:
                new = [other for other in self._imported(one) if other not in seen and self._acts.get(other) is not False]
                seen.update(new)
                waiting += new
        self._acts |= dict.fromkeys(seen, False)
        return False

    def _acts_itself(self, path: str) -> bool:
        told = self.trees.effects(path)
        return told.always or any(self.named(path, *one) is not None for one in told.calls)

    def _imported(self, path: str) -> list[str]:
        found = [self.named(path, *one) for one in self.trees.effects(path).imports]
        return [one for one in found if one is not None]

    def named(self, path: str, dotted: str, level: int) -> str | None:
        """The file or folder that an import in the module of this path names."""
        if not level:
            return self.absolute(dotted)
        return self._relative(path if not path.endswith(PROGRAMS) else posixpath.dirname(path), dotted, level)

    def relative(self, module: Module, dotted: str, level: int) -> str | None:
        """The same of ``from ..a import b``; None also for one above the project's root."""
        return self._relative(module.folder, dotted, level)

    def _relative(self, folder: str, dotted: str, level: int) -> str | None:
        base = folder
        for _ in range(level - 1):
            if not base:
                return None
            base = posixpath.dirname(base)
        if dotted:
            return self.find(dotted, [base])
        init = posixpath.join(base, "__init__.py")
        return init if self.files.is_file(init) else base

    def _only(self, dotted: str) -> str | None:
        if "." not in dotted:
            return None  # a bare name may be any package of the world
        tail = "/" + dotted.replace(".", "/")
        name = tail.rpartition("/")[2]
        found = [one for one in self.files.called(f"{name}.py") if f"/{one}".endswith(f"{tail}.py")]
        found += [one for one in self.files.called("__init__.py") if f"/{one}".endswith(f"{tail}/__init__.py")]
        return found[0] if len(found) == 1 else None

    def _holds_modules(self, folder: str) -> bool:
        return any(self.files.is_file(path) for path in self._below(folder))

    def _below(self, folder: str) -> Collection[str]:
        listed = getattr(self.files, "below", None)
        return [one for one in listed(folder) if one.endswith(".py")] if listed is not None else ()
