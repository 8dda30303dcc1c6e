"""What the parts of the walker share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping

from .code import Class, Function, Module, Release
from .state import Oracle, Row, State, Thing, Value, no_oracle

DEEPEST = 8
"""Calls in calls that are followed."""
UNROLLED = 40
"""Items of a list of constants that a loop is walked over one by one."""


class Core:
    """One walk through functions of one release. ``declared`` says which names are fields, ``sections`` which are blocks of fields, and
    ``makes`` which calls make the object of a section."""

    def __init__(
        self,
        release: Release,
        declared: Callable[[str], bool],
        oracle: Oracle = no_oracle,
        sections: Mapping[str, Thing] | None = None,
        makes: Collection[str] = (),
    ) -> None:
        self.release = release
        self.sections = sections or {}
        self.makes = makes
        self.declared = declared
        self.oracle = oracle
        self.rows: list[Row] = []
        self.stack: list[tuple[Module, str]] = []
        self.loops: list[tuple[str, ast.expr]] = []
        self.returned: list[list[tuple[ast.expr, Value]]] = []
        self.trying = 0

    @property
    def module(self) -> Module:
        return self.stack[-1][0]

    def run(self, module: Module, function: Function, given: Mapping[str, Value], state: State, owner: str) -> Value:
        raise NotImplementedError

    def block(self, body: Iterable[ast.stmt], state: State) -> None:
        raise NotImplementedError

    def emit(self, kind: str, node: ast.stmt | ast.expr, when: Iterable[ast.expr], raised: str = "") -> None:
        raise NotImplementedError

    def bind(self, target: ast.expr, value: Value, state: State) -> None:
        raise NotImplementedError

    def spoil(self, target: ast.expr, state: State) -> None:
        raise NotImplementedError

    def value(self, node: ast.expr, state: State) -> Value:
        raise NotImplementedError

    def plain(self, node: ast.expr, state: State) -> ast.expr:
        raise NotImplementedError

    def bounded(self, node: ast.expr) -> ast.expr:
        raise NotImplementedError

    def attribute(self, owner: Thing, name: str, state: State) -> Value:
        raise NotImplementedError


def is_enumeration(release: Release, one: Class) -> bool:
    return any("Enum" in base for each in release.lineage(one) for base in each.bases)
