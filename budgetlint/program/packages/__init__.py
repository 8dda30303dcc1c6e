"""What Python's own modules, parsers, loaders and frameworks do, as tables of handlers by qualified name.

Each module ends in tables: ``FUNCTIONS`` (those of Python itself by their bare names), ``METHODS``, ``PROPERTIES``, ``CONSTANTS``.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from budgetlint.program.state import Call, Interpreter
from budgetlint.program.values import External, Handler, Key, Map, Native, Value

_MODULES = ("applied", "builtin", "kinds", "objects", "sequences", "text", "containers", "mappings", "paths", "pathlib", "variables", "data", "functional", "files",
            "loaders.json", "loaders.yaml", "loaders.toml", "loaders.omegaconf", "loaders.hydra", "parsers.argparse", "parsers.hf", "torch", "trl")  # fmt: skip


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
    from budgetlint.program.packages.loaders.omegaconf import node

    modules = [import_module(f"budgetlint.program.packages.{name}") for name in _MODULES]

    def merged(name: str) -> dict[str, Any]:
        return {key: value for module in modules for key, value in getattr(module, name, {}).items()}

    functions: dict[str, Handler] = merged("FUNCTIONS")
    own: dict[str, Value] = {name: External(f"builtins.{name}") for name in dir(builtins) if not name.startswith("__")}
    own |= {name: Native(name, handler) for name, handler in functions.items() if "." not in name}
    return Tables(own, functions, merged("METHODS"), merged("CONSTANTS"), merged("PROPERTIES"), node)
