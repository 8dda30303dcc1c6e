"""``python -m budgetlint_rules``: writes `_index.py`, what is known of each built-in rule without importing it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from budgetlint.engine.lazy_rules import row_of

from . import MODULES

HEAD = '''"""What each built-in rule says of itself. Written by ``python -m budgetlint_rules``; a test compares it with the rules."""

from __future__ import annotations

from typing import Any

'''


def index_text() -> str:
    rows = {name: row_of(import_module(f"{__package__}.{name}").RULE) for name in MODULES}
    lines = "".join(f"    {name!r}: {row!r},\n" for name, row in rows.items())
    return f"{HEAD}# fmt: off\n# ruff: noqa: E501\nINDEX: dict[str, dict[str, Any]] = {{\n{lines}}}\n"


if __name__ == "__main__":
    Path(__file__).with_name("_index.py").write_text(index_text(), encoding="utf-8")
