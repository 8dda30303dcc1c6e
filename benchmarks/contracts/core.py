"""What the parts of the walker share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping

from budgetlint.contracts.expression import GIVEN

from .code import Class, Function, Module, Release
from .formulas import opaque, path_of
from .state import Oracle, Row, State, Thing, Value, no_oracle

DEEPEST = 8
"""Calls in calls that are followed."""
UNROLLED = 40
"""Items of a list of constants that a loop is walked over one by one."""


class Core:
    """One walk through functions of one release. ``declared`` says which names are fields, ``defaulted`` which of them have another
    default than None, and ``inner`` the default of a field of a field, ``trl.use_vllm``, where that is another. ``hidden`` are
    what a program finds out of its machine."""

    def __init__(
        self,
        release: Release,
        declared: Callable[[str], bool],
        oracle: Oracle = no_oracle,
        defaulted: Callable[[str], bool] = lambda _name: False,
        inner: Callable[[str], ast.expr | None] = lambda _name: None,
        hidden: Collection[str] = (),
    ) -> None:
        self.release = release
        self.declared = declared
        self.oracle = oracle
        self.defaulted = defaulted
        self.inner = inner
        self.hidden = hidden
        self.rows: list[Row] = []
        self.stack: list[tuple[Module, str]] = []
        self.loops: list[tuple[str, ast.expr]] = []
        self.returned: list[list[tuple[ast.expr, Value]]] = []
        self.trying = 0
        self.keys: dict[str, None] = {}
        """Keys that were asked of what was written."""

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

    def key(self, owner: Thing, name: str, state: State) -> ast.expr:
        """``data["name"]``: what it is now. As it was written, a field has no default."""
        full = owner.prefix + name
        if full in self.hidden:
            return opaque()
        if owner.as_given:
            self.keys[full] = None
        return state.fields.get(full, path_of(f"{GIVEN}{full}" if owner.as_given and self.defaulted(full) else full))


def is_enumeration(release: Release, one: Class) -> bool:
    return any("Enum" in base for each in release.lineage(one) for base in each.bases)
