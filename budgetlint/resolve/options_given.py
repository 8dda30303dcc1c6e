"""Options that a program hands as a whole to code that is not its own, which may ask for any of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_LOOK = frozenset({
    "print", "pprint", "pformat", "info", "warning", "debug", "str", "repr", "Trainer", "Seq2SeqTrainer", "SFTTrainer", "DPOTrainer",
    "GRPOTrainer", "KTOTrainer", "ORPOTrainer", "RewardTrainer",
})  # fmt: skip
"""They print, or are a package's classes, which know nothing of an option of the program's own."""
_PARSES = ("parse_args", "parse_args_into_dataclasses", "parse_args_and_config")


def given_away(trees: Iterable[ast.Module]) -> frozenset[str] | None:
    """The classes of options whose objects are handed on; None where whose they are is not told, and it may be all of them."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    own = {one.name for one in nodes if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    held = _held(nodes)
    found: set[str] = set()
    for one in nodes:
        if not isinstance(one, ast.Call):
            continue
        given = [*one.args, *(keyword.value for keyword in one.keywords)]
        called = one.func.attr if isinstance(one.func, ast.Attribute) else getattr(one.func, "id", "")
        for name in [] if called in own | _LOOK else map(_word, given):
            if name in held or name.endswith("args"):
                found.add(held.get(name, ""))
    return None if "" in found else frozenset(found)


def classes_with(dest: str, trees: Iterable[ast.Module]) -> frozenset[str]:
    """The classes that have a field of this name."""
    return frozenset(
        owner.name
        for tree in trees
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for one in owner.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == dest
    )


def _held(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """What a parser gives, by the name that holds it: the class of ``HfArgumentParser((A, B))``, empty for all options at once."""
    nodes = list(nodes)
    parsers = [one.args[0] for one in nodes if isinstance(one, ast.Call) and one.args and _name(one.func) == "HfArgumentParser"]
    first = parsers[0] if len(parsers) == 1 else None
    classes = [_word(one) for one in first.elts] if isinstance(first, ast.Tuple | ast.List) else []
    found: dict[str, str] = {}
    for one in nodes:
        if not isinstance(one, ast.Assign) or not _parses(one.value):
            continue
        target = one.targets[0]
        names = [_word(part) for part in target.elts] if isinstance(target, ast.Tuple) else []
        if names and len(names) == len(classes):
            for name, cls in zip(names, classes, strict=True):
                found[name] = cls if found.get(name, cls) == cls else ""
        else:
            found |= {part.id: "" for part in ast.walk(target) if isinstance(part, ast.Name)}
    return found


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _word(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _parses(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PARSES
