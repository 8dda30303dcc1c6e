"""The shape of the code, counted: ``python benchmarks/house.py [--against REV] [--list]``.

Modules loose at the top of ``budgetlint/``; circles of imports between modules and between packages, with and without those inside
functions and under ``TYPE_CHECKING``, and those that no comment explains; tables keyed by model families; comparisons of a family, or of
whose model code runs, in ``memory/``; class names that are defined twice; names that no product module uses (`unused.py`); and the files
outside its own folder that name an architecture, a framework, a rule. ``--against REV`` counts a revision as well, read from an archive
of it; ``--list`` says where.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unused import FUNCTIONS, PACKAGES, Module, modules_of, unused

ROOT = Path(__file__).resolve().parents[1]
TOP, LAZY, TYPING = "module level", "lazy", "typing"
KINDS = ((TOP,), (TOP, LAZY), (TOP, LAZY, TYPING))
EXAMPLES = (
    ("an architecture (gemma2)", "gemma2", ""),
    ("an architecture (gpt_oss)", "gpt_oss", ""),
    ("a reader (litgpt)", "litgpt", "readers/litgpt/"),
    ("a reader (torchtune)", "torchtune", "readers/torchtune/"),
    ("a rule (tight-fit)", "tight_fit", ""),
)
"""What is named, its name, its own folder."""
REASON = 4
"""Words of a comment that can be one."""
FOLDERS = {package: folder for folder, package in PACKAGES.items()}
COMPARED = ("model_code", "family")
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where a statement holds others, and what holds them."""

Counted = dict[str, list[str]]
Edges = Mapping[str, set[tuple[str, str]]]


# -- imports -----------------------------------------------------------------------------------------------------------


def edges(modules: Mapping[str, Module], tree: Path | None = None) -> Edges:
    """Imports between modules of the package, by kind. What imports something from a package that is a module imports the module.
    With the ``tree`` that they were read from: without those inside functions and for types that a comment gives a reason for."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for module in modules.values():
        lines = [] if tree is None else path_of(tree, module).read_text(encoding="utf-8").splitlines()
        for kind, node in _imports(module.tree.body, TOP):
            if kind == TOP or not has_reason(lines, node):
                found[kind].update((module.name, target) for target in _targets(node, modules) if target != module.name)
    return found


def path_of(tree: Path, module: Module) -> Path:
    top, *inner = module.name.split(".")
    path = tree.joinpath(FOLDERS[top], *inner)
    return path / "__init__.py" if module.is_package else path.with_suffix(".py")


def has_reason(lines: Sequence[str], node: ast.stmt) -> bool:
    """Does a comment of some words stand on the import or right above it?"""
    about = [
        *lines[node.lineno - 1 : node.end_lineno],
        *(line for line in lines[max(node.lineno - 2, 0) : node.lineno - 1] if line.lstrip().startswith("#")),
    ]
    return any(len(line.partition("#")[2].split()) >= REASON and "noqa" not in line for line in about)


def _imports(body: Iterable[ast.AST], kind: str) -> Iterator[tuple[str, ast.Import | ast.ImportFrom]]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield kind, node
        elif isinstance(node, ast.If) and any(_called(one) == "TYPE_CHECKING" for one in ast.walk(node.test)):
            yield from _imports(node.body, TYPING)
            yield from _imports(node.orelse, kind)
        else:  # statements alone: no expression holds an import
            inner = (one for part in BODIES for one in getattr(node, part, ()))
            yield from _imports(inner, LAZY if isinstance(node, FUNCTIONS) else kind)


def _targets(node: ast.Import | ast.ImportFrom, modules: Mapping[str, Module]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules)
    elif node.module in modules:
        yield from (inner if (inner := f"{node.module}.{alias.name}") in modules else node.module for alias in node.names)


def circles(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Strongly connected groups of more than one, by Tarjan's algorithm, sorted."""
    graph: dict[str, list[str]] = defaultdict(list)
    for one, other in sorted(pairs):
        graph[one].append(other)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in list(graph):
        if node not in index:
            visit(node)
    return sorted(group for group in found if len(group) > 1)


def room(name: str) -> str:
    """The package below ``budgetlint`` that a module is in; a loose module is its own."""
    return ".".join(name.split(".")[:2])


def circles_of_modules(found: Edges, kinds: Iterable[str]) -> list[str]:
    return [" ".join(group) for group in circles(_pairs(found, kinds))]


def circles_of_packages(found: Edges, kinds: Iterable[str]) -> list[str]:
    rooms = {(room(one), room(other)) for one, other in _pairs(found, kinds) if room(one) != room(other)}
    return [" ".join(group) for group in circles(rooms)]


def _pairs(found: Edges, kinds: Iterable[str]) -> set[tuple[str, str]]:
    return {pair for kind in kinds for pair in found.get(kind, ()) if all(name.startswith("budgetlint.") for name in pair)}


