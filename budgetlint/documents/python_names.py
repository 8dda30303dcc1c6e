"""The names of a Python file: what each is bound to, where that can be known without running anything.

A name counts as known when the whole file binds it once, by a plain assignment, or only by imports that agree. What a branch, a
loop, an argument or a second assignment gives is not known.
"""

from __future__ import annotations

import ast

from budgetlint.base.record import field, state

_CHANGING = frozenset(("update", "append", "extend", "insert", "pop", "setdefault", "remove", "clear", "popitem", "__setitem__"))


@state
class AttributeStore:
    """``model.config.use_cache = False``: an attribute that is set; ``chain`` are the names from the first to the last."""

    chain: tuple[str, ...]
    value: ast.expr | None
    at: ast.expr


@state
class Bindings:
    """``bindings`` holds every binding of a name, None for each that is no plain assignment. ``changed`` are the names whose
    object is changed in place; ``maybe`` the calls that a condition may skip."""

    bindings: dict[str, list[ast.expr | None]] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=dict)
    stores: list[AttributeStore] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    calls: list[ast.Call] = field(default_factory=list)
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=list)
    maybe: set[int] = field(default_factory=set)

    def value(self, name: str) -> ast.expr | None:
        """What the one plain assignment of a name gives it."""
        bound = self.bindings.get(name, [])
        return bound[0] if len(bound) == 1 and name not in self.imports else None

    def qualified(self, node: ast.expr) -> str:
        """``transformers.TrainingArguments`` for a name or attribute that an import brought in; empty for all others."""
        chain = chain_of(node)
        found = self.imports.get(chain[0], set()) if chain else set()
        if len(found) != 1 or chain[0] in self.bindings:
            return ""
        return ".".join((*found, *chain[1:]))


def chain_of(node: ast.expr) -> tuple[str, ...]:
    """``a.b.c`` as its names; empty where it does not start with a name."""
    found: list[str] = []
    while isinstance(node, ast.Attribute):
        found.append(node.attr)
        node = node.value
    return (node.id, *reversed(found)) if isinstance(node, ast.Name) else ()


def names_of(tree: ast.Module) -> Bindings:
    """One pass over the tree, without recursion."""
    names = Bindings()
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, maybe = stack.pop()
        _note(names, node, maybe)
        skipped = isinstance(node, _BRANCHES)
        certain = {id(part) for part in _certain_parts(node)} if skipped else set[int]()
        stack.extend((child, maybe or (skipped and id(child) not in certain)) for child in ast.iter_child_nodes(node))
    names.calls.sort(key=lambda call: (call.lineno, call.col_offset))
    names.stores.sort(key=lambda store: (store.at.lineno, store.at.col_offset))
    return names


_BRANCHES = (ast.If, ast.IfExp, ast.ExceptHandler, ast.While, ast.For, ast.BoolOp, ast.match_case)


def _certain_parts(node: ast.AST) -> list[ast.AST]:
    """The parts of a branch that run in any case; a body under ``if __name__ == "__main__"`` is what running the file means."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and chain_of(node.test.left) == ("__name__",):
        return [node.test, *node.body]
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        return [node.test]
    return [node.iter] if isinstance(node, ast.For) else []


def _note(names: Bindings, node: ast.AST, maybe: bool) -> None:
    if isinstance(node, ast.Call):
        names.calls.append(node)
        if maybe:
            names.maybe.add(id(node))
        _note_change(names, node)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        _note_assignment(names, node)
    elif isinstance(node, (ast.AugAssign, ast.Delete)):
        for target in node.targets if isinstance(node, ast.Delete) else [node.target]:
            _note_target(names, target, None)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        _note_import(names, node)
    else:
        _note_binding(names, node)


def _note_binding(names: Bindings, node: ast.AST) -> None:
    """Bindings that say nothing about the value: loops, arguments, definitions, patterns. A plain assignment is noted elsewhere."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names.bindings.setdefault(node.name, []).append(None)
        if not isinstance(node, ast.ClassDef):
            names.functions.append(node)
    elif isinstance(node, ast.arg):
        names.bindings.setdefault(node.arg, []).append(None)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension, ast.NamedExpr)):
        _note_target(names, node.target, None)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        _note_target(names, node.optional_vars, None)
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        names.bindings.setdefault(node.name, []).append(None)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        names.bindings.setdefault(node.rest, []).append(None)


def _note_assignment(names: Bindings, node: ast.Assign | ast.AnnAssign) -> None:
    if isinstance(node, ast.AnnAssign):
        if node.value is not None:
            _note_target(names, node.target, node.value)
        return
    for target in node.targets:
        _note_target(names, target, node.value)


def _note_target(names: Bindings, target: ast.expr, value: ast.expr | None) -> None:
    """What is assigned to: a name, an attribute, an item, or several of them."""
    stack = [(target, value)]
    while stack:
        part, given = stack.pop()
        if isinstance(part, ast.Name):
            names.bindings.setdefault(part.id, []).append(given)
        elif isinstance(part, ast.Attribute):
            chain = chain_of(part)
            if len(chain) > 1 or not chain:
                names.stores.append(AttributeStore(chain or ("", part.attr), given, part))
        elif isinstance(part, ast.Subscript):
            names.changed.update(chain_of(part.value)[:1])
        elif isinstance(part, (ast.Tuple, ast.List)):
            stack.extend((item, None) for item in part.elts)
        elif isinstance(part, ast.Starred):
            stack.append((part.value, None))


def _note_import(names: Bindings, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            names.imports.setdefault(alias.asname or alias.name, set()).add(f"{'.' * node.level}{node.module or ''}.{alias.name}")
        elif alias.asname:
            names.imports.setdefault(alias.asname, set()).add(alias.name)
        else:
            first = alias.name.partition(".")[0]
            names.imports.setdefault(first, set()).add(first)


def _note_change(names: Bindings, call: ast.Call) -> None:
    """``settings.update(...)`` and ``setattr(settings, ...)``."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in _CHANGING:
        names.changed.update(chain_of(call.func.value)[:1])
    elif isinstance(call.func, ast.Name) and call.func.id in ("setattr", "delattr") and call.args:
        names.changed.update(chain_of(call.args[0])[:1])
