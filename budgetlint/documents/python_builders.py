"""Functions that build a configuration, as documents: what each gives to the ``Trainer.Config(...)`` that it returns.

torchtitan from 0.3 on keeps its jobs in such functions (``config_registry.py``). One document for each, ``program`` its name. The root
is the call: keyword arguments as keys, an inner call as a mapping whose tag is the function's name, positional arguments as ``0``,
``1``. ``config = other()`` starts from the other function's tree, ``config.training.steps = 5`` changes it. What is no literal is the
plain text ``<source>``, symbolic to every reader, and so is what a branch or a loop may change. Nothing is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from budgetlint.base import limits
from budgetlint.base.numerals import is_digits
from budgetlint.base.record import field, open_state, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence, Style
from budgetlint.documents.python_names import chain_of
from budgetlint.documents.python_places import Places

MARK = "Trainer.Config("
"""A file without it builds no configuration."""
SETTINGS_MARK = "from xtuner."
"""mmengine runs a config as a program and takes the names of its module; XTuner's name their classes."""
_ENDING = ".Config"
_MAX_DEPTH = 12


def read_builders(source: SourceFile, tree: ast.Module) -> tuple[Document, ...]:
    """The documents of a module's functions that return a configuration; none where there is no such function."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    module = _Module(source, Places(source.text), functions, _imports(tree))
    if len(functions) > limits.BUILDERS.most:
        source.stop(limits.BUILDERS, module.places.span(list(functions.values())[limits.BUILDERS.most]).start)
    built = ((name, module.built(name)) for name in list(functions)[: limits.BUILDERS.most])
    found = [(name, root) for name, root in built if root is not None]
    return tuple(Document(source, "python", root, number=number, program=name) for number, (name, root) in enumerate(found))


def read_settings(source: SourceFile, tree: ast.Module) -> tuple[Document, ...]:
    """One document of what the names of a module hold at its end; a class or function that is imported is its qualified name."""
    body = _Top(_Module(source, Places(source.text), {}, _imports(tree)))
    try:
        for statement in tree.body:
            body.statement(statement)
    except RecursionError:
        return ()
    whole = Span(0, len(source.text))
    entries = tuple(Entry(Scalar(name, value.span), value) for name, value in body.held.items())
    return (Document(source, "python", Mapping(entries, whole)),) if entries else ()


def _imports(tree: ast.Module) -> dict[str, str]:
    return {
        alias.asname or alias.name: f"{node.module or ''}.{alias.name}".lstrip(".")
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@open_state
class _Module:
    source: SourceFile
    places: Places
    functions: dict[str, ast.FunctionDef]
    imports: dict[str, str]
    trees: dict[str, Mapping | None] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.source.text

    def built(self, name: str) -> Mapping | None:
        """What a function returns, where that is a configuration."""
        if name not in self.trees:
            self.trees[name] = None  # a function that calls itself
            try:
                self.trees[name] = _Body(self).returned(self.functions[name])
            except RecursionError:  # an expression that is parsed deeper than it can be walked
                self.trees[name] = None
        return self.trees[name]


@open_state
class _Body:
    """One function's statements, in order; ``held`` is what its names hold."""

    module: _Module
    held: dict[str, Node] = field(default_factory=dict)

    def returned(self, function: ast.FunctionDef) -> Mapping | None:
        for statement in function.body:
            if isinstance(statement, ast.Return):
                found = self.node(statement.value, 0) if statement.value is not None else None
                return found if isinstance(found, Mapping) and found.tag.endswith(f"Trainer{_ENDING}") else None
            self.statement(statement)
        return None

    def statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            self._assign(statement.targets[0], self.node(statement.value, 0))
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, self.node(statement.value, 0))
        elif isinstance(statement, ast.AugAssign) and (found := self._multiplied(statement)) is not None:
            self._assign(statement.target, found)
        elif not isinstance(statement, (ast.Expr, ast.Assert, ast.Import, ast.ImportFrom, ast.Pass)):
            for target in _targets(statement):
                self._assign(target, self._symbolic(target))

    def _multiplied(self, statement: ast.AugAssign) -> Scalar | None:
        """``accumulative_counts *= sequence_parallel_size``, of whole numbers that are known."""
        old, factor = self.held.get(".".join(chain_of(statement.target))), self.node(statement.value, 0)
        if not isinstance(statement.op, ast.Mult) or not isinstance(old, Scalar) or not isinstance(factor, Scalar):
            return None
        if not (is_digits(old.text) and is_digits(factor.text) and len(old.text) + len(factor.text) < 20):
            return None
        return replace(old, text=str(int(old.text) * int(factor.text)))

    def _assign(self, target: ast.expr, value: Node) -> None:
        chain = chain_of(target)
        if len(chain) == 1:
            self.held[chain[0]] = value
        elif chain and isinstance(whole := self.held.get(chain[0]), Mapping):
            if len(whole.entries) > limits.BUILDER_KEYS.most:
                self.module.source.stop(limits.BUILDER_KEYS, self.module.places.span(target).start)
            else:
                self.held[chain[0]] = _set(whole, chain[1:], value)

    def node(self, node: ast.expr, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            return self._symbolic(node)
        if isinstance(node, ast.Name) and node.id in self.held:
            return self.held[node.id]
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, (ast.List, ast.Tuple)):
            return Sequence(tuple(self.node(item, depth + 1) for item in node.elts), self.module.places.span(node))
        return self._literal(node) or self._symbolic(node)

    def _call(self, call: ast.Call, depth: int) -> Node:
        chain = chain_of(call.func)
        name = ".".join((self.module.imports.get(chain[0], chain[0]), *chain[1:])) if chain else "?"
        if len(chain) == 1 and chain[0] in self.module.functions and not call.args and not call.keywords:
            return self.module.built(chain[0]) or self._symbolic(call)
        return Mapping(tuple(self._arguments(call, depth)), self.module.places.span(call), tag=name)

    def _arguments(self, call: ast.Call, depth: int) -> Iterator[Entry]:
        span = self.module.places.span
        for number, argument in enumerate(call.args):
            yield Entry(Scalar(str(number), span(argument)), self.node(argument, depth + 1))
        for keyword in call.keywords:
            yield Entry(Scalar(keyword.arg or "**", span(keyword)), self.node(keyword.value, depth + 1))

    def _literal(self, node: ast.expr) -> Scalar | None:
        span = self.module.places.span(node)
        number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
        if not isinstance(number, ast.Constant):
            return None
        if isinstance(number.value, str) and number is node:
            return Scalar(number.value, span, Style.QUOTED)
        if number.value is None or isinstance(number.value, (bool, int, float)):
            return Scalar("".join(self.module.text[span.start : span.end].split()), span)
        return None

    def _symbolic(self, node: ast.expr) -> Scalar:
        span = self.module.places.span(node)
        return Scalar(f"<{' '.join(self.module.text[span.start : min(span.end, span.start + 60)].split())}>", span)


class _Top(_Body):
    """A module's statements."""

    def node(self, node: ast.expr, depth: int) -> Node:
        chain = chain_of(node)
        if chain and chain[0] in self.module.imports and chain[0] not in self.held:
            qualified = ".".join((self.module.imports[chain[0]], *chain[1:]))
            return Scalar(qualified, self.module.places.span(node), Style.QUOTED)
        if isinstance(node, ast.Call) and chain_of(node.func) != ("dict",):
            return self._symbolic(node)
        if chain[:1] == ("torch",):
            return Scalar(".".join(chain), self.module.places.span(node), Style.QUOTED)
        return super().node(node, depth)


def _targets(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a branch or a loop may assign."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Assign):
            yield from node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            yield node.target


def _set(node: Node, path: tuple[str, ...], value: Node) -> Node:
    """The tree with another value at this path."""
    if not path or not isinstance(node, Mapping):
        return value if not path else node
    entry = node.entry(path[0])
    inner: Node = entry.value if entry is not None else Mapping((), value.span)
    changed = Entry(entry.key if entry is not None else Scalar(path[0], value.span), _set(inner, path[1:], value))
    return replace(node, entries=(*(one for one in node.entries if one.key.text != path[0]), changed))
