"""The config that a Hydra program in the project brings, a copy or one after a framework's: it holds the defaults, and the command's
words are laid over it.

Source: Hydra 1.3 ``main.py`` (``config_path`` is relative to the program's file), ``_internal/utils.py`` (``--config-path`` and
``--config-name`` beat the decorator's). The decorator is read as text, never run.
"""

from __future__ import annotations

import posixpath
import re

from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile
from budgetlint.documents import Scalar
from budgetlint.documents.merge import merged
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.launch import Launch
from budgetlint.readers import reader_of
from budgetlint.readers.known_programs import HYDRA, Program, known_program, known_programs
from budgetlint.resolve.composition import base_of
from budgetlint.resolve.edges import candidates
from budgetlint.resolve.state import Assembly

_DECORATOR = re.compile(r"^@hydra\.main\(([^()]{0,400})\)", re.MULTILINE)
_ARGUMENT = re.compile(r"""(config_path|config_name)\s*=\s*["']([^"'\n]{1,200})["']""")


def over_own_config(work: Assembly, launch: Launch) -> Launch:
    """The launch of a copied program with its flags over the program's own config, which is no run besides;
    as it is where nothing of that is here."""
    program = _program(work, launch)
    path = _config(program, launch) if program is not None else ""
    base = base_of(work, path) if path else None
    if program is None or base is None or launch.program.root is None:
        return launch
    work.started.add(path)
    root, files = base
    named = tuple(one for one in launch.configs if one.origin.key != "config_name")
    return replace(launch, program=replace(launch.program, root=merged(root, launch.program.root), below=(program, *files)), configs=named)


def _program(work: Assembly, launch: Launch) -> SourceFile | None:
    """The file of a program that reads Hydra's configs: one that is known by name, or one of the project's own whose words are a
    framework's that is (a trainer that was made after it)."""
    name = launch.program.program
    row = known_program(name) or _like(launch)
    if row is None or row.arguments != HYDRA:
        return None
    path = name if name.endswith(PYTHON_SUFFIX) else name.replace(".", "/") + PYTHON_SUFFIX
    reader = reader_of(row.format)
    copy = work.copy_for(reader.package, launch.source.path) if reader is not None else None
    places = [*candidates(launch.source.path, path), *([posixpath.join(copy.top, path)] if copy is not None else [])]
    place = next(filter(work.files.exists, places), None)
    source = work.files.read(place) if place is not None else None
    return source if isinstance(source, SourceFile) else None


def _like(launch: Launch) -> Program | None:
    """The program of a framework that the words of a command are for beyond doubt, whatever the program's name is."""
    rows = (row for row in known_programs() if row.arguments == HYDRA)
    readers = ((row, reader_of(row.format)) for row in rows)
    return next((row for row, reader in readers if reader is not None and reader.recognise(launch.program) == 1), None)


def _config(program: SourceFile, launch: Launch) -> str:
    """The path of the config that the program starts from; empty where its decorator does not say it in words."""
    found = _DECORATOR.search(program.text)
    said = dict(_ARGUMENT.findall(found[1])) if found is not None else {}
    for key in ("config_path", "config_name"):
        entry = launch.program.entry(key)
        if entry is not None:
            said[key] = entry.value.text if isinstance(entry.value, Scalar) else ""
    if not said.get("config_path") or not said.get("config_name"):
        return ""
    name = said["config_name"] if said["config_name"].endswith((".yaml", ".yml")) else f"{said['config_name']}.yaml"
    return posixpath.normpath(posixpath.join(posixpath.dirname(program.path), said["config_path"], name))
