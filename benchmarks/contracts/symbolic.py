"""What a function refuses, as conditions over the fields it was given: its body walked once, each name holding an expression.

Branches are walked both and joined (``a if test else b``), so that a field that a validator rewrites is known in terms of what was
written. After a ``raise`` under a condition the way goes on as if it had not been raised: whoever meets both conditions is told the
first. What is not followed (a call that is not known, a loop that changes something) becomes `OPAQUE`, and a row over it is listed as
undecided, never guessed.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .code import Class, Function, Module, Release

DEEPEST = 8
"""Calls in calls that are followed."""
UNROLLED = 40
"""Items of a list of constants that a loop is walked over one by one."""
LARGEST = 400
"""Nodes of an expression; a larger one is opaque."""

OPAQUE = "__opaque__"


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
class Thing:
    """An object whose fields are the inputs. ``prefix`` stands before their names; ``classes`` give its methods, nearest first.
    ``as_given``: a mapping of what was written, where an absent key is None and not its default."""

    prefix: str = ""
    classes: tuple[Class, ...] = ()
    as_given: bool = False


Value = ast.expr | Thing | tuple["Thing", ...]
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


# --- expressions


def opaque(*_: object) -> ast.expr:
    return ast.Name(OPAQUE, ast.Load())


def is_opaque(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Name) and one.id == OPAQUE for one in ast.walk(node))


def constant(value: Any) -> ast.expr:
    return ast.parse(repr(value), mode="eval").body


def literal(node: ast.AST) -> tuple[bool, Any]:
    """Is it a constant, and which?"""
    try:
        return True, ast.literal_eval(node)  # type: ignore[arg-type]
    except (ValueError, TypeError, SyntaxError, MemoryError):
        return False, None


def negate(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITE:
        return ast.Compare(node.left, [_OPPOSITE[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.Constant):
        return ast.Constant(not node.value)
    if isinstance(node, ast.BoolOp):
        other: ast.boolop = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        return ast.BoolOp(other, [negate(one) for one in node.values])
    return ast.UnaryOp(ast.Not(), node)


_OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
"""``<`` and ``>=`` are none: neither holds of a value that cannot be compared."""


def both(parts: Iterable[ast.expr]) -> ast.expr:
    """The parts joined by ``and``, each once, constants taken out."""
    kept: list[ast.expr] = []
    seen: set[str] = set()
    for part in _flat(parts, ast.And):
        if isinstance(part, ast.Constant):
            if part.value:
                continue
            return ast.Constant(False)
        text = ast.dump(part)
        if text not in seen:
            seen.add(text)
            kept.append(part)
    if any(ast.dump(negate(one)) in seen for one in kept):
        return ast.Constant(False)
    return ast.Constant(True) if not kept else kept[0] if len(kept) == 1 else ast.BoolOp(ast.And(), kept)


def either(parts: Iterable[ast.expr]) -> ast.expr:
    kept: list[ast.expr] = []
    seen: set[str] = set()
    for part in _flat(parts, ast.Or):
        if isinstance(part, ast.Constant):
            if not part.value:
                continue
            return ast.Constant(True)
        text = ast.dump(part)
        if text not in seen:
            seen.add(text)
            kept.append(part)
    return ast.Constant(False) if not kept else kept[0] if len(kept) == 1 else ast.BoolOp(ast.Or(), kept)


def _flat(parts: Iterable[ast.expr], kind: type[ast.boolop]) -> Iterable[ast.expr]:
    for part in parts:
        if isinstance(part, ast.BoolOp) and isinstance(part.op, kind):
            yield from _flat(part.values, kind)
        else:
            yield part


def choose(test: ast.expr, one: ast.expr, other: ast.expr) -> ast.expr:
    if ast.dump(one) == ast.dump(other):
        return one
    if isinstance(test, ast.Constant):
        return one if test.value else other
    if (
        isinstance(one, ast.Constant)
        and isinstance(other, ast.Constant)
        and {one.value, other.value} == {True, False}
        and isinstance(one.value, bool)
        and _is_boolean(test)
    ):
        return test if one.value else negate(test)
    return ast.IfExp(test, one, other)


def _is_boolean(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Compare)
        or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        or (isinstance(node, ast.BoolOp) and all(map(_is_boolean, node.values)))
    )


def size(node: ast.AST) -> int:
    """Nodes of a tree, counted once for each tree: parts are shared between many."""
    known = getattr(node, "nodes_in_it", None)
    if known is None:
        known = 1 + sum(size(one) for one in ast.iter_child_nodes(node))
        node.nodes_in_it = known  # type: ignore[attr-defined]
    return known


def path_of(name: str) -> ast.expr:
    """The tree of a dotted name."""
    return ast.parse(name, mode="eval").body


# --- walking


TEXT_METHODS = {"lower", "upper", "strip", "split", "startswith", "endswith"}
PLAIN_CALLS = {"len", "int", "float", "str", "bool", "abs", "sum", "min", "max", "sorted", "set", "any", "all"}
COPIES = {"list", "tuple", "dict", "frozenset", "copy", "deepcopy"}
"""What is made of one value and stays equal to it, as far as conditions look."""

Oracle = Callable[[str, list[ast.expr]], Value | None]
"""What a call or a name outside the code comes to: its text as it is written, its arguments; None for not known."""


def no_oracle(_text: str, _arguments: list[ast.expr]) -> Value | None:
    return None


class Walker:
    """Walks functions of one release."""

    def __init__(self, release: Release, declared: Callable[[str], bool], oracle: Oracle = no_oracle) -> None:
        self.release = release
        self.declared = declared
        self.oracle = oracle
        self.rows: list[Row] = []
        self.stack: list[tuple[Module, str]] = []
        self.loops: list[tuple[str, ast.expr]] = []
        self.returned: list[list[tuple[ast.expr, Value]]] = []
        self.trying = 0

    # functions

    def run(self, module: Module, function: Function, given: Mapping[str, Value], state: State, owner: str) -> Value:
        """Walks a function from the state; the fields it changes stay changed. What it returns, as one expression."""
        if len(self.stack) >= DEEPEST or any(one == (module, function.name + owner) for one in self.stack):
            return opaque()
        outer_local, outer_path = state.local, list(state.path)
        state.local = dict(given)
        self.stack.append((module, function.name + owner))
        self.returned.append([])
        try:
            self.block(function.body, state)
        finally:
            self.stack.pop()
            ways = self.returned.pop()
        result: Value = ast.Constant(None)
        things = [value for _, value in ways if not isinstance(value, ast.expr)]
        if things:
            result = things[-1]
        else:
            for when, value in reversed(ways):
                result = choose(when, value, result)  # type: ignore[arg-type]
        state.local, state.path, state.ended = outer_local, outer_path, ""
        return result

    @property
    def module(self) -> Module:
        return self.stack[-1][0]

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

    # statements

    def do_Expr(self, node: ast.Expr, state: State) -> None:
        self.value(node.value, state)

    def do_Pass(self, node: ast.Pass, state: State) -> None: ...

    def do_Import(self, node: ast.Import, state: State) -> None: ...

    def do_ImportFrom(self, node: ast.ImportFrom, state: State) -> None: ...

    def do_FunctionDef(self, node: ast.FunctionDef, state: State) -> None:
        state.local[node.name] = opaque()

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
        test = self.plain(node.test, state)
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
            mine, theirs = one.fields.get(name, path_of(name)), other.fields.get(name, path_of(name))
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
        state.ended = "return"

    def do_Raise(self, node: ast.Raise, state: State) -> None:
        raised = "" if node.exc is None else ast.unparse(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
        if raised not in ("NotImplementedError",) or state.path:
            self.emit("raise", node, state.path, raised)
        state.ended = "raise"

    def do_Assert(self, node: ast.Assert, state: State) -> None:
        self.emit("assert", node, [*state.path, negate(self.plain(node.test, state))], "AssertionError")

    def do_For(self, node: ast.For, state: State) -> None:
        over = self.plain(node.iter, state)
        known, items = literal(over)
        leaves = any(isinstance(one, (ast.Return, ast.Break)) for one in ast.walk(node))
        if known and isinstance(items, (list, tuple, set, dict, frozenset)) and len(items) <= UNROLLED and not leaves:
            before = list(state.path)
            for item in items:
                self.bind(node.target, constant(item), state)
                self.block(node.body, state)
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
        self.block(node.body, inside)
        self.loops.pop()
        self.forget(node, state)

    do_AsyncFor = do_For

    def do_While(self, node: ast.While, state: State) -> None:
        self.forget(node, state)

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
        if not inside.ended:
            state.fields, state.local = inside.fields, inside.local
        for handler in node.handlers:
            for one in handler.body:
                if not isinstance(one, ast.Raise):
                    self.forget(one, state)
        self.block([*node.orelse, *node.finalbody], state)

    def do_Match(self, node: ast.Match, state: State) -> None:
        chain: list[ast.stmt] = []
        for case in reversed(node.cases):
            test = _pattern(case.pattern, node.subject)
            if test is None:
                self.forget(node, state)
                return
            if case.guard is not None:
                test = ast.BoolOp(ast.And(), [test, case.guard])
            chain = [ast.copy_location(ast.If(test, case.body, chain), node)]
        self.block(chain, state)

    def do_Continue(self, node: ast.Continue, state: State) -> None:
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
        elif isinstance(target, ast.Attribute):
            self.bind(target, opaque(), state)

    # targets

    def bind(self, target: ast.expr, value: Value, state: State) -> None:
        if isinstance(value, tuple):
            names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
            for one, thing in zip(names, value, strict=False):
                self.bind(one, thing, state)
            return
        if not isinstance(value, Thing):
            value = self.bounded(value)
        if isinstance(target, ast.Name):
            state.local[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts: list[ast.expr] | None
            parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) else None
            for position, one in enumerate(target.elts):
                self.bind(one.value if isinstance(one, ast.Starred) else one, parts[position] if parts else opaque(), state)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, state)
            if isinstance(owner, Thing) and not isinstance(value, Thing):
                state.fields[owner.prefix + target.attr] = value
            elif isinstance(owner, ast.expr) and (name := _dotted(owner)) and not isinstance(value, Thing):
                state.fields[f"{name}.{target.attr}"] = value
        elif isinstance(target, ast.Subscript):
            owner = self.value(target.value, state)
            known, key = literal(self.plain(target.slice, state))
            if isinstance(owner, Thing) and known and isinstance(key, str) and not isinstance(value, Thing):
                state.fields[owner.prefix + key] = value
            elif isinstance(owner, ast.expr):
                self.spoil(target.value, state)

    # expressions

    def plain(self, node: ast.expr, state: State) -> ast.expr:
        value = self.value(node, state)
        return value if isinstance(value, ast.expr) else opaque()

    def bounded(self, node: ast.expr) -> ast.expr:
        return opaque() if size(node) > LARGEST or (is_opaque(node) and not isinstance(node, ast.IfExp)) else node

    def value(self, node: ast.expr, state: State) -> Value:
        method = getattr(self, f"of_{type(node).__name__}", None)
        found = opaque() if method is None else method(node, state)
        return found if not isinstance(found, ast.expr) or size(found) <= LARGEST else opaque()

    def of_Constant(self, node: ast.Constant, state: State) -> Value:
        return node

    def of_JoinedStr(self, node: ast.JoinedStr, state: State) -> Value:
        return opaque()

    def of_NamedExpr(self, node: ast.NamedExpr, state: State) -> Value:
        value = self.value(node.value, state)
        self.bind(node.target, value, state)
        return value

    def of_Name(self, node: ast.Name, state: State) -> Value:
        if node.id in state.local:
            return state.local[node.id]
        if node.id in ("True", "False", "None"):
            return constant(ast.literal_eval(node.id))
        return self.resolved(node.id)

    def resolved(self, name: str) -> Value:
        """A name of the module: a constant, or not known."""
        found = self.release.named(self.module, name)
        if isinstance(found, ast.expr):
            home = self.release.home(self.module, name)
            if home is None:
                return opaque()
            self.stack.append((home, "constant"))
            try:
                return self.plain(found, State()) if len(self.stack) < DEEPEST * 2 else opaque()
            finally:
                self.stack.pop()
        return self.oracle(name, []) or opaque()

    def of_Attribute(self, node: ast.Attribute, state: State) -> Value:
        told = self.oracle(ast.unparse(node), [])
        if told is not None:
            return told
        member = self.member(node)
        if member is not None:
            return member
        owner = self.value(node.value, state)
        if isinstance(owner, Thing):
            return self.attribute(owner, node.attr, state)
        if node.attr == "value" and not is_opaque(owner):
            return owner  # of a member of an enumeration, which stands for its value here
        name = _dotted(owner)
        if name is not None and name != OPAQUE and not name.startswith("_"):
            return state.fields.get(f"{name}.{node.attr}", path_of(f"{name}.{node.attr}"))
        return opaque()

    def attribute(self, owner: Thing, name: str, state: State) -> Value:
        full = owner.prefix + name
        if full in state.fields:
            return state.fields[full]
        for one in owner.classes:
            method = one.methods.get(name)
            if method is not None:
                if any(ast.unparse(d) in ("property", "cached_property", "functools.cached_property") for d in method.decorator_list):
                    return self.run(one.module, method, {method.args.args[0].arg: owner}, state, one.name)
                return opaque()
            if name in one.members and not self.declared(full):
                return self.plain(one.members[name], State())
        return path_of(full) if self.declared(full) else opaque()

    def member(self, node: ast.Attribute) -> ast.expr | None:
        """``IntervalStrategy.STEPS`` and ``IntervalStrategy.STEPS.value``."""
        target = node.value if node.attr == "value" and isinstance(node.value, ast.Attribute) else node
        if not isinstance(target.value, ast.Name):
            return None
        found = self.release.named(self.module, target.value.id)
        if not isinstance(found, Class):
            return None
        value = found.members.get(target.attr)
        known, plain = literal(value) if value is not None else (False, None)
        return constant(plain) if known and is_enumeration(self.release, found) else None

    def of_BoolOp(self, node: ast.BoolOp, state: State) -> Value:
        parts = [self.value(one, state) for one in node.values]
        if any(isinstance(one, Thing) for one in parts):
            return next(one for one in parts if isinstance(one, Thing))
        return (both if isinstance(node.op, ast.And) else self._or)(parts)  # type: ignore[arg-type]

    @staticmethod
    def _or(parts: list[ast.expr]) -> ast.expr:
        # ``a or "text"`` as a value: only what can be decided of it matters
        return (
            either(parts)
            if all(not isinstance(one, ast.Constant) or isinstance(one.value, bool) for one in parts)
            else ast.BoolOp(ast.Or(), parts)
        )

    def of_UnaryOp(self, node: ast.UnaryOp, state: State) -> Value:
        inside = self.plain(node.operand, state)
        if isinstance(node.op, ast.Not):
            return negate(inside)
        return ast.UnaryOp(node.op, inside) if isinstance(node.op, ast.USub) else opaque()

    def of_Compare(self, node: ast.Compare, state: State) -> Value:
        parts = [self.value(one, state) for one in (node.left, *node.comparators)]
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(parts[1], Thing) and parts[1].as_given:
            known, key = literal(parts[0]) if isinstance(parts[0], ast.expr) else (False, None)
            if not known or not isinstance(key, str):
                return opaque()
            present: type[ast.cmpop] = ast.IsNot if isinstance(node.ops[0], ast.In) else ast.Is
            now = state.fields.get(parts[1].prefix + key, path_of(parts[1].prefix + key))
            return ast.Compare(now, [present()], [ast.Constant(None)])
        for one, other in ((parts[0], parts[-1]), (parts[-1], parts[0])):
            if isinstance(one, Thing):  # ``model_args is None``
                known, value = literal(other) if isinstance(other, ast.expr) else (False, 1)
                if known and value is None and len(node.ops) == 1:
                    return ast.Constant(isinstance(node.ops[0], (ast.IsNot, ast.NotEq)))
                return opaque()
        plain = [one for one in parts if isinstance(one, ast.expr)]
        made = ast.Compare(plain[0], node.ops, plain[1:])
        return _folded(made)

    def of_BinOp(self, node: ast.BinOp, state: State) -> Value:
        return _folded(ast.BinOp(self.plain(node.left, state), node.op, self.plain(node.right, state)))

    def of_IfExp(self, node: ast.IfExp, state: State) -> Value:
        return choose(self.plain(node.test, state), self.plain(node.body, state), self.plain(node.orelse, state))

    def of_List(self, node: ast.List, state: State) -> Value:
        return ast.List([self.plain(one, state) for one in node.elts], ast.Load())

    def of_Tuple(self, node: ast.Tuple, state: State) -> Value:
        return ast.List([self.plain(one, state) for one in node.elts], ast.Load())

    of_Set = of_Tuple

    def of_Dict(self, node: ast.Dict, state: State) -> Value:
        if any(one is None for one in node.keys):
            return opaque()
        return ast.Dict([self.plain(one, state) for one in node.keys if one], [self.plain(one, state) for one in node.values])

    def of_Subscript(self, node: ast.Subscript, state: State) -> Value:
        whole = self.value(node.value, state)
        key = self.plain(node.slice, state) if not isinstance(node.slice, ast.Slice) else opaque()
        if isinstance(whole, Thing):
            known, name = literal(key)
            if known and isinstance(name, str):
                return state.fields.get(whole.prefix + name, path_of(whole.prefix + name))
            return opaque()
        return ast.Subscript(whole, key, ast.Load())

    def of_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp, state: State) -> Value:
        if len(node.generators) != 1 or not isinstance(node.generators[0].target, ast.Name):
            return opaque()
        loop = node.generators[0]
        over = self.value(loop.iter, state)
        if isinstance(over, Thing):
            return opaque()
        inside = state.copy()
        name = f"_{loop.target.id}"  # type: ignore[attr-defined]
        inside.local[loop.target.id] = ast.Name(name, ast.Load())  # type: ignore[attr-defined]
        known, items = literal(over)
        self.loops.append((name, over) if not is_opaque(over) else ("__none__", opaque()))
        element, kept = self.plain(node.elt, inside), [self.plain(one, inside) for one in loop.ifs]
        self.loops.pop()
        if (
            known
            and isinstance(items, (list, tuple, set, dict))
            and len(items) <= UNROLLED
            and not kept
            and isinstance(node, (ast.GeneratorExp, ast.ListComp))
        ):
            return ast.List([_put(element, name, constant(item)) for item in items], ast.Load())
        return type(node)(element, [ast.comprehension(ast.Name(name, ast.Store()), over, kept, 0)])

    of_ListComp = of_GeneratorExp

    def of_Call(self, node: ast.Call, state: State) -> Value:
        if any(isinstance(one, ast.Starred) for one in node.args):
            return opaque()
        text = ast.unparse(node.func)
        warned = _warns(text, node)
        if warned:
            self.emit("warn", node, state.path, warned)
            return ast.Constant(None)
        return self.call(text, node, state)

    def call(self, text: str, node: ast.Call, state: State) -> Value:
        arguments = [self.value(one, state) for one in node.args]
        plain = [one if isinstance(one, ast.expr) else opaque() for one in arguments]
        told = self.oracle(text, plain)
        if told is not None:
            return told
        func = node.func
        if isinstance(func, ast.Name):
            return self.call_name(func.id, arguments, plain, node, state)
        if isinstance(func, ast.Attribute):
            return self.call_method(func, arguments, plain, node, state)
        return opaque()

    def call_name(self, name: str, arguments: list[Value], plain: list[ast.expr], node: ast.Call, state: State) -> Value:
        if name == "isinstance" and len(plain) == 2:
            kinds = _types(node.args[1])
            if isinstance(arguments[0], Thing) or kinds is None:
                return opaque()
            return ast.Call(ast.Name("isinstance", ast.Load()), [plain[0], *map(ast.Constant, kinds)], [])
        if name in ("getattr", "hasattr") and len(plain) >= 2 and isinstance(arguments[0], Thing):
            return self.reflected(name, arguments[0], plain, state)
        if name == "setattr" and len(plain) == 3 and isinstance(arguments[0], Thing):
            known, attr = literal(plain[1])
            if known and isinstance(attr, str):
                state.fields[arguments[0].prefix + attr] = self.bounded(plain[2])
            return ast.Constant(None)
        if name in ("any", "all") and len(plain) == 1 and isinstance(plain[0], ast.List):
            return (either if name == "any" else both)(plain[0].elts)
        if name in ("set", "list", "tuple", "frozenset", "dict") and not plain and not node.keywords:
            return ast.Dict([], []) if name == "dict" else ast.List([], ast.Load())
        if name in COPIES and len(plain) == 1 and not node.keywords:
            return plain[0]
        if name in PLAIN_CALLS and not node.keywords and plain and name not in state.local:
            return _folded(ast.Call(ast.Name(name, ast.Load()), plain, []))
        found = self.release.named(self.module, name)
        if isinstance(found, Class):
            return self.coerced(found, plain, node, state)
        if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
            home = self.release.home(self.module, name)
            given = _bound(found, arguments, {one.arg: self.value(one.value, state) for one in node.keywords if one.arg})
            if home is not None and given is not None:
                return self.run(home, found, given, state, "")
        return opaque()

    def coerced(self, found: Class, plain: list[ast.expr], node: ast.Call, state: State) -> Value:
        """``IntervalStrategy(self.eval_strategy)``: the value, and a refusal of what the enumeration has not."""
        if not is_enumeration(self.release, found) or len(plain) != 1:
            return opaque()
        members = [plain_value for value in found.members.values() for known, plain_value in [literal(value)] if known]
        if not is_opaque(plain[0]) and members:
            strange = ast.Compare(plain[0], [ast.NotIn()], [constant(members)])
            self.emit("choice", node, [*state.path, strange], "ValueError")
        return plain[0]

    def reflected(self, name: str, owner: Thing, plain: list[ast.expr], state: State) -> Value:
        known, attr = literal(plain[1])
        if not known or not isinstance(attr, str):
            return opaque()
        there = owner.prefix + attr in state.fields or self.declared(owner.prefix + attr)
        if name == "hasattr":
            return ast.Constant(True) if there else opaque()
        if there:
            return self.attribute(owner, attr, state)
        return plain[2] if len(plain) > 2 and not owner.as_given else opaque()

    def call_method(self, func: ast.Attribute, arguments: list[Value], plain: list[ast.expr], node: ast.Call, state: State) -> Value:
        if isinstance(func.value, ast.Call) and ast.unparse(func.value.func) == "super":
            return self.inherited(func.attr, arguments, node, state)
        if isinstance(func.value, ast.Name) and func.value.id not in state.local:
            named = self.release.named(self.module, func.value.id)
            if isinstance(named, Class) and arguments and isinstance(arguments[0], Thing):  # ``Base.__post_init__(self)``
                for one in self.release.lineage(named):
                    if func.attr in one.methods:
                        given = _bound(one.methods[func.attr], arguments, {})
                        return opaque() if given is None else self.run(one.module, one.methods[func.attr], given, state, one.name)
        owner = self.value(func.value, state)
        if isinstance(owner, Thing):
            return self.own_method(owner, func.attr, arguments, plain, node, state)
        if is_opaque(owner):
            return opaque()
        if func.attr in TEXT_METHODS and not node.keywords:
            if func.attr in ("startswith", "endswith") and len(plain) == 1 and isinstance(plain[0], ast.List):
                plain = plain[0].elts
            return ast.Call(ast.Name(func.attr, ast.Load()), [owner, *plain], [])
        if func.attr == "get" and plain:
            name, (known, key) = _dotted(owner), literal(plain[0])
            if name and known and f"{name}.{key}" in state.fields:
                return state.fields[f"{name}.{key}"]
            return ast.Call(ast.Name("get", ast.Load()), [owner, *plain], [])
        if func.attr in ("keys", "values") and not plain:
            return ast.Call(ast.Name(func.attr, ast.Load()), [owner], [])
        if func.attr == "issubset" and len(plain) == 1:
            return ast.Call(ast.Name("subset", ast.Load()), [owner, *plain], [])
        if func.attr in ("append", "update", "pop", "remove", "extend", "setdefault", "insert", "add", "clear"):
            self.spoil(func.value, state)
        return opaque()

    def own_method(self, owner: Thing, name: str, arguments: list[Value], plain: list[ast.expr], node: ast.Call, state: State) -> Value:
        for one in owner.classes:
            method = one.methods.get(name)
            if method is None:
                continue
            kinds = {ast.unparse(d) for d in method.decorator_list}
            first: list[Value] = [] if "staticmethod" in kinds else [owner]
            given = _bound(method, [*first, *arguments], {k.arg: self.value(k.value, state) for k in node.keywords if k.arg})
            return opaque() if given is None else self.run(one.module, method, given, state, one.name)
        known, key = literal(plain[0]) if plain else (False, None)
        if name in ("get", "pop") and known and isinstance(key, str):
            full = owner.prefix + key
            now = state.fields.get(full, path_of(full))
            if name == "pop":
                state.fields[full] = ast.Constant(None)
            fallback = plain[1] if len(plain) > 1 else ast.Constant(None)
            if isinstance(fallback, ast.Constant) and fallback.value is None:
                return now
            return choose(ast.Compare(now, [ast.IsNot()], [ast.Constant(None)]), now, fallback)
        if name == "setdefault" and known and isinstance(key, str) and len(plain) == 2:
            full = owner.prefix + key
            now = state.fields.get(full, path_of(full))
            state.fields[full] = choose(ast.Compare(now, [ast.IsNot()], [ast.Constant(None)]), now, plain[1])
            return state.fields[full]
        return opaque()

    def inherited(self, name: str, arguments: list[Value], node: ast.Call, state: State) -> Value:
        """``super().name(…)``, of the class whose method is walked now."""
        owner = next((one for one in state.local.values() if isinstance(one, Thing) and one.classes), None)
        here = self.stack[-1][1].removeprefix(name)
        if owner is None:
            return opaque()
        names = [one.name for one in owner.classes]
        rest = owner.classes[names.index(here) + 1 :] if here in names else ()
        for one in rest:
            method = one.methods.get(name)
            if method is not None:
                given = _bound(method, [owner, *arguments], {k.arg: self.value(k.value, state) for k in node.keywords if k.arg})
                return opaque() if given is None else self.run(one.module, method, given, state, one.name)
        return ast.Constant(None)


# --- small things


def _same(a: ast.AST, b: ast.AST) -> bool:
    return ast.dump(a) == ast.dump(b)


def _dotted(node: ast.AST) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else None


def is_enumeration(release: Release, one: Class) -> bool:
    return any("Enum" in base for each in release.lineage(one) for base in each.bases)


def _folded(node: ast.expr) -> ast.expr:
    """A constant, where it is made of constants only."""
    from budgetlint.contracts.expression import UNKNOWN, evaluate, fields_of

    if is_opaque(node) or fields_of(node):
        return node
    value = evaluate(ast.fix_missing_locations(node), lambda _name: UNKNOWN)
    return node if value is UNKNOWN or not isinstance(value, (bool, int, float, str, list, type(None))) else constant(value)


def _put(node: ast.expr, name: str, value: ast.expr) -> ast.expr:
    class Put(ast.NodeTransformer):
        def visit_Name(self, one: ast.Name) -> ast.expr:
            return value if one.id == name else one

    return _folded(Put().visit(copy.deepcopy(node)))


def _types(node: ast.expr) -> list[str] | None:
    """Names of plain types; None where another is among them."""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else _union(node)
    names = [ast.unparse(one).split("[")[0] for one in parts]
    known = {"str", "int", "float", "bool", "list", "tuple", "dict", "set", "Mapping", "Sequence"}
    return [{"Mapping": "dict", "Sequence": "list"}.get(one, one) for one in names] if set(names) <= known else None


def _union(node: ast.expr) -> list[ast.expr]:
    return [*_union(node.left), *_union(node.right)] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) else [node]


def _pattern(pattern: ast.pattern, subject: ast.expr) -> ast.expr | None:
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(subject, [ast.Eq()], [pattern.value])
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)])
    if isinstance(pattern, ast.MatchOr):
        parts = [_pattern(one, subject) for one in pattern.patterns]
        return None if any(one is None for one in parts) else ast.BoolOp(ast.Or(), parts)  # type: ignore[arg-type]
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None:
        return ast.Constant(True)
    return None


def _warns(text: str, node: ast.Call) -> str:
    """What kind of warning a call gives; empty for none."""
    last = text.rpartition(".")[2]
    if text in ("warnings.warn", "warn"):
        return next(
            (ast.unparse(one) for one in [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "category")]), "UserWarning"
        )
    logs = "log" in text.rpartition(".")[0].lower()
    return (
        "log"
        if (logs and last in ("warning", "warning_once", "warn", "error"))
        or last in ("warning_rank0", "warning_rank0_once", "warning_once")
        else ""
    )


def _bound(function: Function, positional: list[Value], named: Mapping[str, Value]) -> dict[str, Value] | None:
    """Parameters and what they are given; None where it does not fit."""
    spec = function.args
    names = [one.arg for one in (*spec.posonlyargs, *spec.args)]
    if len(positional) > len(names) and spec.vararg is None:
        return None
    given: dict[str, Value] = dict(zip(names, positional, strict=False))
    given.update({name: value for name, value in named.items() if name in {*names, *(one.arg for one in spec.kwonlyargs)}})
    defaults = dict(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True)) | {
        one.arg: value for one, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value is not None
    }
    for name in (*names, *(one.arg for one in spec.kwonlyargs)):
        if name not in given:
            given[name] = defaults[name] if name in defaults and literal(defaults[name])[0] else opaque()
    for extra in (spec.vararg, spec.kwarg):
        if extra is not None:
            given[extra.arg] = opaque()
    return given


class _Assume(ast.NodeTransformer):
    """Parts that are known to hold, or not to, put into the rest."""

    def __init__(self, facts: Mapping[str, bool]) -> None:
        self.facts = facts

    def visit(self, node: ast.AST) -> Any:
        known = self.facts.get(ast.dump(node)) if isinstance(node, ast.expr) else None
        return self.generic_visit(node) if known is None else ast.Constant(known)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        parts = [self.visit(one) for one in node.values]
        if any(not _is_boolean(one) and not isinstance(one, ast.Constant) for one in parts[:-1]):
            return ast.BoolOp(node.op, parts)
        return (both if isinstance(node.op, ast.And) else either)(parts)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return choose(self.visit(node.test), self.visit(node.body), self.visit(node.orelse))


def simplified(node: ast.expr) -> ast.expr:
    """The same condition, shorter: what one part of an ``and`` says is put into the parts behind it."""
    if not (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And)):
        return node
    facts: dict[str, bool] = {}
    parts: list[ast.expr] = []
    for part in node.values:
        told = _Assume(facts).visit(copy.deepcopy(part)) if facts else part
        parts.append(told)
        for one in told.values if isinstance(told, ast.BoolOp) and isinstance(told.op, ast.And) else [told]:
            if _is_boolean(one):
                facts[ast.dump(one)] = True
                facts[ast.dump(negate(one))] = False
    return both(parts)


def row_text(row: Row) -> str:
    return ast.unparse(ast.fix_missing_locations(row.when))
