"""The consoles of a page of the manual, run: named fences are written as files, ```console blocks are typed into a shell.

A page is played from top to bottom in an empty folder. What a command prints must stand below it; a line ``...`` stands for any
lines. ``python tests/manual/regenerate.py`` writes what is printed now.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(sys.executable).parent
ROOT = Path(__file__).parents[2]
ENVIRONMENT = runpy.run_path(str(ROOT / "tests" / "environment.py"))["environment"]
FENCE = re.compile(r"^```(?P<language>\w+)(?: (?P<name>[\w./-]+))?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = "$ "
CUT = "..."


@dataclass(frozen=True)
class Typed:
    """One command of a console, and what the page shows below it."""

    command: str
    shown: tuple[str, ...]


def typed(body: str) -> list[Typed]:
    """The commands of one console block."""
    parts = re.split(rf"^{re.escape(PROMPT)}", body, flags=re.MULTILINE)[1:]
    return [Typed(command, tuple(shown.splitlines())) for command, _, shown in (part.partition("\n") for part in parts)]


def played(page: str, folder: Path) -> str:
    """The page with what its commands print now."""
    fences = list(FENCE.finditer(page))
    beside = folder.with_name("printed")
    beside.mkdir()
    folder.with_name("budgetlint").symlink_to(ROOT)
    programs = [_plugin(folder.with_name("environment"))] if "examples/rule-plugin" in page else []
    script = "\n".join(["set -u; last=0", *_script(fences, beside)])
    subprocess.run(["bash", "-c", script], cwd=folder, env=_environ(folder, programs), check=True, timeout=300)
    printed = iter(sorted(beside.iterdir()))
    return FENCE.sub(lambda fence: _console(fence, printed) if fence["language"] == "console" else fence[0], page)


def _script(fences: list[re.Match[str]], beside: Path) -> Iterator[str]:
    number = 0
    for fence in fences:
        if fence["name"]:
            yield f"mkdir -p $(dirname {fence['name']}); cat > {fence['name']} <<'END-OF-FILE'\n{fence['body']}END-OF-FILE"
        for step in typed(fence["body"]) if fence["language"] == "console" else ():
            yield f"{{ (exit $last); {step.command}\n}} > {beside}/{number:03} 2>&1; last=$?"
            number += 1


def _console(fence: re.Match[str], printed: Iterator[Path]) -> str:
    steps = (_shown(step, next(printed).read_text(encoding="utf-8").splitlines()) for step in typed(fence["body"]))
    return "\n".join(["```console", *(line for step in steps for line in step), "```"])


def _shown(step: Typed, printed: list[str]) -> Iterator[str]:
    yield PROMPT + step.command
    yield from step.shown if _agrees(list(step.shown), printed) else printed


def _agrees(shown: list[str], printed: list[str]) -> bool:
    pattern = "".join(r"(?:.*\n)*" if line.strip() == CUT else f"{re.escape(line)}\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _plugin(environment: Path) -> Path:
    """The programs of an environment in which the example of a plugin is installed (``tests/packaging`` does it with pip)."""
    source = ROOT / "examples" / "rule-plugin"
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python, site = ENVIRONMENT(environment)
    about = site / "house_rules-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
    points = (f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in rows.items()) for group, rows in project["entry-points"].items())
    (about / "entry_points.txt").write_text("".join(points), encoding="utf-8")
    shutil.copytree(source / "house_rules", site / "house_rules", ignore=shutil.ignore_patterns("__pycache__"))
    (python.parent / "budgetlint").write_text(f'#!/bin/sh\nexec {python} -m budgetlint "$@"\n', encoding="utf-8")
    (python.parent / "budgetlint").chmod(0o755)
    return python.parent


def _environ(folder: Path, programs: list[Path]) -> dict[str, str]:
    """A shell of nobody's: no settings of git or of the user take part."""
    who = {f"GIT_{role}_{part}": of for role in ("AUTHOR", "COMMITTER") for part, of in (("NAME", "You"), ("EMAIL", "you@example.org"))}
    git = {**who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    path = os.pathsep.join([*map(str, programs), str(PROGRAMS), os.environ.get("PATH", os.defpath)])
    return {"PATH": path, "HOME": str(folder.parent), "LC_ALL": "C.UTF-8", **git}
