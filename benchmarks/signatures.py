"""Writes the tables of `budgetlint.contracts.signature`: what the constructors of a package's classes take, release by release.

    pip download --no-deps transformers==5.24.0 trl==1.16.0 peft==0.21.2 ...
    cd benchmarks && python -m signatures *.whl

All wheels of a package are read together: its table is written anew. Nothing is imported. A class counts with its dataclass fields or the
parameters of its ``__init__``, its own or a base's, and the old names that a decorator still takes (`DEPRECATING`). Where it takes
``**kwargs``, or a decorator is not known, it is open, and nothing is said of it.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from generate_keys import identity, members
from packaging.version import Version

from budgetlint.base.record import open_record, record

TARGET = Path(__file__).parents[1] / "budgetlint" / "contracts" / "signatures"
WANTED = {
    "transformers": ("TrainingArguments", "Seq2SeqTrainingArguments", "Trainer", "Seq2SeqTrainer"),
    "trl": ("Config", "Trainer"),  # endings
    "peft": ("Config",),
}
FOLDERS = {"transformers": ("transformers/train", "transformers/generation/"), "trl": ("trl/",), "peft": ("peft/",)}
"""Where the classes are, with their bases: the rest of transformers is large."""
ABOVE = {
    "TrainingArguments": "transformers",
    "Seq2SeqTrainingArguments": "transformers",
    "Trainer": "transformers",
    "Seq2SeqTrainer": "transformers",
    "GenerationConfig": "transformers",
}
"""Classes of other packages that these inherit from."""
DEPRECATING = ("deprecate_kwarg", "_deprecate_arguments")
"""Decorators of transformers (`utils/deprecation.py`) and TRL (huggingface_hub's): the old names are taken with a warning."""
HARMLESS = ("dataclass", "add_start_docstrings", "requires", "wraps", "auto_docstring")


@record
class Taken:
    """What a constructor takes by name. ``above`` is the class of another package whose constructor it is, or whose fields it adds to."""

    names: frozenset[str]
    above: str = ""
    open: bool = False


@open_record
class Package:
    """The classes of one wheel."""

    trees: Mapping[str, ast.Module]

    @cached_property
    def classes(self) -> dict[tuple[str, str], ast.ClassDef]:
        return {(module, node.name): node for module, tree in self.trees.items() for node in tree.body if isinstance(node, ast.ClassDef)}

    @cached_property
    def imported(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Names of a module that stand for another's."""
        found: dict[tuple[str, str], tuple[str, str]] = {}
        for module, tree in self.trees.items():
            parts = module.removesuffix(".py").split("/")
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom):
                    base = parts[: -node.level] if node.level else []
                    path = "/".join((*base, *(node.module or "").split("."))) + ".py"
                    found |= {(module, one.asname or one.name): (path.replace("/.py", "/__init__.py"), one.name) for one in node.names}
        return found

    def taken(self, module: str, name: str) -> Taken | None:
        """None where the class is not of this package's read part."""
        node = self.classes.get((module, name))
        if node is None:
            place = self.imported.get((module, name))
            if place is None or place == (module, name):
                return None
            there = place if place in self.classes else (place[0].removesuffix(".py") + "/__init__.py", name)
            return self.taken(*there) if there in self.classes or there in self.imported else None
        inits = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"]
        if inits:
            return parameters(inits[0])
        bases = [self._base(module, base) for base in node.bases]
        own = frozenset(fields(node)) if is_dataclass(node) else frozenset()
        above = "".join(base.above for base in bases[:1] or () if base.above)
        return Taken(own.union(*(base.names for base in bases)), above, any(base.open for base in bases))

    def _base(self, module: str, node: ast.expr) -> Taken:
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        found = self.taken(module, name)
        if found is not None:
            return found
        if name in ABOVE:
            return Taken(frozenset(), f"{ABOVE[name]}.{name}")
        return Taken(frozenset(), open=name not in PLAIN_BASES)


PLAIN_BASES = ("ABC", "object", "PushToHubMixin", "Generic")


def is_dataclass(node: ast.ClassDef) -> bool:
    return any(called(one) == "dataclass" for one in node.decorator_list)


def fields(node: ast.ClassDef) -> Iterator[str]:
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and "ClassVar" not in ast.unparse(item.annotation):
            options = item.value.keywords if isinstance(item.value, ast.Call) and called(item.value) == "field" else []
            if not any(one.arg == "init" and isinstance(one.value, ast.Constant) and one.value.value is False for one in options):
                yield item.target.id


def parameters(node: ast.FunctionDef) -> Taken:
    names = {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)} - {"self"}
    is_open = node.args.kwarg is not None
    for decorator in node.decorator_list:
        if called(decorator) in DEPRECATING and isinstance(decorator, ast.Call):
            names |= {word for word in words(decorator) if word.isidentifier()}
        elif called(decorator) not in HARMLESS:
            is_open = True
    return Taken(frozenset(names), open=is_open)