def _circles(modules: Mapping[str, Module], tree: Path) -> Iterator[tuple[str, list[str]]]:
    found = edges(modules)
    for kinds in KINDS:
        yield f"circles of modules: {' + '.join(kinds)}", circles_of_modules(found, kinds)
        yield f"circles of packages: {' + '.join(kinds)}", circles_of_packages(found, kinds)
    yield "circles of modules that no comment explains", circles_of_modules(edges(modules, tree), KINDS[-1])


# -- tables and comparisons --------------------------------------------------------------------------------------------


def families(tree: Path) -> frozenset[str]:
    """Names of families: what the models of the catalog say theirs is."""
    rows = json.loads((tree / "budgetlint" / "catalog" / "models.json").read_text(encoding="utf-8"))["models"]
    return frozenset(row["family"] for row in rows if "family" in row)


def family_tables(modules: Mapping[str, Module], known: frozenset[str]) -> list[str]:
    """Literals with keys, or members, of which two and at least half are names of families: the outermost only."""
    return [f"{module.name}:{line}" for module in modules.values() for line in _tables(module.tree, known)]


def _tables(node: ast.AST, known: frozenset[str]) -> Iterator[int]:
    keys = _keys(node)
    named = [key for key in keys if key in known]
    if len(set(named)) >= 2 and 2 * len(named) >= len(keys):
        yield getattr(node, "lineno", 0)
        return
    for inner in ast.iter_child_nodes(node):
        yield from _tables(inner, known)


def _keys(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Dict):
        parts: Sequence[ast.AST | None] = node.keys
    elif isinstance(node, ast.Set | ast.List | ast.Tuple):
        parts = node.elts
    elif isinstance(node, ast.Match):
        parts = [one for case in node.cases for one in ast.walk(case.pattern)]
    else:
        return []
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def comparisons(modules: Mapping[str, Module], word: str) -> list[str]:
    """``x.word == …``, ``x.word in …`` and their like in ``memory/``."""
    return [
        f"{module.name}:{node.lineno}"
        for module in modules.values() if module.name.startswith("budgetlint.memory")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Compare) and any(_called(side) == word for side in (node.left, *node.comparators))
    ]  # fmt: skip


def _called(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def twice_defined(modules: Mapping[str, Module]) -> list[str]:
    found: dict[str, list[str]] = defaultdict(list)
    for module in modules.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and module.name.startswith("budgetlint."):
                found[node.name].append(module.name)
    return [f"{name}: {' '.join(places)}" for name, places in sorted(found.items()) if len(places) > 1]


# -- files that name something -----------------------------------------------------------------------------------------


def naming(tree: Path, word: str, own: str) -> list[str]:
    """Files of the product outside its own folder that name ``word``: where another of its kind would have to be thought of."""
    wanted = re.compile(rf"(?<![A-Za-z0-9]){re.escape(word).replace('_', '[_-]?')}(?![A-Za-z0-9])", re.IGNORECASE)
    places = [path for folder in ("budgetlint", "rules") for path in sorted((tree / folder).rglob("*.py"))]
    return [
        str(path.relative_to(tree))
        for path in places
        if not (own and own in path.as_posix()) and path.stem != word and _in_code(path, wanted)
    ]


def _in_code(path: Path, wanted: re.Pattern[str]) -> bool:
    """Is it named by the code itself? What docstrings and comments say touches nothing."""
    text = path.read_text(encoding="utf-8")
    if not wanted.search(text):
        return False
    return any(wanted.search(word) for word in _words(ast.parse(text)))


def _words(node: ast.AST) -> Iterator[str]:
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            continue
        yield from (text for name in ("id", "attr", "name", "module", "arg", "value") if isinstance(text := getattr(one, name, None), str))
        yield from _words(one)


# -- the count ---------------------------------------------------------------------------------------------------------


def count(tree: Path) -> Counted:
    modules = modules_of(tree)
    loose = [name for name, module in modules.items() if name.startswith("budgetlint.") and name.count(".") == 1 and not module.is_package]
    found: Counted = {"modules at the top": loose}
    found |= dict(_circles(modules, tree))
    found["tables keyed by family"] = family_tables(modules, families(tree))
    found |= {f"comparisons of {word} in memory/": comparisons(modules, word) for word in COMPARED}
    found["classes defined twice or more"] = twice_defined(modules)
    found["names that no product module uses"] = unused(tree)
    found |= {f"files that name {said}": naming(tree, word, own) for said, word, own in EXAMPLES}
    return found


def count_revision(revision: str) -> Counted:
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", revision, "budgetlint", "rules"], check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
        return count(Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REV", help="a revision to count beside the tree as it is")
    parser.add_argument("--list", action="store_true", help="say where each counted thing stands")
    asked = parser.parse_args()
    columns = [("before", count_revision(asked.against))] if asked.against else []
    columns.append(("now", count(ROOT)))
    print(f"{'':<52}" + "".join(f"{title:>8}" for title, _ in columns))
    for name in columns[-1][1]:
        print(f"{name:<52}" + "".join(f"{len(found.get(name, ())):>8}" for _, found in columns))
        print(*(f"    {one}" for one in columns[-1][1][name] if asked.list), sep="\n", end="\n" if asked.list else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
