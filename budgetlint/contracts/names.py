"""The names of fields in a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator

GIVEN = "given."
"""Before a name: what was written of a field, None where nothing was, whatever its default is."""
OPAQUE = "__opaque__"
"""A part that the generator could not follow: no field has this name, so it is never known."""


def fields_of(tree: ast.expr) -> tuple[str, ...]:
    """Dotted names of the fields that a condition asks for, in the order of its text."""
    return tuple(name for name in dict.fromkeys(_names(tree, frozenset())) if name != OPAQUE)


def _names(node: ast.AST, bound: frozenset[str]) -> Iterator[str]:
    name = dotted(node)
    if name is not None:
        if name.split(".", 1)[0] not in bound:
            yield name
        return
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        bound |= {one.target.id for one in node.generators if isinstance(one.target, ast.Name)}
    if isinstance(node, ast.Call):
        for argument in node.args:
            yield from _names(argument, bound)
        return
    for child in ast.iter_child_nodes(node):
        yield from _names(child, bound)


def outermost(name: str) -> str:
    """The field that a dotted name stands in: ``fsdp_config`` of ``given.fsdp_config.xla``."""
    return name.removeprefix(GIVEN).split(".", 1)[0]


def dotted(node: ast.AST) -> str | None:
    """``a.b.c`` for a chain of attributes on a name; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join((node.id, *reversed(parts)))
