"""Expressions in terms of the fields that were given."""

from __future__ import annotations

import ast

from .code import Class
from .core import DEEPEST, UNROLLED, Core, is_enumeration
from .formulas import (
    LARGEST,
    OPAQUE,
    both,
    choose,
    constant,
    dotted,
    either,
    folded,
    is_opaque,
    literal,
    negate,
    opaque,
    path_of,
    size,
    truth,
)
from .state import State, Thing, Value
from .torch_releases import compared, is_torch


class Expressions(Core):
    """The methods ``of_X`` for the expression X."""

    def plain(self, node: ast.expr, state: State) -> ast.expr:
        value = self.value(node, state)
        return value if isinstance(value, ast.expr) else opaque()

    def bounded(self, node: ast.expr) -> ast.expr:
        return opaque() if size(node) > LARGEST or (is_opaque(node) and not isinstance(node, ast.IfExp)) else node

    def value(self, node: ast.expr, state: State) -> Value:
        method = getattr(self, f"of_{type(node).__name__}", None)
        found = opaque() if method is None else method(node, state)
        return found if not isinstance(found, ast.expr) or size(found) <= LARGEST else opaque()

    def of_Constant(self, node: ast.Constant, _state: State) -> Value:
        return node

    def of_JoinedStr(self, _node: ast.JoinedStr, _state: State) -> Value:
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
        if isinstance(found, Class) and is_enumeration(self.release, found):  # ``mode not in PrecisionType``
            members = [literal(one) for one in found.members.values()]
            return constant([value for _, value in members]) if members and all(known for known, _ in members) else opaque()
        return self.oracle(name, []) or opaque()

    def of_Attribute(self, node: ast.Attribute, state: State) -> Value:
        told = self.oracle(ast.unparse(node), [])
        if told is not None:
            return told
        if node.attr == "__members__" and isinstance(node.value, ast.Name):
            found = self.release.named(self.module, node.value.id)
            if isinstance(found, Class) and is_enumeration(self.release, found):
                names = [ast.Constant(name) for name in found.members]
                return (
                    ast.Dict(list(names), list(found.members.values()))
                    if all(literal(one)[0] for one in found.members.values())
                    else opaque()
                )
        member = self.member(node)
        if member is not None:
            return member
        owner = self.value(node.value, state)
        if isinstance(owner, Thing):
            return self.attribute(owner, node.attr, state)
        if node.attr == "base_version" and isinstance(owner, ast.expr) and is_torch(owner):
            return owner
        if node.attr == "value" and not is_opaque(owner):
            return owner  # of a member of an enumeration, which stands for its value here
        name = dotted(owner)
        if name is not None and name != OPAQUE and not name.startswith("_"):
            return self.part(f"{name}.{node.attr}", state)
        return opaque()

    def part(self, full: str, state: State) -> ast.expr:
        """``trl.use_vllm``: what was written there, or the default of the field's own class."""
        default = self.inner(full)
        if full in state.fields or default is None:
            return state.fields.get(full, path_of(full))
        return choose(ast.Compare(path_of(full), [ast.IsNot()], [ast.Constant(None)]), path_of(full), default)

    def attribute(self, owner: Thing, name: str, state: State) -> Value:
        full = owner.prefix + name
        if full in state.fields:
            return state.fields[full]
        if full in self.sections or full in self.objects:
            return self.sections.get(full) or self.objects[full]
        for one in owner.classes:
            method = one.methods.get(name)
            if method is not None:
                if any(ast.unparse(d) in ("property", "cached_property", "functools.cached_property") for d in method.decorator_list):
                    return self.run(one.module, method, {method.args.args[0].arg: owner}, state, one.name)
                return opaque()
            if name in one.members and not self.declared(full):
                return self.plain(one.members[name], State())
        below = bool(owner.prefix and self.sections)  # a key that this config has not, another of the same program may
        return path_of(full) if self.declared(full) or below else opaque()

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
        if isinstance(node.op, ast.And) and not isinstance(parts[-1], Thing):
            parts = [one for one in parts if not isinstance(one, Thing)]  # an object is true
        if any(isinstance(one, Thing) for one in parts):
            return next(one for one in parts if isinstance(one, Thing))
        return (both if isinstance(node.op, ast.And) else self.first_of)(parts)  # type: ignore[arg-type]

    @staticmethod
    def first_of(parts: list[ast.expr]) -> ast.expr:
        # ``a or "text"`` as a value: only what can be decided of it matters
        return (
            either(parts)
            if all(not isinstance(one, ast.Constant) or isinstance(one.value, bool) for one in parts)
            else ast.BoolOp(ast.Or(), parts)
        )

    def of_UnaryOp(self, node: ast.UnaryOp, state: State) -> Value:
        inside = self.plain(node.operand, state)
        if isinstance(node.op, ast.Not):
            return negate(truth(inside))
        return ast.UnaryOp(node.op, inside) if isinstance(node.op, ast.USub) else opaque()

    def of_Compare(self, node: ast.Compare, state: State) -> Value:
        parts = [self.value(one, state) for one in (node.left, *node.comparators)]
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(parts[1], Thing) and parts[1].as_given:
            known, key = literal(parts[0]) if isinstance(parts[0], ast.expr) else (False, None)
            if not known or not isinstance(key, str):
                return opaque()
            present: type[ast.cmpop] = ast.IsNot if isinstance(node.ops[0], ast.In) else ast.Is
            now = self.key(parts[1], key, state)
            if isinstance(now, Thing):  # a block of the config
                return ast.Constant(present is ast.IsNot)
            return ast.Compare(now, [present()], [ast.Constant(None)])
        for one, other in ((parts[0], parts[-1]), (parts[-1], parts[0])):
            if isinstance(one, Thing):  # ``model_args is None``
                known, value = literal(other) if isinstance(other, ast.expr) else (False, 1)
                if known and value is None and len(node.ops) == 1:
                    return ast.Constant(isinstance(node.ops[0], (ast.IsNot, ast.NotEq)))
                return opaque()
        plain = [one for one in parts if isinstance(one, ast.expr)]
        asked = compared(plain[0], node.ops[0], plain[1]) if len(node.ops) == 1 else None
        if asked is not None:
            return asked
        made = ast.Compare(plain[0], [_of_texts(op, one) for op, one in zip(node.ops, plain[1:], strict=True)], plain[1:])
        return folded(made)

    def of_BinOp(self, node: ast.BinOp, state: State) -> Value:
        return folded(ast.BinOp(self.plain(node.left, state), node.op, self.plain(node.right, state)))

    def of_IfExp(self, node: ast.IfExp, state: State) -> Value:
        test = self.plain(node.test, state)
        if isinstance(test, ast.Constant):  # what is chosen may be an object
            return self.value(node.body if test.value else node.orelse, state)
        return choose(test, self.where(test, node.body, state), self.where(negate(test), node.orelse, state))

    def where(self, test: ast.expr, node: ast.expr, state: State) -> ast.expr:
        """What an expression is on the way on which the test holds: what it refuses is refused there alone."""
        state.path.append(test)
        found = self.plain(node, state)
        state.path.pop()
        return found

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
                return self.key(whole, name, state)
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
        if known and isinstance(items, (list, tuple, set, dict)) and len(items) <= UNROLLED:
            return self.unrolled(node, loop, list(items), state)
        self.loops.append((name, over) if not is_opaque(over) else ("__none__", opaque()))
        element, kept = self.plain(node.elt, inside), [self.plain(one, inside) for one in loop.ifs]
        self.loops.pop()
        return type(node)(element, [ast.comprehension(ast.Name(name, ast.Store()), over, kept, 0)])

    of_ListComp = of_GeneratorExp

    def unrolled(self, node: ast.GeneratorExp | ast.ListComp, loop: ast.comprehension, items: list[object], state: State) -> Value:
        """The element for each of a list of constants; where some are left out, the sum of lists of one or none."""
        whole: ast.expr = ast.List([], ast.Load())
        for item in items:
            inside = state.copy()
            inside.local[loop.target.id] = constant(item)  # type: ignore[attr-defined]
            kept = both([self.plain(one, inside) for one in loop.ifs])
            one = ast.List([self.plain(node.elt, inside)], ast.Load())
            part = choose(kept, one, ast.List([], ast.Load()))
            if isinstance(whole, ast.List) and isinstance(part, ast.List):
                whole = ast.List([*whole.elts, *part.elts], ast.Load())
            else:
                whole = part if isinstance(whole, ast.List) and not whole.elts else ast.BinOp(whole, ast.Add(), part)
        return whole


def _of_texts(operator: ast.cmpop, right: ast.expr) -> ast.cmpop:
    """``self.rl is RLType.DPO``: members stand for their values here, and equal values are one member."""
    if isinstance(right, ast.Constant) and isinstance(right.value, str) and isinstance(operator, (ast.Is, ast.IsNot)):
        return ast.Eq() if isinstance(operator, ast.Is) else ast.NotEq()
    return operator
