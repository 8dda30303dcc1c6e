"""What code asks of the release of torch, as far as every run answers it the same."""

from __future__ import annotations

import ast

from .formulas import dotted, literal

TORCH = "env.torch"
"""What ``torch.__version__`` stands for."""
OLDEST = (2, 0)
"""Of March 2023: older than each framework's release that is read."""


def is_torch(node: ast.expr) -> bool:
    return dotted(node) == TORCH


def is_old(version: ast.expr) -> bool:
    """Is it a release of torch that every run has, or a newer one?"""
    parts = str(literal(version)[1]).split(".")[:2]
    return all(one.isdecimal() for one in parts) and tuple(map(int, parts)) <= OLDEST


def compared(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr | None:
    """``torch.__version__ >= "2.0"`` holds, ``< "1.13"`` does not; None for newer releases and for what is no such question."""
    if not is_torch(left) or not is_old(right):
        return None
    if isinstance(operator, (ast.GtE, ast.Lt)):
        return ast.Constant(isinstance(operator, ast.GtE))
    return None
