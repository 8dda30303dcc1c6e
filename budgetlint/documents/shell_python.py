"""Files that a short Python text inside of a script writes: ``json.dump(config, open("ds.json", "w"))``. Read, never run.

Only what is plain is told: literals, and names that are given one once. Anything else that is opened for writing is a file that nobody
knows. Sources: CPython 3.13 ``json``, ``open``; PyYAML 6 ``dump``.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator

LONGEST = 20_000
"""Characters of a text that is read."""
_DUMPS = ("json.dumps", "yaml.dump", "yaml.safe_dump")
_DUMP = ("json.dump", "yaml.dump", "yaml.safe_dump")


def files_of(text: str) -> Iterator[tuple[str, str | None]]:
    """Each file that is written, and its text as JSON; None where that is not known."""
    if len(text) > LONGEST or ("open" not in text and "write" not in text):
        return
    try:
        tree = ast.parse(text)
        yield from list(_Written(tree).files())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


class _Written:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.names: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(tree):
            for target in _targets(node):
                value = node.value if isinstance(node, ast.Assign) and node in tree.body and isinstance(target, ast.Name) else None
                base = target
                while isinstance(base, (ast.Subscript, ast.Attribute)):
                    base = base.value
                if isinstance(base, ast.Name):
                    self.names.setdefault(base.id, []).append(value)
        self.opened: dict[str, str] = {}

    def files(self) -> Iterator[tuple[str, str | None]]:
        told: dict[str, str | None] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.With):
                self._enters(node)
        certain = {id(inner) for one in self.tree.body if isinstance(one, (ast.Expr, ast.With)) for inner in ast.walk(one)}
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Call):
                continue
            path, text = self._writes(node)
            if path is not None:
                told[path] = text if path not in told and id(node) in certain else None
        opened = [path for node in ast.walk(self.tree) if isinstance(node, ast.Call) and (path := self._path(node)) is not None]
        for path in dict.fromkeys((*told, *opened)):
            yield path, told.get(path) if opened.count(path) < 2 else None

    def _enters(self, node: ast.With) -> None:
        for item in node.items:
            path = self._path(item.context_expr)
            if path is not None and isinstance(item.optional_vars, ast.Name):
                self.opened[item.optional_vars.id] = path

    def _path(self, node: ast.expr) -> str | None:
        """``open("ds.json", "w")``"""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open" and node.args):
            return None
        mode = node.args[1] if len(node.args) > 1 else next((one.value for one in node.keywords if one.arg == "mode"), None)
        writes = isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) & set("wax+")
        path = self._value(node.args[0]) if writes else None
        return path if isinstance(path, str) else None

    def _writes(self, node: ast.Call) -> tuple[str | None, str | None]:
        name = ast.unparse(node.func) if isinstance(node.func, ast.Attribute) else ""
        if name in _DUMP and len(node.args) > 1:
            to = node.args[1]
            path = self.opened.get(to.id) if isinstance(to, ast.Name) else self._path(to)
            return path, self._text(node.args[0])
        if name.endswith(".write") and len(node.args) == 1 and isinstance(node.func, ast.Attribute):
            to = node.func.value
            path = self.opened.get(to.id) if isinstance(to, ast.Name) else self._path(to)
            return path, self._written(node.args[0])
        if name.endswith(".write_text") and node.args and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
            made = node.func.value
            named = self._value(made.args[0]) if ast.unparse(made.func).endswith("Path") and len(made.args) == 1 else None
            return (named if isinstance(named, str) else None), self._written(node.args[0])
        return None, None

    def _written(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute) and ast.unparse(node.func) in _DUMPS:
            return self._text(node.args[0])
        value = self._value(node)
        return value if isinstance(value, str) else None

    def _text(self, node: ast.expr) -> str | None:
        value = self._value(node)
        if not isinstance(value, (dict, list)):
            return None
        try:
            return json.dumps(value)
        except (TypeError, ValueError):
            return None

    def _value(self, node: ast.expr) -> object:
        if isinstance(node, ast.Name):
            given = self.names.get(node.id, [])
            is_handed = sum(
                isinstance(one, ast.Name) and one.id == node.id and isinstance(one.ctx, ast.Load) for one in ast.walk(self.tree)
            )
            only = given[0] if len(given) == 1 else None
            if only is None or is_handed > 1:
                return None  # something else may have changed it
            node = only
        try:
            value: object = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
        return value


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
        return [node.target]
    return []
