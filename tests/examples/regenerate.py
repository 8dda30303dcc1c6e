"""What budgetlint says about the projects under ``examples/``, as the files beside this one expect it.

``python tests/examples/regenerate.py`` writes them anew; look at the difference before it is committed.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from budgetlint.cli import main
from budgetlint.commands.console import Console

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
WORLDS = "declared"
COLUMNS = ("run", "target", "cell", "verdict", "need GiB")


def projects() -> list[str]:
    """Every folder under examples/ that holds configs; a package of rules is tested as a package, a declared world by itself."""
    folders = (folder for folder in (ROOT / "examples").iterdir() if folder.is_dir() and folder.name != WORLDS)
    return sorted(folder.name for folder in folders if not (folder / "pyproject.toml").exists())


def expected(name: str) -> dict[str, str]:
    """The expected files of one project, by name."""
    code, findings = call("check", f"examples/{name}", "--format", "concise", "--info")
    return {f"{name}.check.txt": f"{findings}exit code {code}\n", f"{name}.verdicts.txt": verdicts(name)}


def verdicts(name: str) -> str:
    """One line per run, target and cell."""
    _, out = call("estimate", f"examples/{name}", "--format", "json")
    return table([COLUMNS, *(row(run) for run in json.loads(out)["runs"])])


def row(run: dict[str, Any]) -> tuple[str, ...]:
    need = run["peak"]["bytes"]
    return run["name"], run["target"] or "-", run["cell"] or "-", run["verdict"], f"{need / 2**30:.1f}"


def table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in rows)
    return "\n".join(lines) + "\n"


def call(*argv: str) -> tuple[int, str]:
    """One command in the root of the repository: exit code and output."""
    out, err = io.StringIO(), io.StringIO()
    code = main(argv, Console(out, err, io.StringIO(), {}, ROOT))
    assert not err.getvalue(), err.getvalue()
    return code, out.getvalue()


def regenerate() -> Iterator[str]:
    """Write every file that is not as expected, remove those without a project; the names of what changed."""
    wanted = {name: text for project in projects() for name, text in expected(project).items()}
    for path in HERE.glob("*.txt"):
        if path.name not in wanted:
            path.unlink()
            yield f"{path.name} removed"
    for name, text in wanted.items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            yield f"{name} written"


if __name__ == "__main__":
    print("\n".join(regenerate()) or "nothing changed")
