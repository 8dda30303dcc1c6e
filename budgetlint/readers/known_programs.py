"""Programs that are known by name: what they read, whatever keys stand there, or what they do that trains nothing. The manifests name
them; nothing else does.

A name is what `budgetlint.launch.commands` makes of a command: a tool with its subcommand (``trl sft``), a module
(``openrlhf.cli.train_sft``), or the path of a script. Official scripts are known by the end of their path, where the file is not in the
project: source beats name.
"""

from __future__ import annotations

import re
from functools import cache

from budgetlint.frameworks import manifests
from budgetlint.frameworks.manifest import HYDRA, Idle, Program

__all__ = ["HYDRA", "Program", "known_idle", "known_program", "known_programs"]


@cache
def known_programs() -> tuple[Program, ...]:
    """The first row that matches counts."""
    return tuple(program for manifest in manifests() for program in manifest.programs)


@cache
def known_program(name: str) -> Program | None:
    """The row of a program's name; None for a script that only its own code tells about."""
    return next((row for row in known_programs() if re.fullmatch(rf"(?:.*/)?(?:{row.pattern})", name)), None)


@cache
def known_idle(name: str) -> tuple[Idle, ...]:
    """The rows of a module of a framework that trains nothing, some only where its flags say so; none where no manifest names it."""
    return tuple(row for manifest in manifests() for row in manifest.idle if re.fullmatch(row.pattern, name))
