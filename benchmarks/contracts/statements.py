"""Statements: what each does to fields and names, and the rows that it ends in."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping

from .code import Function, Module
from .core import DEEPEST
from .formulas import both, choose, dotted, either, is_opaque, literal, negate, of_pattern, opaque, simplified, truth
from .loops import Loops
from .state import Closure, Row, State, Thing, Value


class Statements(Loops):
    """The methods ``do_X`` for the statement X."""

    def run(self, module: Module, function: Function, given: Mapping[str, Value], state: State, owner: str) -> Value:
        """Walks a function from the state; the fields it changes stay changed. What it returns, as one expression."""
        if len(self.stack) >= DEEPEST or any(one == (module, function.name + owner) for one in self.stack):
            return opaque()
        outer_local, outer_path = state.local, list(state.path)
        state.local = dict(given)
        self.stack.append((module, function.name + owner))
        self.returned.append([])
        self.exits.append((len(state.path), []))
        try:
            self.block(function.body, state)
        finally:
            self.stack.pop()
            ways = self.returned.pop()
            left = self.exits.pop()[1]
        state.fields = self.met(left, state)
        result: Value = ast.Constant(None)
        things = [value for _, value in ways if not isinstance(value, ast.expr)]
        if things:
            result = things[-1]
        else:
            for when, value in reversed(list(_apart(ways, outer_path))):
                result = choose(when, value, result)  # type: ignore[arg-type]
        state.local, state.path, state.ended = outer_local, outer_path, ""
        return result

    def block(self, body: Iterable[ast.stmt], state: State) -> None:
        for one in body:
            if state.ended:
                return
            method = getattr(self, f"do_{type(one).__name__}", None)
            if method is None:
                self.forget(one, state)
            else:
                method(one, state)

    def emit(self, kind: str, node: ast.stmt | ast.expr, when: Iterable[ast.expr], raised: str = "") -> None:
        if self.trying and kind != "warn":
            when = [*when, opaque()]
        condition = simplified(both(when))
        for name, over in reversed(self.loops):
            if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(condition)):
                condition = ast.Call(
                    ast.Name("any", ast.Load()),
                    [ast.GeneratorExp(condition, [ast.comprehension(ast.Name(name, ast.Store()), over, [], 0)])],
                    [],
                )
            else:
                condition = both([over, condition])
        owner = self.stack[-1][1]
        if isinstance(condition, ast.Constant) and not condition.value:
            return
        self.rows.append(Row(condition, kind, self.module.path, node.lineno, node.end_lineno or node.lineno, owner, raised))

    def do_Expr(self, node: ast.Expr, state: State) -> None:
        self.value(node.value, state)

    def do_Pass(self, node: ast.Pass, state: State) -> None: ...

    def do_Import(self, node: ast.Import, state: State) -> None: ...

    def do_ImportFrom(self, node: ast.ImportFrom, state: State) -> None: ...

    def do_FunctionDef(self, node: ast.FunctionDef, state: State) -> None:
        state.local[node.name] = Closure(node, state.local)

    def do_Global(self, node: ast.Global, state: State) -> None: ...

    def do_Assign(self, node: ast.Assign, state: State) -> None:
        value = self.value(node.value, state)
        for target in node.targets:
            self.bind(target, value, state)

    def do_AnnAssign(self, node: ast.AnnAssign, state: State) -> None:
        if node.value is not None:
            self.bind(node.target, self.value(node.value, state), state)

    def do_AugAssign(self, node: ast.AugAssign, state: State) -> None:
        target = copy.deepcopy(node.target)
        target.ctx = ast.Load()  # type: ignore[union-attr]
        self.bind(node.target, self.value(ast.BinOp(target, node.op, node.value), state), state)  # type: ignore[arg-type]

    def do_If(self, node: ast.If, state: State) -> None:
        test = truth(self.plain(node.test, state))
        known = literal(test)
        if isinstance(test, ast.Constant) or (known[0] and not isinstance(test, ast.Name)):
            self.block(node.body if known[1] else node.orelse, state)
            return
        one, other = state.copy(), state.copy()
        one.path.append(test)
        other.path.append(negate(test))
        self.block(node.body, one)
        self.block(node.orelse, other)
        self.join(test, one, other, state)

    def join(self, test: ast.expr, one: State, other: State, into: State) -> None:
        """Two ways become one again. Of a way that ended in ``raise`` nothing is remembered, of one that returned its condition."""
        if one.ended and other.ended:
            into.ended = "return" if "return" in (one.ended, other.ended) else "raise"
            return
        before = len(into.path)
        if one.ended or other.ended:
            gone, alive = (one, other) if one.ended else (other, one)
            kept = alive.path[before:] if gone.ended == "return" else alive.path[before + 1 :]
            into.fields, into.local, into.path = alive.fields, alive.local, [*into.path, *kept]
            return
        extra_one, extra_other = one.path[before + 1 :], other.path[before + 1 :]
        if extra_one or extra_other:
            into.path.append(either([both([test, *extra_one]), both([negate(test), *extra_other])]))
        for name in {*one.fields, *other.fields}:
            mine, theirs = one.fields.get(name, self.untouched(name)), other.fields.get(name, self.untouched(name))
            into.fields[name] = self.bounded(choose(test, mine, theirs))
        for name in {*one.local, *other.local}:
            a, b = one.local.get(name), other.local.get(name)
            if not isinstance(a or ast.Constant(0), ast.expr) or not isinstance(b or ast.Constant(0), ast.expr):
                into.local[name] = b if isinstance(a, ast.expr) or a is None else a  # type: ignore[assignment]
            else:
                into.local[name] = self.bounded(choose(test, a or opaque(), b or opaque()))

    def do_Return(self, node: ast.Return, state: State) -> None:
        value: Value = ast.Constant(None) if node.value is None else self.value(node.value, state)
        self.returned[-1].append((both(state.path), value))
        self.leave(state)
        state.ended = "return"

    def do_Raise(self, node: ast.Raise, state: State) -> None:
        raised = "" if node.exc is None else ast.unparse(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
        if raised not in ("NotImplementedError",) or state.path:
            self.emit("raise", node, state.path, raised)
        state.ended = "raise"

    def do_Assert(self, node: ast.Assert, state: State) -> None:
        self.emit("assert", node, [*state.path, negate(self.plain(node.test, state))], "AssertionError")

    def do_With(self, node: ast.With, state: State) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self.bind(item.optional_vars, opaque(), state)
        self.block(node.body, state)

    def do_Try(self, node: ast.Try, state: State) -> None:
        inside = state.copy()
        self.trying += bool(node.handlers)
        self.block(node.body, inside)
        self.trying -= bool(node.handlers)
        for handler in node.handlers:
            other = state.copy()
            other.path.append(opaque())
            self.block(handler.body, other)
        if inside.ended:
            state.path.append(opaque())
        else:
            state.fields, state.local = inside.fields, inside.local
        for handler in node.handlers:
            for one in handler.body:
                if not isinstance(one, ast.Raise):
                    self.forget(one, state)
        self.block([*node.orelse, *node.finalbody], state)

    def do_Match(self, node: ast.Match, state: State) -> None:
        chain: list[ast.stmt] = []
        for case in reversed(node.cases):
            test = of_pattern(case.pattern, node.subject)
            if test is None:
                self.forget(node, state)
                return
            if case.guard is not None:
                test = ast.BoolOp(ast.And(), [test, case.guard])
            chain = [ast.copy_location(ast.If(test, case.body, chain), node)]
        self.block(chain, state)

    def do_Continue(self, _node: ast.Continue | ast.Break, state: State) -> None:
        self.leave(state)
        state.ended = "return"

    do_Break = do_Continue

    def do_Delete(self, node: ast.Delete, state: State) -> None:
        for target in node.targets:
            self.bind(target, ast.Constant(None), state)

    def forget(self, node: ast.AST, state: State) -> None:
        """Everything that a statement may have bound or changed is not known any more."""
        for one in ast.walk(node):
            if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(one.ctx, (ast.Store, ast.Del)):
                self.bind(one, opaque(), state)
            elif (
                isinstance(one, ast.Call)
                and isinstance(one.func, ast.Attribute)
                and one.func.attr in ("append", "update", "pop", "remove", "extend", "setdefault", "insert")
            ):
                self.spoil(one.func.value, state)

    def spoil(self, target: ast.expr, state: State) -> None:
        if isinstance(target, ast.Name):
            if not isinstance(state.local.get(target.id), Thing):
                state.local[target.id] = opaque()
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            self.bind(target, opaque(), state)

    # targets

    def bind(self, target: ast.expr, value: Value, state: State) -> None:
        if isinstance(value, tuple):
            names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
            for one, thing in zip(names, value, strict=False):
                self.bind(one, thing, state)
            return
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == len(target.elts):
            for one, part in zip(target.elts, value.elts, strict=True):
                self.bind(one.value if isinstance(one, ast.Starred) else one, part, state)
            return
        if isinstance(value, Closure) and not isinstance(target, ast.Name):
            value = opaque()
        if isinstance(value, ast.expr):
            value = self.bounded(value)
        if isinstance(target, ast.Name):
            state.local[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self.bind(one.value if isinstance(one, ast.Starred) else one, opaque(), state)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, state)
            if isinstance(owner, Thing) and isinstance(value, ast.expr):
                state.fields[owner.prefix + target.attr] = value
            elif isinstance(owner, Thing) and isinstance(value, Thing):
                self.objects[owner.prefix + target.attr] = value
            elif isinstance(owner, ast.expr) and (name := dotted(owner)) and isinstance(value, ast.expr):
                state.fields[f"{name}.{target.attr}"] = value
        elif isinstance(target, ast.Subscript):
            owner = self.value(target.value, state)
            known, key = literal(self.plain(target.slice, state))
            if isinstance(owner, Thing) and known and isinstance(key, str) and isinstance(value, ast.expr):
                state.fields[owner.prefix + key] = value
            elif isinstance(owner, ast.expr):
                self.spoil(target.value, state)


def _apart(ways: Iterable[tuple[ast.expr, Value]], outer: Iterable[ast.expr]) -> Iterator[tuple[ast.expr, Value]]:
    """Ways out of a function, each without what is known there: what led to the call, and that no earlier way was taken. Of what is
    not followed nothing is known: two opaque parts look alike."""
    known = {ast.dump(one) for one in outer}
    for when, value in ways:
        parts = when.values if isinstance(when, ast.BoolOp) and isinstance(when.op, ast.And) else [when]
        left = both(one for one in parts if is_opaque(one) or ast.dump(one) not in known)
        yield left, value
        known.add(ast.dump(negate(left)))
