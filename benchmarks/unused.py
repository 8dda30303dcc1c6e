"""Names of ``budgetlint/`` and ``rules/`` that no module of theirs uses: ``python benchmarks/unused.py [TREE]``.

A function, class or constant of a module is used where its own module names it elsewhere, another imports it from there (or from a
package that passes it on, and is itself asked for it), takes it as an attribute of something called like the module, or names both it and
the module in texts (lazy tables). A method or a field is used where anything of its name is read from anything: what is
called by that name elsewhere hides it, so the census finds too little rather than too much. Tests, benchmarks and documentation use
nothing.

Not asked: dunder names; methods and fields of classes whose base lies elsewhere (lark, pydantic, argparse, torch), of enumerations, named
tuples and protocols: somebody else calls, counts or unpacks them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

PACKAGES = {"budgetlint": "budgetlint", "rules": "budgetlint_rules"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
CHOSEN_BY_NAME = (
    "budgetlint.commands.*.HELP", "budgetlint.commands.*.EPILOG", "budgetlint.commands.*.configure", "budgetlint.commands.*.run",
    "budgetlint.lsp.*.answer", "budgetlint.report.*.render", "budgetlint.readers.*.reader.READER", "budgetlint.readers.*.reader.READERS",
    "budgetlint.readers.*.manifest.MANIFEST", "budgetlint.readers.*.schema.SCHEMA",
    "budgetlint.language.grammar._Builder.*", "budgetlint_rules.*.RULE", "budgetlint_rules.RULES", "budgetlint.catalog.families.*.FAMILY",
)  # fmt: skip
"""What modules have in common that are imported by a name made at run time (a command, a request, a format, a reader, a rule, a model
family), and what lark calls by the names of the grammar's rules."""
FOREIGN = frozenset({"Enum", "NamedTuple", "Protocol", "TypedDict", "BaseModel"})
_PATH = re.compile(r"[\w.]*[.:]?\w+")
"""A text that can name a module, or something of one."""


@dataclass
class Module:
    name: str
    tree: ast.Module
    is_package: bool
    names: dict[str, list[ast.AST]] = field(default_factory=lambda: defaultdict(list))
    aliases: dict[str, str] = field(default_factory=dict)


@dataclass
class Census:
    """``asked``: names that are imported from a module; ``passed_on``: of a package's own imports, whence each comes; ``texts``: by the
    last word of a text, the modules that have it."""

    modules: dict[str, Module]
    asked: set[tuple[str, str]] = field(default_factory=set)
    passed_on: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    attributes: set[str] = field(default_factory=set)
    owned: set[tuple[str, str]] = field(default_factory=set)
    texts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def modules_of(tree: Path) -> dict[str, Module]:
    found = {}
    for folder, package in PACKAGES.items():
        for path in sorted((tree / folder).rglob("*.py")):
            parts = [package, *path.relative_to(tree / folder).with_suffix("").parts]
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            found[name] = Module(name, ast.parse(path.read_text(encoding="utf-8")), is_package)
    return found


def census(tree: Path) -> Census:
    found = Census(modules_of(tree))
    for module in found.modules.values():
        found.classes |= {node.name: node for node in module.tree.body if isinstance(node, ast.ClassDef)}
        for node in ast.walk(module.tree):
            _look(found, module, node)
    grown = True
    while grown:  # what a package passes on is asked for where the package is
        more = {origin for place, origin in found.passed_on.items() if place in found.asked}
        grown = not more <= found.asked
        found.asked |= more
    return found


def _look(found: Census, module: Module, node: ast.AST) -> None:
    if isinstance(node, ast.ImportFrom):
        origin = _origin(module, node)
        for alias in node.names:
            if module.is_package:
                found.passed_on[module.name, alias.asname or alias.name] = (origin, alias.name)
            else:
                found.asked.add((origin, alias.name))
            if alias.asname:
                module.aliases[alias.asname] = alias.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        module.names[node.id].append(node)
        if module.is_package and (module.name, node.id) in found.passed_on:
            found.asked.add((module.name, node.id))
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        found.attributes.add(node.attr)
        owner = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
        found.owned |= {(owner, node.attr), (module.aliases.get(owner, owner), node.attr)}
    elif isinstance(node, ast.MatchClass):
        found.attributes.update(node.kwd_attrs)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _PATH.fullmatch(node.value):
        for word in re.split(r"[.:]", node.value):
            found.texts[word].add(module.name)


def _origin(module: Module, node: ast.ImportFrom) -> str:
    """The module that is imported from, dots resolved."""
    above = module.name.split(".")[: len(module.name.split(".")) - node.level + module.is_package] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])


# -- what is defined ---------------------------------------------------------------------------------------------------


def unused(tree: Path) -> list[str]:
    """``module.name`` and ``module.Class.name`` of what nobody uses, sorted."""
    found = census(tree)
    names = (name for module in found.modules.values() for name in _of_module(found, module))
    return sorted(name for name in names if not any(fnmatchcase(name, pattern) for pattern in CHOSEN_BY_NAME))


def _of_module(found: Census, module: Module) -> Iterator[str]:
    for node in module.tree.body:
        for name in _defined(node):
            if not _is_dunder(name) and not _is_used(found, module, name, node):
                yield f"{module.name}.{name}"
        if isinstance(node, ast.ClassDef) and not _is_foreign(found, node):
            yield from (f"{module.name}.{node.name}.{name}" for name in _members(node) if name not in found.attributes)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    flat = [one for target in targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [one.id for one in flat if isinstance(one, ast.Name)]


def _is_used(found: Census, module: Module, name: str, node: ast.stmt) -> bool:
    within = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    own = any(use.lineno not in within for use in module.names.get(name, ()) if isinstance(use, ast.Name))
    last = module.name.rpartition(".")[2]
    taken = (module.name, name) in found.asked or (last, name) in found.owned or found.texts.get(name, set()) & found.texts.get(last, set())
    return own or bool(taken) or _is_registered(node)


def _is_registered(node: ast.stmt) -> bool:
    return isinstance(node, (*FUNCTIONS, ast.ClassDef)) and any(isinstance(one, ast.Call) for one in node.decorator_list)


def _members(node: ast.ClassDef) -> Iterator[str]:
    for one in node.body:
        names = [one.name] if isinstance(one, FUNCTIONS) else _defined(one)
        yield from (name for name in names if not _is_dunder(name))


def _is_foreign(found: Census, node: ast.ClassDef) -> bool:
    """Is a base of the class, or of one of its bases here, defined elsewhere?"""
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    names = {base.id if isinstance(base, ast.Name) else base.attr for base in bases if isinstance(base, ast.Name | ast.Attribute)}
    if not names:
        return bool(bases)
    own = found.classes
    return bool(names & FOREIGN) or any(name not in own or _is_foreign(found, own[name]) for name in names - {"Generic"})


def main(arguments: list[str]) -> int:
    tree = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    print("\n".join(unused(tree)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
