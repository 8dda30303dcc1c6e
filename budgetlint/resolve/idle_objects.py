"""Objects that decide memory, are made, and reach nothing that trains.

Told only where all is seen: one trainer, its model closed or given by name, nothing doubtful about it, and no use of the object's name
in its module but those that were followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from budgetlint.program.copies import reachable
from budgetlint.program.objects import Object
from budgetlint.program.values import Value
from budgetlint.program.wiring import Wiring, wirings
from budgetlint.resolve.program_places import at
from budgetlint.settings.program import IdleObject

if TYPE_CHECKING:
    from budgetlint.base.source import Location
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Trees
    from budgetlint.program.sinks import Sink

_MODELS = frozenset({"load", "unsloth_load"})
_WORDS = {
    "load": "model", "unsloth_load": "model", "adapter_config": "adapter", "quantisation": "quantisation", "arguments": "arguments",
    "optimizer": "optimizer",
}  # fmt: skip
_LOOKED_AT = frozenset({"print", "display", "logger.info", "logging.info"})
_KEPT = frozenset({"print_trainable_parameters", "num_parameters", "get_memory_footprint"})
_MOST = 10
_DEEPEST = 8


def idle_objects(followed: Followed, entry: str, trees: Trees) -> tuple[IdleObject, ...]:
    """``entry`` is the file of the program."""
    found = wirings(followed)
    trainers = [one for one in followed.sinks if one.kind == "trainer"]
    if len(found) != 1 or len(trainers) != 1 or not _is_closed(found[0]):
        return ()
    used = _reached(trainers[0])
    uses = _Uses(followed, entry, trees)
    idle = [one for one in followed.sinks if one.kind in _WORDS and id(one) not in used and not one.conditions]
    idle = [one for one in idle if not _is_given(one, followed) or one.kind in _MODELS]
    told, at_ = _trains(found[0]), at(trainers[0].place, trees.files)
    made = [IdleObject(_made(one), _WORDS[one.kind], at(one.place, trees.files), told, at_) for one in idle if uses.are_followed(one)]
    named = f"{_class_of(trainers[0])} is made without it"
    made += [IdleObject(name, "callback", where, named, at_) for name, where in _callbacks(trainers[0], entry, trees)]
    return tuple(made[:_MOST])


def _callbacks(trainer: Sink, entry: str, trees: Trees) -> Iterator[tuple[str, Location]]:
    """Callbacks of transformers, or built on its class, that are bound to a name which nothing asks for. They act where a trainer calls
    them, and nowhere else (transformers 4.57.6 ``trainer_callback.py``)."""
    tree = trees.tree(trainer.place.path)
    if tree is None:
        return
    nodes = list(ast.walk(tree))
    asked = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    asked |= {name for one in nodes if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names}
    classes = {one.asname or one.name for node in nodes if _is_of_transformers(node) for one in node.names if one.name.endswith("Callback")}
    classes |= {one.name for one in nodes if isinstance(one, ast.ClassDef) and any(_is_callback(base) for base in one.bases)}
    if asked & {"locals", "globals", "eval", "exec", "vars"}:
        return
    for node in nodes:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or not isinstance(node.value.func, ast.Name):
            continue
        if trainer.place.path != entry and node in tree.body:
            continue
        names = _names(node)
        if node.value.func.id in classes and names and isinstance(node.targets[0], ast.Name) and names[0] not in asked:
            place = trainer.place._replace(node=node.value, line=node.lineno, source=None, span=None)
            yield node.value.func.id, at(place, trees.files)


def _is_of_transformers(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "transformers" and not node.level


def _is_callback(base: ast.expr) -> bool:
    return getattr(base, "id", getattr(base, "attr", "")) == "TrainerCallback"


def _class_of(trainer: Sink) -> str:
    return trainer.name.rpartition(".")[2]


def _is_closed(wiring: Wiring) -> bool:
    trainer = wiring.trainer
    if trainer is None or trainer.rest is not None or trainer.conditions or wiring.doubts:
        return False
    return wiring.name is not None or (wiring.closed and bool(wiring.models))


def _made(one: Sink) -> str:
    owner, _, last = one.name.rpartition(".")
    return owner.rpartition(".")[2] if last in {"from_pretrained", "from_config"} else last


def _trains(wiring: Wiring) -> str:
    trainer = wiring.trainer.name.rpartition(".")[2] if wiring.trainer is not None else ""
    if wiring.name is not None:
        return f"{trainer} is given the name {wiring.name.value!r} and loads that model itself"
    return f"{trainer} trains another model" if not wiring.models else f"{trainer} trains the model of line {wiring.models[-1].place.line}"


def _reached(trainer: Sink) -> set[int]:
    """What the trainer was given, and what that was made of."""
    found: set[int] = set()
    waiting = [trainer]
    while waiting:
        one = waiting.pop()
        if id(one) not in found:
            found.add(id(one))
            waiting += _behind(one)
    return found


def _behind(one: Sink) -> Iterator[Sink]:
    given = [*one.arguments.values(), *one.positional]
    given += [value for value in (one.receiver, one.rest) if value is not None]
    for value in given:
        yield from _sinks_in(value)


def _sinks_in(value: Value) -> Iterator[Sink]:
    for part in reachable(value):
        if isinstance(part, Object):
            if part.made is not None:
                yield part.made
            if isinstance(part.data, Value):
                yield from (inner.made for inner in reachable(part.data) if isinstance(inner, Object) and inner.made is not None)


def _is_given(one: Sink, followed: Followed) -> bool:
    """To another call that decides memory: then that one is told of, or trains."""
    return any(one in _behind(other) for other in followed.sinks if other is not one)


class _Uses:
    """What the names of an object are used for in its module."""

    def __init__(self, followed: Followed, entry: str, trees: Trees) -> None:
        self.entry, self.trees = entry, trees
        self.sinks = {id(one.place.node): one for one in followed.sinks if one.place.node is not None}
        self.touched = {id(one.about.made) for one in followed.doubts if isinstance(one.about, Object) and one.about.made is not None}
        self._parents: dict[str, dict[int, ast.AST]] = {}

    def are_followed(self, one: Sink, seen: frozenset[int] = frozenset()) -> bool:
        """Is every use of what this call makes one that was followed? ``seen``: the calls whose uses are being looked at."""
        tree = self.trees.tree(one.place.path)
        node = one.place.node
        if tree is None or node is None or id(one) in self.touched or len(seen) > _DEEPEST:
            return False
        parents = self._of(one.place.path, tree)
        above = parents.get(id(node))
        if not isinstance(above, ast.Assign):
            return isinstance(above, ast.Expr) or self._is_call(above, seen)
        names = _names(above)
        if not names or (one.place.path != self.entry and above in tree.body):
            return False
        loads = (use for use in ast.walk(tree) if isinstance(use, ast.Name) and use.id == names[0] and isinstance(use.ctx, ast.Load))
        return all(self._is_followed(use, parents, seen) for use in loads)

    def _of(self, path: str, tree: ast.Module) -> dict[int, ast.AST]:
        if path not in self._parents:
            self._parents[path] = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        return self._parents[path]

    def _is_followed(self, use: ast.AST, parents: dict[int, ast.AST], seen: frozenset[int]) -> bool:
        above = parents.get(id(use))
        if isinstance(above, ast.keyword):
            above = parents.get(id(above))
        if isinstance(above, ast.Attribute):
            return self._is_part(above, parents)
        return self._is_call(above, seen)

    def _is_part(self, part: ast.Attribute, parents: dict[int, ast.AST]) -> bool:
        """``model.config.use_cache = False``, ``model.gradient_checkpointing_enable()``."""
        node: ast.AST = part
        above = parents.get(id(node))
        while isinstance(above, ast.Attribute):
            node, above = above, parents.get(id(above))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            return True
        if not isinstance(above, ast.Call) or above.func is not node or not isinstance(parents.get(id(above)), ast.Expr):
            return False
        return part.attr in _KEPT or id(above) in self.sinks

    def _is_call(self, above: ast.AST | None, seen: frozenset[int]) -> bool:
        if not isinstance(above, ast.Call):
            return False
        if ast.unparse(above.func) in _LOOKED_AT:
            return True
        sink = self.sinks.get(id(above))
        return sink is not None and (id(sink) in seen or self.are_followed(sink, seen | {id(sink)}))


def _names(node: ast.Assign) -> list[str]:
    """The one name that an assignment binds to the object; of ``model, tokenizer = ...`` the first."""
    if len(node.targets) != 1:
        return []
    target = node.targets[0]
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
    return [first.id] if isinstance(first, ast.Name) else []
