"""What a body and a function are given: the frame of names that are followed, the arguments of a call."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from budgetlint.program.objects import Function
from budgetlint.program.values import Names, Value

if TYPE_CHECKING:
    from budgetlint.program.modules import Module  # a frame stands in a module, which holds values


class Frame:
    """A body that is followed: of a module, function or class.

    ``given``: what is done with what a generator gives, None for other bodies.
    """

    __slots__ = ("function", "given", "names")

    def __init__(self, names: Names, function: Function | None = None) -> None:
        self.names, self.function = names, function
        self.given: Callable[[Value], Value] | None = None

    @property
    def module(self) -> Module:
        return self.names.module


class Call(NamedTuple):
    """What a function is given. ``rest``: what arguments that are not listed may be (``*args``, ``**kwargs`` not known), None for none."""

    positional: tuple[Value, ...]
    keywords: dict[str, Value]
    rest: Value | None
    node: ast.AST
    frame: Frame

    def get(self, name: str, at: int | None = None) -> Value | None:
        """An argument by name or position; None where it was not given."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[at] if at is not None and at < len(self.positional) else None

    def given(self) -> tuple[Value, ...]:
        return (*self.positional, *self.keywords.values(), *([self.rest] if self.rest is not None else []))
