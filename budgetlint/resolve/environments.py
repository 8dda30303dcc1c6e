"""Requirements of projects that have neither a requirements file nor a pyproject: conda's environment, ``setup.py``, ``setup.cfg``.

Each gives the texts of requirements as pip writes them, with the place of each. Nothing is executed: ``setup.py`` is read as a syntax tree.
Sources: conda 25 ``conda env`` (``dependencies``, ``pip:`` below; ``name=1.2`` is ``1.2.*`` there), setuptools 75 ``install_requires``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.source import SourceFile

if TYPE_CHECKING:  # imported where a setup.py is read
    import ast

_CONDA = expression(r"([A-Za-z0-9_.-]+)\s*=\s*(\d[\w.]*)(?:=\S*)?")
_NAMED = {"pytorch": "torch"}
"""What conda calls otherwise than pip."""
_KEYWORDS = (
    "install_requires",
    "requirements",
    "requires",
    "install_requirements",
    "REQUIRED",
    "REQUIREMENTS",
    "INSTALL_REQUIRES",
    "_deps",
    "deps",
)


def of_conda(source: SourceFile) -> Iterator[str]:
    """``dependencies`` of an environment.yml, and those below its ``pip:``; as the file has them, line by line."""
    inside = False
    for line in source.text.splitlines():
        text = line.split(" #")[0].strip()
        if text and not line[0].isspace() and not text.startswith(("-", "#")):
            inside = text.startswith("dependencies:")
        elif inside and text.startswith("-"):
            yield as_pip(text.removeprefix("-").strip().strip("\"'"))


def as_pip(text: str) -> str:
    """``pytorch=2.1`` and ``conda-forge::transformers=4.32.0=pyhd8ed1ab_0``."""
    bare = text.rpartition("::")[2]
    found = _CONDA.fullmatch(bare)
    if found is None or "==" in bare:
        return bare
    version = found[2]
    return f"{_NAMED.get(found[1].lower(), found[1])}=={version}{'' if version.count('.') >= 2 else '.*'}"


def of_setup_cfg(source: SourceFile) -> Iterator[str]:
    """The lines of ``install_requires`` in ``[options]``."""
    section, inside = "", False
    for line in source.text.splitlines():
        text = line.strip()
        if text.startswith("["):
            section, inside = text, False
        elif line[:1].isspace() and inside and not text.startswith("#"):
            yield text
        else:
            key, equals, rest = text.partition("=")
            inside = section == "[options]" and bool(equals) and key.strip() == "install_requires"
            if inside and rest.strip():
                yield rest.strip()


def of_setup_py(source: SourceFile) -> Iterator[str]:
    """Texts in the list that ``install_requires`` is given, or that a name of that kind is assigned."""
    import ast

    try:
        tree = ast.parse(source.text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        for value in _lists(node):
            for item in value.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield item.value


def _lists(node: object) -> Iterator[ast.List | ast.Tuple]:
    import ast

    if isinstance(node, ast.keyword) and node.arg == "install_requires" and isinstance(node.value, (ast.List, ast.Tuple)):
        yield node.value
    if isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Tuple)) and _is_requirements(node):
        yield node.value


def _is_requirements(node: ast.Assign) -> bool:
    return any(getattr(target, "id", "") in _KEYWORDS for target in node.targets)
