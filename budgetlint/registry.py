"""Which rules there are (`budgetlint.engine.registry`): the door for tests and tools."""

from __future__ import annotations

from budgetlint.engine.registry import Registry, build, collect, installed, load

__all__ = ["Registry", "build", "collect", "installed", "load"]
