"""A Python environment of its own in which this budgetlint is installed, with all that it needs: for what must lie in a site folder."""

from __future__ import annotations

import shutil
import sysconfig
import venv
from pathlib import Path


def environment(folder: Path) -> tuple[Path, Path]:
    """Makes it; returns its Python and its site folder. The packages of the environment that runs the tests are seen through it."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    here = sysconfig.get_path("purelib")
    (site / "seen-through.pth").write_text(f"import site; site.addsitedir({here!r})\n", encoding="utf-8")
    (info,) = Path(here).glob("budgetlint-*.dist-info")
    shutil.copytree(info, site / info.name)
    python = Path(sysconfig.get_path("scripts", "venv", {"base": str(folder), "platbase": str(folder)})) / "python"
    return python, site
