"""What a walk holds: objects, changed fields, the conditions that led to a place, and the rows that come out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .code import Class


@dataclass(frozen=True)
class Row:
    """One end of a walk: a refusal or a warning."""

    when: ast.expr
    kind: str
    """``raise``, ``assert``, ``warn`` or ``choice`` (a value that an enumeration does not have)."""
    path: str
    line: int
    end_line: int
    owner: str
    raised: str = ""
    """The class of the exception, as it is written."""


@dataclass(frozen=True)
class Certified:
    """A row with what proved it."""

    row: Row
    stage: str
    refused: Mapping[str, Any]
    taken: Mapping[str, Any]


@dataclass(frozen=True)
class Thing:
    """An object whose fields are the inputs. ``prefix`` stands before their names; ``classes`` give its methods, nearest first.
    ``as_given``: a mapping of what was written, where an absent key is None and not its default."""

    prefix: str = ""
    classes: tuple[Class, ...] = ()
    as_given: bool = False


@dataclass(frozen=True, eq=False)
class Closure:
    """A function within a function, with the names that it sees."""

    function: ast.FunctionDef
    names: Mapping[str, Value]


Value = ast.expr | Thing | Closure | tuple["Thing", ...]
"""A tuple is several things at once, as a parser returns them."""


@dataclass
class State:
    """What holds at one point: changed fields, local names, and the conditions that led here."""

    fields: dict[str, ast.expr] = field(default_factory=dict)
    local: dict[str, Value] = field(default_factory=dict)
    path: list[ast.expr] = field(default_factory=list)
    ended: str = ""
    """How the way came to its end here: ``raise``, ``return``; empty while it goes on."""

    def copy(self) -> State:
        return State(dict(self.fields), dict(self.local), list(self.path), self.ended)


Oracle = Callable[[str, list[ast.expr]], Value | None]
"""What a call or a name outside the code comes to: its text as it is written, its arguments; None for not known."""


def no_oracle(_text: str, _arguments: list[ast.expr]) -> Value | None:
    return None


def row_text(row: Row) -> str:
    return ast.unparse(ast.fix_missing_locations(_apart(row.when)))


def _apart(node: Any) -> Any:
    """A copy in which no part stands twice: where one does, `ast.unparse` may leave out the parentheses around it."""
    if isinstance(node, list):
        return [_apart(one) for one in node]
    return type(node)(**{name: _apart(value) for name, value in ast.iter_fields(node)}) if isinstance(node, ast.AST) else node
