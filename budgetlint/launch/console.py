"""Console scripts of a project: the names under which an installation starts functions of it.

Sources: PyPA specifications ``pyproject-toml`` ([project.scripts], [project.gui-scripts]), ``entry-points`` (``module:object``); Poetry 1.8
``[tool.poetry.scripts]``; setuptools 80 ``entry_points`` of ``setup.cfg`` and ``setup.py``.
"""

from __future__ import annotations

import ast
import configparser
import posixpath
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from budgetlint.base.expression import expression
from budgetlint.base.folders import folders_above
from budgetlint.base.source import SourceFile
from budgetlint.documents.shell_words import Word

FACT = "console scripts"
"""Of a script's source: by name, the ``module:function`` that an installation of the project starts."""
FILES = ("pyproject.toml", "setup.cfg", "setup.py")
MOST = 64
"""Names of one project."""
LONGEST = 100_000
_TARGET = expression(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*:\s*([A-Za-z_]\w*)\s*(?:\[[^]]*\])?")
_NAME = expression(r"[A-Za-z0-9][\w.-]*")


def scripts_in(source: SourceFile) -> dict[str, str]:
    """What one file declares; nothing where it is not plain."""
    if len(source.text) > LONGEST or not any(word in source.text for word in ("scripts", "entry")):
        return {}
    name = posixpath.basename(source.path)
    pairs = {"pyproject.toml": _of_pyproject, "setup.cfg": _of_cfg, "setup.py": _of_setup}[name](source.text)
    found: dict[str, str] = {}
    for script, target in pairs:
        match = _TARGET.fullmatch(target.strip()) if isinstance(target, str) else None
        if match is not None and _NAME.fullmatch(script.strip()) and len(found) < MOST:
            found[script.strip()] = f"{match[1]}:{match[2]}"
    return found


def _of_pyproject(text: str) -> Iterator[tuple[str, Any]]:
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    for path in (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts")):
        at: Any = table
        for part in path:
            at = at.get(part) if isinstance(at, dict) else None
        if isinstance(at, dict):
            yield from at.items()


def _of_cfg(text: str) -> Iterator[tuple[str, str]]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for name in ("console_scripts", "gui_scripts"):
        yield from _pairs(parser.get("options.entry_points", name, fallback="").splitlines())


def _of_setup(text: str) -> Iterator[tuple[str, str]]:
    """``setup(entry_points={"console_scripts": ["name=module:function"]})``, where it is written out."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in ("console_scripts", "gui_scripts") and isinstance(value, ast.List):
                    yield from _pairs(one.value for one in value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, equals, target = line.partition("=")
        if equals:
            yield name, target


def beside(path: str, read: Callable[[str], SourceFile | None], known: dict[str, dict[str, str]]) -> dict[str, str]:
    """The console scripts that are declared in the folder of a file and in those above it; the nearest counts."""
    folder, below = posixpath.dirname(path), list[str]()
    held: dict[str, str] = {}
    for one in (folder, *folders_above(folder)):
        if one in known:
            held = known[one]
            break
        below.append(one)
        if one == ".." or one.endswith("/.."):
            break
    for one in reversed(below):
        mine: dict[str, str] = {}
        for name in FILES:
            source = read(posixpath.join(one, name))
            mine = {**(scripts_in(source) if source is not None else {}), **mine}
        known[one] = held = {**held, **mine}
    return held


def named_in(words: Sequence[Word], scripts: Mapping[str, str], wrappers: frozenset[str]) -> int | None:
    """Where a command names a console script: its first word, or behind wrappers and their options."""
    for at, word in enumerate(words):
        if word.is_told and word.text.rpartition("/")[2] in scripts:
            return at if at == 0 or words[0].text.rpartition("/")[2] in wrappers else None
    return None
