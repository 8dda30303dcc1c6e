"""What the commands of the manual print now, written below them: ``python tests/manual/regenerate.py``.

A block that is shortened with ``...`` stays so while what it shows is still printed; else it is written whole, to be shortened again.
"""

from __future__ import annotations

import runpy
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs"
PAGES = ("index.md", "quickstart.md", "tutorial.md", "python.md", "plugins.md")


def now(name: str, home: Path) -> dict[Path, str]:
    """A page and its pictures as they would be written now."""
    played = runpy.run_path(str(HERE / "consoles.py"))["played"]
    folder = home / "project"
    folder.mkdir()
    page = DOCS / name
    made = {page: str(played(page.read_text(encoding="utf-8"), folder))}
    return made | {DOCS / page.stem / path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}


def regenerate() -> Iterator[str]:
    """Write everything that is not as played; the names of what changed."""
    for name in PAGES:
        with tempfile.TemporaryDirectory() as home:
            made = now(name, Path(home))
        for path, text in made.items():
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
                yield f"{path.relative_to(DOCS)} written"


if __name__ == "__main__":
    print("\n".join(regenerate()) or "nothing changed")
