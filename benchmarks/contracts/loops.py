"""Loops: over a list of its own item by item, over a field as a condition on its items, else not followed."""

from __future__ import annotations

import ast

from .core import UNROLLED, Core
from .formulas import constant, is_opaque, literal, opaque
from .state import State


class Loops(Core):
    """``for`` and ``while``."""

    def do_For(self, node: ast.For, state: State) -> None:
        over = self.plain(node.iter, state)
        items = items_of(over)
        returns = any(isinstance(one, ast.Return) for one in ast.walk(node))
        skips = any(isinstance(one, (ast.Break, ast.Continue)) for one in ast.walk(node))
        leaves = returns or any(isinstance(one, ast.Break) for one in ast.walk(node))
        if items is not None and len(items) <= UNROLLED and returns and not skips:
            for item in items:
                if not state.ended:
                    self.bind(node.target, item, state)
                    self.block(node.body, state)
            return
        if items is not None and len(items) <= UNROLLED and not leaves:
            before = list(state.path)
            for item in items:
                self.bind(node.target, item, state)
                self.exits.append((len(state.path), []))
                self.block(node.body, state)
                state.fields = self.met(self.exits.pop()[1], state)
                state.path, state.ended = list(before), ""
            return
        inside = state.copy()
        if isinstance(node.target, ast.Name) and not is_opaque(over) and not leaves:
            name = f"_{node.target.id}{len(self.loops)}"
            inside.local[node.target.id] = ast.Name(name, ast.Load())
            self.loops.append((name, over))
        else:
            self.bind(node.target, opaque(), inside)
            self.loops.append(("__none__", opaque()))
        self.exits.append((len(state.path), []))
        self.block(node.body, inside)
        self.exits.pop()
        self.loops.pop()
        self.forget(node, state)
        if any(isinstance(one, ast.Return) for one in ast.walk(node)):
            self.exits[-1][1].append((opaque(), dict(state.fields)))
            state.path.append(opaque())

    do_AsyncFor = do_For

    def do_While(self, node: ast.While, state: State) -> None:
        self.forget(node, state)


def items_of(over: ast.expr) -> list[ast.expr] | None:
    """What a loop goes over, where that is a list of its own; its items may be not known."""
    known, items = literal(over)
    if known:
        return [constant(one) for one in items] if isinstance(items, (list, tuple, set, dict, frozenset)) else None
    return list(over.elts) if isinstance(over, (ast.List, ast.Tuple)) else None
