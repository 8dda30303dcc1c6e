"""What Python's own modules, parsers, loaders and frameworks do, as tables of handlers by qualified name.

Each module ends in tables: ``BUILTINS``, ``FUNCTIONS``, ``METHODS``, ``PROPERTIES``, ``CONSTANTS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from budgetlint.program.state import Call, Interpreter
from budgetlint.program.subscripts import of_map
from budgetlint.program.values import Handler, Key, Map, Value

_MODULES: tuple[str, ...] = ()


class Tables(NamedTuple):
    builtins: Mapping[str, Value]
    functions: Mapping[str, Handler]
    methods: Mapping[str, Callable[[Interpreter, Value, Call], Value]]
    constants: Mapping[str, Value]
    properties: Mapping[str, Callable[[Interpreter, Value], Value]]
    node: Callable[[Interpreter, Map, Key], Value]


@cache
def tables() -> Tables:
    """All tables as one, made when the first program is followed."""
    modules = [import_module(f"budgetlint.program.packages.{name}") for name in _MODULES]

    def merged(name: str) -> dict[str, Any]:
        return {key: value for module in modules for key, value in getattr(module, name, {}).items()}

    return Tables(*(merged(name) for name in ("BUILTINS", "FUNCTIONS", "METHODS", "CONSTANTS", "PROPERTIES")), lambda it, base, key: of_map(base, key))
