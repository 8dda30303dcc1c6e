"""The releases of an environment, and what conditions ask of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

from budgetlint.settings.run import Origin, OriginKind, Release, Stack, release

ORIGIN = Origin(OriginKind.FILE)


def stack_of(site: Path) -> Stack:
    """The releases of an environment, as a lock file of it would tell: its own packages before those of the folders it adds."""
    roots = [site, *(Path(one) for path in site.glob("*.pth") for one in path.read_text().split() if Path(one).is_dir())]
    found: dict[str, Release] = {}
    for root in roots:
        for one in root.glob("*.dist-info"):
            name, _, version = one.name.removesuffix(".dist-info").rpartition("-")
            made = release(name.replace("_", "-").lower(), version.partition("+")[0], ORIGIN)
            if made is not None:
                found.setdefault(made.package, made)
    return Stack(found)


def facts(trees: Iterable[ast.expr], stack: Stack) -> Mapping[str, bool]:
    """``env.release accelerate 1.1.0``: the answers to what conditions ask by ``release(package, version)``."""
    calls = (one for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Call) and ast.unparse(one.func) == "release")
    asked = {tuple(each.value for each in one.args if isinstance(each, ast.Constant)) for one in calls}
    answers = {f"env.release {name} {version}": stack.at_least(str(name), str(version)) for name, version in asked}
    return {name: answer for name, answer in answers.items() if answer is not None}
