"""What the parts of the walker share."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from budgetlint.contracts.names import GIVEN

from .code import Class, Function, Module, Release
from .formulas import both, choose, opaque, path_of
from .state import Oracle, Row, State, Thing, Value, no_oracle

DEEPEST = 8
"""Calls in calls that are followed."""
UNROLLED = 40
"""Items of a list of constants that a loop is walked over one by one."""


Exit = tuple[ast.expr, dict[str, ast.expr]]
"""A condition, and the changed fields where it holds."""


@dataclass(frozen=True)
class Known:
    """What is known of the fields before a walk. ``defaulted``: which of them have another default than None where what was written is
    asked. ``inner``: the default of a field of a field, ``trl.use_vllm``, where that is another. ``hidden``: what a program finds out of
    its machine. ``sections``: blocks of fields, by their paths. ``makes``: calls that make the object of a section.
    ``validated``: how the validators of a section's model are walked."""

    defaulted: Callable[[str], bool] = lambda _name: False
    inner: Callable[[str], ast.expr | None] = lambda _name: None
    hidden: Collection[str] = ()
    sections: Mapping[str, Thing] = field(default_factory=dict)
    makes: Collection[str] = ()
    validated: Callable[[Any, Thing, State], None] = lambda _walker, _thing, _state: None


class Core(ABC):
    """One walk through functions of one release. ``declared`` says which names are fields. The parts call each other by what is abstract
    here."""

    def __init__(self, release: Release, declared: Callable[[str], bool], oracle: Oracle = no_oracle, known: Known | None = None) -> None:
        known = known or Known()
        self.release = release
        self.declared = declared
        self.oracle = oracle
        self.defaulted = known.defaulted
        self.inner = known.inner
        self.hidden = known.hidden
        self.sections = known.sections
        self.makes = known.makes
        self.validated = known.validated
        self.rows: list[Row] = []
        self.stack: list[tuple[Module, str]] = []
        self.loops: list[tuple[str, ast.expr]] = []
        self.returned: list[list[tuple[ast.expr, Value]]] = []
        self.exits: list[tuple[int, list[Exit]]] = []
        """Of each function and loop body that is walked: conditions before it, and the ways out of it."""
        self.raw = False
        """Are fields what was written, without defaults?"""
        self.trying = 0
        self.objects: dict[str, Thing] = {}
        """Objects that are attributes of others: ``self.zero_config``."""
        self.keys: dict[str, None] = {}
        """Keys that were asked of what was written."""

    @property
    def module(self) -> Module:
        return self.stack[-1][0]

    @abstractmethod
    def run(self, module: Module, function: Function, given: Mapping[str, Value], state: State, owner: str) -> Value:
        """What a function gives, walked with these arguments."""

    @abstractmethod
    def block(self, body: Iterable[ast.stmt], state: State) -> None:
        """Walks statements in order."""

    @abstractmethod
    def emit(self, kind: str, node: ast.stmt | ast.expr, when: Iterable[ast.expr], raised: str = "") -> None:
        """A row, where the conditions of the place hold too."""

    @abstractmethod
    def bind(self, target: ast.expr, value: Value, state: State) -> None:
        """A name, an attribute or an item gets a value."""

    @abstractmethod
    def spoil(self, target: ast.expr, state: State) -> None:
        """What is set in a way that is not followed is not known from here on."""

    @abstractmethod
    def forget(self, node: ast.AST, state: State) -> None:
        """Everything that a statement may have bound or changed is not known any more."""

    @abstractmethod
    def value(self, node: ast.expr, state: State) -> Value:
        """What an expression is."""

    @abstractmethod
    def plain(self, node: ast.expr, state: State) -> ast.expr:
        """The same as an expression over fields."""

    @abstractmethod
    def bounded(self, node: ast.expr) -> ast.expr:
        """An expression that is short enough to be kept, else one that is not known."""

    @abstractmethod
    def attribute(self, owner: Thing, name: str, state: State) -> Value:
        """``owner.name``."""

    def key(self, owner: Thing, name: str, state: State) -> ast.expr | Thing:
        """``data["name"]``: what it is now. As it was written, a field has no default."""
        full = owner.prefix + name
        if full in self.sections:
            return self.sections[full]
        if full in self.hidden:
            return opaque()
        if owner.as_given:
            self.keys[full] = None
        return state.fields.get(full, path_of(f"{GIVEN}{full}" if owner.as_given and self.defaulted(full) else full))

    def untouched(self, name: str) -> ast.expr:
        """A field that nothing has changed."""
        return path_of(f"{GIVEN}{name}" if self.raw and self.defaulted(name) else name)

    def leave(self, state: State) -> None:
        """``return`` and ``continue``: what fields are on this way is remembered with its conditions."""
        before, ways = self.exits[-1]
        ways.append((both(state.path[before:]), dict(state.fields)))

    def met(self, ways: list[Exit], state: State) -> dict[str, ast.expr]:
        """The fields behind a function or a loop body, whichever way led out of it."""
        every = [*ways, *([] if state.ended else [(both([]), state.fields)])]
        if not every:
            return state.fields
        result = every[-1][1]
        for when, fields in reversed(every[:-1]):
            result = {
                name: self.bounded(choose(when, fields.get(name, self.untouched(name)), result.get(name, self.untouched(name))))
                for name in {**result, **fields}
            }
        return result


def is_enumeration(release: Release, one: Class) -> bool:
    return any("Enum" in base for each in release.lineage(one) for base in each.bases)
