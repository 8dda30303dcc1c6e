"""A reader that is imported when it is first asked for: what needs one table of a package does not load the whole reader."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def on_first_use(package: str, name: str) -> Callable[[str], Any]:
    """A module's ``__getattr__`` (PEP 562) that answers ``name`` from the package's module ``reader``."""

    def attribute(asked: str) -> Any:
        if asked != name:
            raise AttributeError(f"module {package!r} has no attribute {asked!r}")
        return getattr(import_module(f"{package}.reader"), name)

    return attribute
