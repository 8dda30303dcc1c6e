"""What Python's own modules, parsers, loaders and frameworks do, as tables of handlers by qualified name.

Each module ends in tables: ``FUNCTIONS`` (functions and classes; Python's own without ``builtins.``), ``METHODS`` (by the kind of what they
are a method of), ``PROPERTIES`` (attributes of plain values and of a package's objects), ``CONSTANTS``, and ``MADE`` (constants that each
program has of its own: what it changes of them is no other program's).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.objects import Handler
from budgetlint.program.state import Interpreter, Launched
from budgetlint.program.values import External, Key, Map, Value

_MODULES: tuple[str, ...] = (
    "builtin", "iterators", "sequences", "ordering", "applied", "chains", "kinds", "objects", "names", "text", "containers", "sets",
    "mappings", "variables", "paths", "presence", "pathlib", "files",
    "process", "workers", "replaced", "data", "functional", "numbers", "patterns", "loaders.json", "loaders.yaml", "loaders.toml",
    "loaders.omegaconf",
    "loaders.hydra", "parsers.argparse", "parsers.hf", "parsers.click", "parsers.typer", "parsers.fire", "parsers.tyro",
    "parsers.datargs", "parsers.tap", "parsers.draccus", "torch", "windows", "trl", "hub",
    "lightning",
)  # fmt: skip


class Tables(NamedTuple):
    builtins: Mapping[str, Value]
    functions: Mapping[str, Handler]
    methods: Mapping[str, Callable[[Interpreter, Value, Call], Value]]
    constants: Mapping[str, Value]
    properties: Mapping[str, Callable[[Interpreter, Value], Value]]
    node: Callable[[Interpreter, Map, Key], Value]
    made: Mapping[str, Callable[[Launched], Value]]

    def constants_of(self, launched: Launched) -> dict[str, Value]:
        """The constants of one program: those that all share, and its own."""
        return {**self.constants, **{name: make(launched) for name, make in self.made.items()}}


@cache
def tables() -> Tables:
    """All tables as one, made when the first program is followed."""
    modules = [import_module(f"budgetlint.program.packages.{name}") for name in _MODULES]

    from budgetlint.program.packages.loaders.trees import node

    def merged(name: str) -> dict[str, Any]:
        return {key: value for module in modules for key, value in getattr(module, name, {}).items()}

    functions = merged("FUNCTIONS")
    functions |= {f"builtins.{name}": handler for name, handler in functions.items() if name in _PYTHON}
    return Tables(
        _PYTHON,
        functions,
        merged("METHODS"),
        merged("CONSTANTS"),
        merged("PROPERTIES"),
        node,
        merged("MADE"),
    )


_PYTHON: dict[str, Value] = {name: External(name) for name in dir(builtins) if not name.startswith("_")}
"""Python's own names: functions and classes without a module in front."""
