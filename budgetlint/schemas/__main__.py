"""``python -m budgetlint.schemas FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from budgetlint.schemas import pages


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m budgetlint.schemas FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