def called(node: ast.expr) -> str:
    callee = node.func if isinstance(node, ast.Call) else node
    return callee.id if isinstance(callee, ast.Name) else callee.attr if isinstance(callee, ast.Attribute) else ""


def public(package: str, read: Package) -> Iterator[tuple[str, Taken]]:
    """Classes by name; of two that differ (one of them experimental, or hidden) the one that the package's top exports."""
    top = f"{package}/__init__.py"
    exported = {name for (module, name) in read.imported if module == top}.union(words(read.trees[top]) if top in read.trees else ())
    for module, name in read.classes:
        wanted = name in WANTED[package] if package == "transformers" else name.endswith(WANTED[package])
        if wanted and (name in exported or package == "transformers") and "experimental" not in module:
            found = read.taken(module, name)
            if found is not None:
                yield name, found


def words(tree: ast.AST) -> Iterator[str]:
    """Texts that stand in it: the names in ``_import_structure``, the old names that a decorator takes."""
    return (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def read(archive: Path, package: str) -> Package:
    trees = {
        name: ast.parse(text)
        for name, text in members(archive)
        if name.endswith(".py") and (name == f"{package}/__init__.py" or name.startswith(FOLDERS[package]))
    }
    return Package(trees)


def main(archives: Iterable[str]) -> None:
    found: dict[str, dict[Version, dict[str, Taken]]] = {}
    for archive in map(Path, archives):
        package, version = identity(archive)
        found.setdefault(package, {})[Version(version)] = dict(public(package, read(archive, package)))
    TARGET.mkdir(exist_ok=True)
    for package, by_release in found.items():
        text = json.dumps(table(by_release), indent=1) + "\n"
        (TARGET / f"{package}.json").write_text(text, encoding="utf-8")


def table(by_release: Mapping[Version, Mapping[str, Taken]]) -> dict[str, object]:
    """Names by the numbers of the releases that take them: ``"0-11 14-"``; a class is told where it is closed (``"told"``)."""
    ordered = sorted(by_release)
    names = sorted({name for classes in by_release.values() for name in classes})
    classes = {name: of(name, [by_release[version] for version in ordered]) for name in names}
    return {"releases": [str(version) for version in ordered], "classes": classes}


def of(name: str, by_number: list[Mapping[str, Taken]]) -> dict[str, object]:
    each = [classes.get(name) for classes in by_number]
    told = {number: taken for number, taken in enumerate(each) if taken is not None and not taken.open}
    last = len(each) - 1
    groups: dict[str, list[str]] = {}
    for one in sorted({argument for taken in told.values() for argument in taken.names}):
        groups.setdefault(spans([number for number, taken in told.items() if one in taken.names], last), []).append(one)
    above: dict[str, list[int]] = {}
    for number, taken in told.items():
        above.setdefault(taken.above, []).append(number)
    return {
        "told": spans(list(told), last),
        "above": {dotted: spans(numbers, last) for dotted, numbers in above.items() if dotted},
        "names": {span: " ".join(group) for span, group in sorted(groups.items())},
    }


def spans(numbers: list[int], last: int) -> str:
    """``[0, 1, 2, 5]`` as ``0-2 5-5``; one that reaches the newest release stays open at its end."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return " ".join(f"{first}-{end if end < last else ''}" for first, end in found)


if __name__ == "__main__":
    main(sys.argv[1:])
