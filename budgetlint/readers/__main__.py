"""``python -m budgetlint.readers``: writes `budgetlint.frameworks._index`, the manifests of the built-in readers in one module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from budgetlint.base.record import fields
from budgetlint.frameworks.manifest import Manifest

HERE = Path(__file__).parent
INDEX = HERE.parent / "frameworks" / "_index.py"
LINE = 200
"""Characters: a program or a package stands on one line, as a rule does in its index."""
HEAD = '''"""The manifests of the built-in readers. Written by ``python -m budgetlint.readers``; a test compares it with them."""

from __future__ import annotations

from budgetlint.frameworks.manifest import Format, Idle, Manifest, Package, Patch, Program, Tool, made

# fmt: off
# ruff: noqa: E501
'''


def manifests() -> tuple[Manifest, ...]:
    """Of every folder of a reader, in the order of their names."""
    folders = sorted(path.parent.name for path in HERE.glob("*/manifest.py"))
    return tuple(import_module(f"budgetlint.readers.{name}.manifest").MANIFEST for name in folders)


def index_text() -> str:
    return f"{HEAD}MANIFESTS: tuple[Manifest, ...] = {written(manifests())}\n"


def written(value: object, indent: str = "") -> str:
    """A manifest as Python that makes it again, without what is the default."""
    inner = indent + "    "
    if hasattr(value, "__record__"):
        given = [f"{name}={written(one, inner)}" for name, one in _said(value)]
        flat = ", ".join((type(value).__name__, *given))
        if len(flat) <= LINE and "\n" not in flat:
            return f"made({flat})"
        lines = "".join(f"{inner}{one},\n" for one in given)
        return f"made(\n{inner}{type(value).__name__},\n{lines}{indent})"
    if isinstance(value, tuple) and any(hasattr(one, "__record__") for one in value):
        return "(\n" + "".join(f"{inner}{written(one, inner)},\n" for one in value) + f"{indent})"
    return repr(dict(value) if isinstance(value, Mapping) else value)


def _said(value: Any) -> Iterator[tuple[str, object]]:
    for one in fields(value):
        given = getattr(value, one.name)
        if given != one.default:
            yield one.name, given


if __name__ == "__main__":
    INDEX.write_text(index_text(), encoding="utf-8")
