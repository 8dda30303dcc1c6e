"""Which keys of its configs a program asks for: known by where a value stands, so that copies, merged trees and aliases count too."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping

from budgetlint.program.calling import Call
from budgetlint.program.copies import reachable
from budgetlint.program.objects import Object
from budgetlint.program.places import Origin
from budgetlint.program.sifting import COPIED
from budgetlint.program.state import UNROLLED, Interpreter
from budgetlint.program.values import ABSENT, Absent, Choice, Items, Key, Map, Value

Node = Callable[[Interpreter, Map, Key], Value]
Asked = Mapping[tuple[str, int], bool]
"""By file and offset of a value: whether it was asked for with all that stands below it."""

_OF_PYTHON = ("dict", "isinstance", "type", "len", "print", "hasattr", "getattr")
_OF_OMEGACONF = ("merge", "create", "to_container", "select", "resolve", "set_struct", "set_readonly", "is_config", "is_dict", "update")
_COPY = frozenset(
    (
        *(name for one in _OF_PYTHON for name in (one, f"builtins.{one}")),
        *(f"omegaconf.OmegaConf.{name}" for name in _OF_OMEGACONF),
        *("copy.copy", "copy.deepcopy", "pprint.pprint", "rich.print", "omegaconf.DictConfig"),
        *("wandb.init", "wandb.config.update", "swanlab.init", "mlflow.log_params"),
        *(f"logging{of}.{level}" for of in ("", ".Logger") for level in ("debug", "info", "warning", "error", "critical")),
    )
)
"""They copy, ask for one key, print or write down what a run was: what is made of their result is seen."""


def noting(node: Node) -> Node:
    """The same look-up of a key, written down: the value that stands there, and the one that ``${a.b}`` leads to."""

    def read(it: Interpreter, base: Map, key: Key) -> Value:
        found = node(it, base, key)
        if not isinstance(key, Absent):
            _note(it, (base.items.get(key, ABSENT), found), below=False)
            if isinstance(key, str) and key not in base.items:
                for at in _places(base):
                    it.missed.setdefault(at, set()).add(key)
        else:
            whole(it, base)
        return found

    return read


def _note(it: Interpreter, values: Iterable[Value], *, below: bool) -> None:
    for value in values:
        for at in _places(value):
            it.asked[at] = below or it.asked.get(at, False)


def _places(value: Value) -> Iterator[tuple[str, int]]:
    for origin in _origins(value):
        if origin.kind == "config" and origin.place.span is not None:
            yield origin.place.path, origin.place.span.start


def _origins(value: Value) -> Iterator[Origin]:
    for one in (way.value for way in value.ways) if isinstance(value, Choice) else (value,):
        yield from one.origins


def taken(it: Interpreter, node: ast.Name, value: Value) -> Value:
    """A name that stands for the value of an entry, in a loop that takes each by its name."""
    if it.takes[node] == COPIED:
        it.kept.update(_places(value))
    else:
        _note(it, (value,), below=False)
    return value


def gone_over(it: Interpreter, base: Map, node: ast.AST) -> None:
    """A loop over a mapping, by what it goes over: all of it is read, unless the loop takes each entry by its name."""
    alone = it.sifts.get(node) if isinstance(node, ast.expr) else None
    if alone is None or base.root is not None or base.rest is not None or len(base.items) > UNROLLED:
        whole(it, base)
        return
    _note(it, (base,), below=False)
    if alone:
        it.dropping.update(_places(base))


def whole(it: Interpreter, value: Value) -> None:
    """A mapping is gone over, or given away: all of its keys may be asked for."""
    _note(it, (one for one in reachable(value) if isinstance(one, Map)), below=True)
    for one in reachable(value):
        if isinstance(one, Map):
            _note(it, one.items.values(), below=True)


def handed_on(it: Interpreter, name: str, call: Call) -> None:
    """What code that is not the repository's is given, it may ask for anything."""
    if name in _COPY or not it.opened:
        return
    for value in call.given():
        if isinstance(value, Map | Items | Choice) or (isinstance(value, Object) and value.cls is not None):
            whole(it, value)
