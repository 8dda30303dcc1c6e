"""Names in the syntax trees of a framework's modules: fields of classes, parameters of functions, keys that code asks for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

Classes = dict[str, ast.ClassDef]
KEY = re.compile(r"[a-z][a-z0-9_]*")


def classes(trees: Iterable[ast.Module]) -> Classes:
    return {node.name: node for node in all_classes(trees)}


def all_classes(trees: Iterable[ast.Module]) -> Iterator[ast.ClassDef]:
    """Every class, those of one name too."""
    return (node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))


def fields(node: ast.ClassDef, aliases: bool = False) -> set[str]:
    """The annotated names of a class body, and the aliases of its pydantic fields."""
    names: set[str] = set()
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith("_"):
            names.add(item.target.id)
            if aliases and isinstance(item.value, ast.Call):
                names |= {str(k.value.value) for k in item.value.keywords if k.arg == "alias" and isinstance(k.value, ast.Constant)}
    return names


def of(classes_: Classes, *names: str) -> set[str]:
    return {key for name in names if name in classes_ for key in fields(classes_[name], aliases=True)}


def parameters(tree: ast.Module, function: str) -> set[str]:
    """The names of a function's parameters."""
    return {
        argument.arg
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == function
        for argument in (*node.args.args, *node.args.kwonlyargs)
    }


def asked_keys(trees: dict[str, ast.Module]) -> set[str]:
    """Names that code asks a configuration for: ``data.get("noisy_embedding_alpha")``, ``cfg.name``."""
    names = {name for tree in trees.values() for node in ast.walk(tree) for name in asked_by(node)}
    return {name for name in names if KEY.fullmatch(name)}


def asked_by(node: ast.AST) -> Iterator[str]:
    """``cfg.x``, ``self.cfg.x``, ``data.get("x")`` and ``data.pop("x")``."""
    if isinstance(node, ast.Attribute):
        owner = node.value
        if "cfg" in (getattr(owner, "id", ""), getattr(owner, "attr", "")):
            yield node.attr
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
        yield from (arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
