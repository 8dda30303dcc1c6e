"""Calls: those of the language are kept, those of the release are walked."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from .code import Class, Function, Module
from .formulas import OPAQUE, both, choose, dotted, either, folded, is_opaque, literal, opaque
from .making import Making
from .state import Closure, State, Thing, Value

TEXT_METHODS = {"lower", "upper", "strip", "split", "startswith", "endswith"}
PLAIN_CALLS = {"len", "int", "float", "str", "bool", "abs", "sum", "min", "max", "sorted", "set", "any", "all"}
COPIES = {"list", "tuple", "dict", "frozenset", "copy", "deepcopy"}
"""What is made of one value and stays equal to it, as far as conditions look."""


class Calls(Making):
    """What a call comes to."""

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
        for one in node.keywords:
            if one.arg is None:  # ``f(**self.kwargs())``: what it gives is not known, what it refuses is
                self.value(one.value, state)
        plain = [one if isinstance(one, ast.expr) else opaque() for one in arguments]
        told = self.oracle(text, plain)
        if told is not None:
            return told
        func = node.func
        if text == "json.loads" and len(plain) == 1 and not is_opaque(plain[0]):  # else what it gives is not followed
            whole = ast.Call(ast.Name("is_json", ast.Load()), [plain[0]], [])
            self.emit("raise", node, [*state.path, ast.UnaryOp(ast.Not(), whole)], "JSONDecodeError")
        if text in self.makes and arguments and isinstance(arguments[0], Thing):
            return self.make(arguments[0], state)
        inner = state.local.get(text)
        if isinstance(inner, Closure):
            given = bound(inner.function, arguments, {one.arg: self.value(one.value, state) for one in node.keywords if one.arg})
            return opaque() if given is None else self.run(self.module, inner.function, {**inner.names, **given}, state, "inner")
        if isinstance(func, ast.Name):
            return self.call_name(func.id, arguments, plain, node, state)
        if isinstance(func, ast.Attribute):
            return self.call_method(func, arguments, plain, node, state)
        return opaque()

    def call_name(self, name: str, arguments: list[Value], plain: list[ast.expr], node: ast.Call, state: State) -> Value:
        if name == "isinstance" and len(plain) == 2:
            kinds = _types(node.args[1]) or self.strangers(node.args[1], plain[0])
            if isinstance(arguments[0], Thing) and kinds is not None and arguments[0] in self.sections.values():
                return ast.Constant("dict" in kinds)
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
            return folded(ast.Call(ast.Name(name, ast.Load()), plain, []))
        found = self.release.named(self.module, name)
        if isinstance(found, Class):
            poured = [self.value(one.value, state) for one in node.keywords if one.arg is None]
            if len(poured) == len(node.keywords) == 1 and isinstance(poured[0], Thing) and poured[0].classes:
                return self.modelled(poured[0], state)
            self.constructed(found, arguments, node, state)
            return self.coerced(found, plain, node, state)
        if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
            home = self.release.home(self.module, name)
            given = bound(found, arguments, {one.arg: self.value(one.value, state) for one in node.keywords if one.arg})
            if home is not None and given is not None:
                return self.run(home, found, {**given, **self.named_defaults(home, found, plain, node)}, state, "")
        return opaque()

    def strangers(self, node: ast.expr, value: ast.expr) -> list[str] | None:
        """``isinstance(dtype, (str, torch.dtype))`` of a field that nothing has changed: what a config gives is of no class of another
        package. None where a class may be of this release, or an enumeration."""
        name = dotted(value)
        if name is None or name == OPAQUE or not self.declared(name):
            return None
        parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
        names = [ast.unparse(one) for one in parts]
        known = [_types(one) for one in parts]
        if not all(found is not None or ("." in text and text.split(".")[0] == "torch") for found, text in zip(known, names, strict=True)):
            return None
        return [one for found, text in zip(known, names, strict=True) for one in (found or [text])]

    def named_defaults(self, home: Module, function: Function, plain: list[ast.expr], node: ast.Call) -> dict[str, Value]:
        """Parameters that the call leaves to a default that is a constant of the module."""
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        defaults = dict(zip(names[len(names) - len(function.args.defaults) :], function.args.defaults, strict=True))
        left = {*names[len(plain) :]} - {one.arg for one in node.keywords}
        self.stack.append((home, "constant"))
        try:
            return {name: self.value(one, State()) for name, one in defaults.items() if name in left and isinstance(one, ast.Name)}
        finally:
            self.stack.pop()

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
                        given = bound(one.methods[func.attr], arguments, {})
                        return opaque() if given is None else self.run(one.module, one.methods[func.attr], given, state, one.name)
        owner = self.value(func.value, state)
        if isinstance(owner, Thing):
            return self.own_method(owner, func.attr, arguments, plain, node, state)
        if func.attr in ("keys", "values") and not plain and isinstance(owner, ast.Dict):
            return ast.List(owner.keys if func.attr == "keys" else owner.values, ast.Load())  # type: ignore[arg-type]
        if func.attr == "items" and not plain and isinstance(owner, ast.Dict):
            return ast.List([ast.List(list(one), ast.Load()) for one in zip(owner.keys, owner.values, strict=True)], ast.Load())  # type: ignore[arg-type]
        if isinstance(owner, ast.IfExp) and is_opaque(owner) and func.attr in TEXT_METHODS and not plain:
            return self.each_way(owner, lambda one: ast.Call(ast.Name(func.attr, ast.Load()), [one], []))
        if is_opaque(owner):
            return opaque()
        if func.attr in TEXT_METHODS and not node.keywords:
            if func.attr in ("startswith", "endswith") and len(plain) == 1 and isinstance(plain[0], ast.List):
                plain = plain[0].elts
            return ast.Call(ast.Name(func.attr, ast.Load()), [owner, *plain], [])
        if func.attr == "get" and plain:
            name, (known, key) = dotted(owner), literal(plain[0])
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

    def each_way(self, node: ast.expr, made: Callable[[ast.expr], ast.expr]) -> ast.expr:
        """``(backend or a variable of the environment).upper()``: what is known of it stays so."""
        if isinstance(node, ast.IfExp):
            return choose(node.test, self.each_way(node.body, made), self.each_way(node.orelse, made))
        return opaque() if is_opaque(node) else made(node)

    def own_method(self, owner: Thing, name: str, arguments: list[Value], plain: list[ast.expr], node: ast.Call, state: State) -> Value:
        for one in owner.classes:
            method = one.methods.get(name)
            if method is None:
                continue
            kinds = {ast.unparse(d) for d in method.decorator_list}
            first: list[Value] = [] if "staticmethod" in kinds else [owner]
            given = bound(method, [*first, *arguments], {k.arg: self.value(k.value, state) for k in node.keywords if k.arg})
            return opaque() if given is None else self.run(one.module, method, given, state, one.name)
        if name == "keys" and owner.as_given and not arguments:
            return owner
        known, key = literal(plain[0]) if plain else (False, None)
        if name in ("get", "pop") and known and isinstance(key, str):
            full, now = owner.prefix + key, self.key(owner, key, state)
            if isinstance(now, Thing):
                return now
            if name == "pop":
                state.fields[full] = ast.Constant(None)
            fallback = plain[1] if len(plain) > 1 else ast.Constant(None)
            if (self.sections and self.declared(full)) or (isinstance(fallback, ast.Constant) and fallback.value is None):
                return now
            return choose(ast.Compare(now, [ast.IsNot()], [ast.Constant(None)]), now, fallback)
        if name == "setdefault" and known and isinstance(key, str) and len(plain) == 2:
            full, now = owner.prefix + key, self.key(owner, key, state)
            if isinstance(now, Thing):
                return now
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
                given = bound(method, [owner, *arguments], {k.arg: self.value(k.value, state) for k in node.keywords if k.arg})
                return opaque() if given is None else self.run(one.module, method, given, state, one.name)
        return ast.Constant(None)


def _types(node: ast.expr) -> list[str] | None:
    """Names of plain types; None where another is among them."""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else _union(node)
    names = [ast.unparse(one).split("[")[0] for one in parts]
    known = {"str", "int", "float", "bool", "list", "tuple", "dict", "set", "Mapping", "Sequence"}
    return [{"Mapping": "dict", "Sequence": "list"}.get(one, one) for one in names] if set(names) <= known else None


def _union(node: ast.expr) -> list[ast.expr]:
    return [*_union(node.left), *_union(node.right)] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) else [node]


def _warns(text: str, node: ast.Call) -> str:
    """What kind of warning a call gives; empty for none."""
    last = text.rpartition(".")[2]
    if text in ("warnings.warn", "warn"):
        given = [*node.args[1:2], *(one.value for one in node.keywords if one.arg == "category")]
        return ast.unparse(given[0]) if given else "UserWarning"
    logs = "log" in text.rpartition(".")[0].lower()
    return (
        "log"
        if (logs and last in ("warning", "warning_once", "warn", "error"))
        or last in ("warning_rank0", "warning_rank0_once", "warning_once")
        else ""
    )


def bound(function: Function, positional: list[Value], named: Mapping[str, Value]) -> dict[str, Value] | None:
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
